import { type ToolFor, defineTool } from "../../tool/index.ts";
import type { ExtractForm } from "../extract/index.ts";
import { type ReadPage, callTimeMs } from "./page.ts";
import {
  type PageFacts,
  type PageParts,
  pageFacts,
  pageFactsSchema,
  pageParts,
  pagePartsSchema,
} from "./page-output.ts";
import type { PageReader } from "./page-reader.ts";

/** Output of `fetch_page`: those of `text`, `markdown`, `links` and `headings` that `extract_type` selects. */
export interface FetchPageOutput extends PageFacts, PageParts {
  readonly text?: string;
  readonly markdown?: string;
  readonly truncated?: boolean;
}

/** The input schema of `fetch_page`, whose parameters `web_fetch` has, too. */
export const fetchPageInput = {
  type: "object",
  properties: {
    url: {
      type: "string",
      minLength: 1,
      description: "The full address of the page, such as https://example.com/article.",
    },
    extract_type: {
      type: "string",
      enum: ["text", "links", "structured", "markdown"],
      description: "Which part of the page to return. Default: text.",
    },
    format: {
      type: "string",
      enum: ["text", "links", "structured", "markdown"],
      description: "Another name for extract_type.",
    },
    max_length: {
      type: "integer",
      minimum: 100,
      maximum: 500_000,
      default: 50_000,
      description: "Maximum characters of text; the rest is cut off and truncated is true.",
    },
  },
  required: ["url"],
  additionalProperties: false,
  examples: [
    { url: "http://example.com/" },
    { url: "http://example.com/", extract_type: "structured", max_length: 2000 },
  ],
} as const;

/** `fetch_page`: one page as text, markdown, its links, or an overview. A form of `web_fetch` for earlier callers. */
export function fetchPageTool({
  pages,
}: {
  readonly pages: PageReader;
}): ToolFor<typeof fetchPageInput, FetchPageOutput> {
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
    timeoutMs: callTimeMs(pages.limits.timeoutMs),
    input: fetchPageInput,
    output: {
      type: "object",
      properties: {
        ...pageFactsSchema,
        text: { type: "string" },
        markdown: { type: "string" },
        ...pagePartsSchema,
      },
      required: ["url", "title"],
    },
    run: async ({ url, format = "text", extract_type: form = format, max_length }, { signal }) => {
      const page = await pages.read(url, { signal, as: form, maxChars: max_length });
      return { ...pageFacts(page), ...textOf(page, form), ...pageParts(page, form) };
    },
  });
}

function textOf(page: ReadPage, format: ExtractForm): Pick<FetchPageOutput, "text" | "markdown"> {
  if (format === "links") return {};
  return format === "markdown" ? { markdown: page.markdown } : { text: page.text };
}
