import { fromJsonSchema } from "../../schema/index.ts";
import { type Tool, type ToolContext, defineTool, withForms } from "../../tool/index.ts";
import type { ExtractForm } from "../extract/index.ts";
import { type BatchServices, batchDeadlineMs, batchInputSchema } from "./batch-input.ts";
import { type CrawlBatchOutput, batchOutputProperties, crawlBatch, crawlBatchTool } from "./crawl-batch-tool.ts";
import { fetchPageInput, fetchPageTool } from "./fetch-page-tool.ts";
import {
  type FormatChoice,
  type PageFacts,
  type PageParts,
  pageContent,
  pageFacts,
  pageFactsSchema,
  pageParts,
  pagePartsSchema,
  requestedFormat,
} from "./page-output.ts";
import { callTimeMs } from "./page.ts";
import type { PageReader } from "./page-reader.ts";
import { parallelFetchTool } from "./parallel-fetch-tool.ts";

/** Input of `web_fetch`: one address, or several. */
interface WebFetchInput extends FormatChoice {
  readonly url?: string;
  readonly urls?: readonly string[];
  readonly max_length?: number;
  /** Seconds. */
  readonly timeout?: number;
}

/** Output of `web_fetch` for one address. */
interface WebFetchPage extends PageFacts, PageParts {
  /** The main content; absent if only links were requested. */
  readonly content?: string;
  readonly truncated?: boolean;
}

/** Output of `web_fetch`: a page, or for several addresses the pages and errors. */
type WebFetchOutput = WebFetchPage | CrawlBatchOutput;

/**
 * `web_fetch`: the content of one address or several, web pages or something stored locally such as memories. Its
 * aliases `fetch_page`, `parallel_fetch` and `crawl_batch` have their own input and output.
 */
export function webFetchTool(services: BatchServices): Tool<WebFetchInput, WebFetchInput, WebFetchOutput> {
  const many = parallelFetchTool(services);
  return withForms(ownTool(services), {
    fetch_page: fetchPageTool(services),
    parallel_fetch: many,
    parallelFetch: many,
    crawl_batch: crawlBatchTool(services),
  });
}

function ownTool(services: BatchServices): Tool<WebFetchInput, WebFetchInput, WebFetchOutput> {
  const { pages } = services;
  return defineTool({
    name: "web_fetch",
    description:
      "Reads web pages. With url, returns { url, title, content }: the main content of the page as markdown, or in " +
      "another format: text, links (all its links), structured (text, headings and up to 20 links). With urls, reads " +
      "several addresses at the same time and returns { pages, errors }; it fails only if none could be read. Takes web " +
      "addresses and every address that web_search and memory_recall return, such as memory:<id>. Respects robots.txt. " +
      "For an API use http_request.",
    displayName: "Web fetch",
    category: "crawler",
    tags: ["web", "network", "page", "batch"],
    capabilities: ["fetch", "extract", "crawl", "抓取", "读取网页", "提取", "批量抓取", "并行抓取"],
    aliases: ["webFetch", "fetch_page", "parallel_fetch", "parallelFetch", "crawl_batch"],
    effect: "read",
    targets: { url: "url", urls: "url" },
    sends: true,
    timeoutMs: (args) => deadlineMs(args, pages),
    core: 3,
    input: fromJsonSchema<WebFetchInput, WebFetchInput>(inputSchema(services)),
    output: { type: "object", properties: outputProperties },
    run: ({ url, urls, ...rest }, context) =>
      urls === undefined
        ? readOne({ ...rest, url: url ?? "" }, pages, context)
        : crawlBatch({ ...rest, urls: url === undefined ? urls : [url, ...urls] }, pages, context),
  });
}

const formats: readonly ExtractForm[] = ["markdown", "text", "links", "structured"];

const outputProperties: Readonly<Record<string, unknown>> = {
  ...pageFactsSchema,
  content: { type: "string" },
  ...pagePartsSchema,
  ...batchOutputProperties,
};

const { default: defaultLength, ...length } = fetchPageInput.properties.max_length;

function inputSchema(services: BatchServices): Record<string, unknown> {
  const many = batchInputSchema(services)["properties"] as Record<string, Record<string, unknown>>;
  const { default: _time, ...time } = many["timeout"] ?? {};
  return {
    type: "object",
    properties: {
      url: {
        ...fetchPageInput.properties.url,
        description: "The full address, such as https://example.com/article or memory:<id>.",
      },
      urls: {
        ...many["urls"],
        description: `Several addresses. ${String(many["urls"]?.["description"])}`,
      },
      format: { type: "string", enum: formats, description: "Format of the content. Default: markdown." },
      extract_type: { type: "string", enum: formats, description: "Another name for format." },
      max_length: {
        ...length,
        description:
          "Maximum characters per page; the rest is cut off and truncated is true. Default: 50000; with urls 20000.",
      },
      timeout: {
        ...time,
        description: "Seconds for the call; with urls, pages not read by then are returned as errors.",
      },
    },
    anyOf: [{ required: ["url"] }, { required: ["urls"] }],
    additionalProperties: false,
    examples: [
      { url: "http://example.com/" },
      { url: "http://example.com/", format: "structured", max_length: 2000 },
      { urls: ["http://example.com/", "http://example.com/about"], max_length: 5000, timeout: 20 },
    ],
  };
}

function deadlineMs({ urls, timeout, ...rest }: WebFetchInput, pages: PageReader): number {
  if (urls !== undefined) return batchDeadlineMs({ ...rest, urls, ...(timeout !== undefined && { timeout }) }, pages);
  return callTimeMs(timeout === undefined ? pages.limits.timeoutMs : timeout * 1000);
}

async function readOne(
  args: WebFetchInput & { readonly url: string },
  pages: PageReader,
  { signal }: Pick<ToolContext, "signal">,
): Promise<WebFetchPage> {
  const { url, max_length: maxChars = defaultLength, timeout } = args;
  const format = requestedFormat(args);
  const timeoutMs = timeout === undefined ? undefined : timeout * 1000;
  const page = await pages.read(url, { signal, as: format, maxChars, ...(timeoutMs !== undefined && { timeoutMs }) });
  const content = format === "links" ? {} : { content: pageContent(page, args) };
  return { ...pageFacts(page), ...content, ...pageParts(page, format) };
}
