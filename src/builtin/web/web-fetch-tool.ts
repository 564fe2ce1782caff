import { fromJsonSchema } from "../../schema/index.ts";
import { type Tool, defineTool } from "../../tool/index.ts";
import {
  type FormatChoice,
  type PageFacts,
  contentOf,
  formatOf,
  formatSchema,
  lengthSchema,
  pageDeadlineMs,
  pageFacts,
  pageFactsSchema,
  urlSchema,
} from "./page-facts.ts";
import type { Pages } from "./pages.ts";

/** What `web_fetch` takes. */
export interface WebFetchInput extends FormatChoice {
  readonly url: string;
  readonly max_length?: number;
}

/** What `web_fetch` gives. */
export interface WebFetchOutput extends PageFacts {
  /** The main content, in the format that was asked for. */
  readonly content: string;
}

/** `web_fetch`: what one address says, be it a web page or something kept here such as a memory. */
export function webFetchTool({ pages }: { readonly pages: Pages }): Tool<WebFetchInput, WebFetchInput, WebFetchOutput> {
  return defineTool({
    name: "web_fetch",
    description:
      "Reads one address and gives { url, title, content }: the main content as markdown, or as plain text. Takes web " +
      "addresses and every address that web_search and memory_recall give, such as memory:<id>. This is the usual way to " +
      "read a page; use fetch_page for its links or its outline, parallel_fetch for several addresses, and http_request " +
      "for an API.",
    displayName: "Web fetch",
    category: "crawler",
    tags: ["web", "network", "page"],
    capabilities: ["fetch", "extract", "抓取", "读取网页"],
    aliases: ["webFetch"],
    effect: "read",
    timeoutMs: pageDeadlineMs(pages),
    input: fromJsonSchema<WebFetchInput, WebFetchInput>({
      type: "object",
      properties: {
        url: { ...urlSchema, description: "The full address, such as https://example.com/article or memory:<id>." },
        ...formatSchema,
        max_length: lengthSchema,
      },
      required: ["url"],
      additionalProperties: false,
      examples: [{ url: "http://example.com/" }, { url: "http://example.com/", format: "text", max_length: 1000 }],
    }),
    output: fromJsonSchema<WebFetchOutput, WebFetchOutput>({
      type: "object",
      properties: { ...pageFactsSchema, content: { type: "string" } },
      required: ["url", "title", "content"],
    }),
    run: async ({ url, max_length: maxChars = lengthSchema.default, ...choice }, { signal }) => {
      const page = await pages.read(url, { signal, as: formatOf(choice), maxChars });
      return { ...pageFacts(page), content: contentOf(page, choice) };
    },
  });
}
