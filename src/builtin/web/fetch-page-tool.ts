import { fromJsonSchema } from "../../schema/index.ts";
import { type Tool, defineTool } from "../../tool/index.ts";
import type { ExtractForm } from "../extract/index.ts";
import type { ReadPage } from "./page.ts";
import {
  type PageFacts,
  type PageParts,
  lengthSchema,
  pageDeadlineMs,
  pageFacts,
  pageFactsSchema,
  pageParts,
  pagePartsSchema,
  urlSchema,
} from "./page-output.ts";
import type { PageReader } from "./page-reader.ts";

/** Input of `fetch_page`. */
export interface FetchPageInput {
  readonly url: string;
  readonly extract_type?: ExtractForm;
  /** Another name for `extract_type`. */
  readonly format?: ExtractForm;
  readonly max_length?: number;
}

/** Output of `fetch_page`: those of `text`, `markdown`, `links` and `headings` that `extract_type` selects. */
export interface FetchPageOutput extends PageFacts, PageParts {
  readonly text?: string;
  readonly markdown?: string;
  readonly truncated?: boolean;
}

const forms: readonly ExtractForm[] = ["text", "links", "structured", "markdown"];

/** `fetch_page`: one page as text, markdown, its links, or an overview. A form of `web_fetch` for earlier callers. */
export function fetchPageTool({
  pages,
}: {
  readonly pages: PageReader;
}): Tool<FetchPageInput, FetchPageInput, FetchPageOutput> {
  return defineTool({
    name: "fetch_page",
    description:
      "Fetches one web page and returns its main content without navigation and scripts. extract_type: text (plain " +
      "text), markdown (text with headings, lists, tables, code and links), links (all links of the page), structured " +
      "(title, text, headings and up to 20 links). Use it for the links or the outline of a page; to read one, web_fetch " +
      "works as well, parallel_fetch and crawl_batch take several addresses, and web_search finds them.",
    displayName: "Fetch page",
    category: "crawler",
    tags: ["web", "network", "page"],
    capabilities: ["fetch", "extract", "抓取", "提取"],
    effect: "read",
    targets: { url: "url" },
    sends: true,
    timeoutMs: pageDeadlineMs(pages),
    input: fromJsonSchema<FetchPageInput, FetchPageInput>({
      type: "object",
      properties: {
        url: urlSchema,
        extract_type: {
          type: "string",
          enum: forms,
          description: "Which part of the page to return. Default: text.",
        },
        format: { type: "string", enum: forms, description: "Another name for extract_type." },
        max_length: lengthSchema,
      },
      required: ["url"],
      additionalProperties: false,
      examples: [
        { url: "http://example.com/" },
        { url: "http://example.com/", extract_type: "structured", max_length: 2000 },
      ],
    }),
    output: fromJsonSchema<FetchPageOutput, FetchPageOutput>({
      type: "object",
      properties: {
        ...pageFactsSchema,
        text: { type: "string" },
        markdown: { type: "string" },
        ...pagePartsSchema,
      },
      required: ["url", "title"],
    }),
    run: async ({ url, format = "text", extract_type: form = format, max_length = defaultLength }, { signal }) => {
      const page = await pages.read(url, { signal, as: form, maxChars: max_length });
      return { ...pageFacts(page), ...textOf(page, form), ...pageParts(page, form) };
    },
  });
}

const defaultLength: number = lengthSchema.default;

function textOf(page: ReadPage, format: ExtractForm): Pick<FetchPageOutput, "text" | "markdown"> {
  if (format === "links") return {};
  return format === "markdown" ? { markdown: page.markdown } : { text: page.text };
}
