import { fromJsonSchema } from "../../schema/index.ts";
import { type Tool, defineTool } from "../../tool/index.ts";
import type { ExtractForm } from "../extract/index.ts";
import type { ReadPage } from "./page.ts";
import { type PageFacts, lengthSchema, pageDeadlineMs, pageFacts, pageFactsSchema, urlSchema } from "./page-facts.ts";
import type { Pages } from "./pages.ts";

/** What `fetch_page` takes. */
export interface FetchPageInput {
  readonly url: string;
  readonly extract_type?: ExtractForm;
  /** Another name for `extract_type`. */
  readonly format?: ExtractForm;
  readonly max_length?: number;
}

/** A link as `fetch_page` gives it. */
export interface PageAnchor {
  readonly text: string;
  readonly href: string;
}

/** What `fetch_page` gives: of `text`, `markdown`, `links` and `headings` those that `extract_type` asks for. */
export interface FetchPageOutput extends PageFacts {
  readonly text?: string;
  readonly markdown?: string;
  readonly links?: readonly PageAnchor[];
  readonly headings?: readonly { readonly level: number; readonly text: string }[];
  readonly language?: string;
  readonly published?: string;
}

const forms: readonly ExtractForm[] = ["text", "links", "structured", "markdown"];

/** More links than this of one page are of no use to anybody. */
const mostLinks = 500;
const mostHeadings = 100;

/** `fetch_page`: one page as text, markdown, its links, or an overview. */
export function fetchPageTool({
  pages,
}: {
  readonly pages: Pages;
}): Tool<FetchPageInput, FetchPageInput, FetchPageOutput> {
  return defineTool({
    name: "fetch_page",
    description:
      "Fetches one web page and gives its main content without navigation and scripts. extract_type: text (plain " +
      "text), markdown (text with headings, lists, tables, code and links), links (all links of the page), structured " +
      "(title, text, headings and up to 20 links). Use it for the links or the outline of a page; to read one, web_fetch " +
      "does as well, parallel_fetch and crawl_batch take several addresses, and web_search finds them.",
    displayName: "Fetch page",
    category: "crawler",
    tags: ["web", "network", "page"],
    capabilities: ["fetch", "extract", "抓取", "提取"],
    effect: "read",
    timeoutMs: pageDeadlineMs(pages),
    input: fromJsonSchema<FetchPageInput, FetchPageInput>({
      type: "object",
      properties: {
        url: urlSchema,
        extract_type: {
          type: "string",
          enum: forms,
          description: "What to give of the page; text where absent.",
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
        links: listOf({ text: { type: "string" }, href: { type: "string" } }),
        headings: listOf({ level: { type: "integer" }, text: { type: "string" } }),
        language: { type: "string" },
        published: { type: "string" },
      },
      required: ["url", "title"],
    }),
    run: async ({ url, format = "text", extract_type: form = format, max_length = defaultLength }, { signal }) => {
      const page = await pages.read(url, { signal, as: form, maxChars: max_length });
      return { ...pageFacts(page), ...partOf(page, form) };
    },
  });
}

const defaultLength: number = lengthSchema.default;

function listOf(properties: Record<string, unknown>): Record<string, unknown> {
  return { type: "array", items: { type: "object", properties, required: Object.keys(properties) } };
}

function partOf(page: ReadPage, type: ExtractForm): Partial<FetchPageOutput> {
  switch (type) {
    case "text":
      return { text: page.text };
    case "markdown":
      return { markdown: page.markdown };
    case "links":
      return linksOf(page, mostLinks);
    default:
      return {
        ...linksOf(page, 20),
        text: page.text,
        headings: page.headings.slice(0, mostHeadings),
        ...(page.language !== undefined && { language: page.language }),
        ...(page.published !== undefined && { published: page.published }),
      };
  }
}

/** The structured form has at most 20 links by its nature; only a list of links that is cut says so. */
function linksOf({ links }: ReadPage, most: number): Partial<FetchPageOutput> {
  const shown = links.slice(0, most).map(({ text, url }) => ({ text, href: url }));
  return { links: shown, ...(most === mostLinks && links.length > most && { truncated: true }) };
}
