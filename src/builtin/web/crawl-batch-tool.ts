import { withoutCredentials } from "../../net/index.ts";
import { fromJsonSchema } from "../../schema/index.ts";
import { type Tool, type ToolContext, defineTool } from "../../tool/index.ts";
import {
  type BatchError,
  type BatchInput,
  type BatchServices,
  batchDeadlineMs,
  batchErrorProperties,
  batchInputSchema,
  readBatch,
  toBatchError,
} from "./batch-input.ts";
import {
  type PageFacts,
  type PageParts,
  pageContent,
  pageFacts,
  pageFactsSchema,
  pageParts,
  requestedFormat,
} from "./page-output.ts";
import type { PageReader } from "./page-reader.ts";

/** Output of `crawl_batch`. */
export interface CrawlBatchOutput {
  /** The pages that could be read, in the order of the addresses. */
  readonly pages: readonly (PageFacts & PageParts & { readonly content: string })[];
  /** Why the others are not. */
  readonly errors: readonly (BatchError & { readonly url: string })[];
  readonly total: number;
  readonly fetched: number;
  readonly failed: number;
}

/**
 * `crawl_batch`: many pages, few at a time per host, with an error for each page that could not be read. A form of
 * `web_fetch`.
 */
export function crawlBatchTool(services: BatchServices): Tool<BatchInput, BatchInput, CrawlBatchOutput> {
  const { pages } = services;
  return defineTool({
    name: "crawl_batch",
    description:
      "Fetches many web pages at once and returns { pages, errors }: the main content of every page that could be read, " +
      "and the reasons why the others could not; it fails if none could. Polite: a few requests at a time, two per host, " +
      "robots.txt respected. Use it to see what could be read of a long list of addresses; parallel_fetch returns one list " +
      "in order instead, for another tool. For one address use web_fetch.",
    displayName: "Crawl batch",
    category: "crawler",
    tags: ["web", "network", "page", "batch"],
    capabilities: ["crawl", "fetch", "批量抓取"],
    effect: "read",
    targets: { urls: "url" },
    sends: true,
    timeoutMs: (args) => batchDeadlineMs(args, pages),
    input: fromJsonSchema<BatchInput, BatchInput>(batchInputSchema(services)),
    output: {
      type: "object",
      properties: batchOutputProperties,
      required: Object.keys(batchOutputProperties),
    },
    run: (args, context) => crawlBatch(args, pages, context),
  });
}

/** The properties of {@link CrawlBatchOutput}. */
export const batchOutputProperties: Readonly<Record<string, unknown>> = {
  pages: {
    type: "array",
    items: {
      type: "object",
      properties: { ...pageFactsSchema, content: { type: "string" } },
      required: ["url", "title", "content"],
    },
  },
  errors: {
    type: "array",
    items: {
      type: "object",
      properties: { url: { type: "string" }, ...batchErrorProperties },
      required: ["url", "code", "message", "retry"],
    },
  },
  total: { type: "integer" },
  fetched: { type: "integer" },
  failed: { type: "integer" },
};

/** Reads many pages, and returns those that could be read and the errors of the others. */
export async function crawlBatch(
  args: BatchInput,
  pages: PageReader,
  { signal, progress }: Pick<ToolContext, "signal" | "progress">,
): Promise<CrawlBatchOutput> {
  const total = args.urls.length;
  const items = await readBatch(args, pages, { signal, onSettled: (settled) => progress({ settled, total }) });
  const fetched = items.flatMap(({ page }) =>
    page === undefined
      ? []
      : [{ ...pageFacts(page), content: pageContent(page, args), ...pageParts(page, requestedFormat(args)) }],
  );
  const errors = items.flatMap(({ url, failure }) =>
    failure === undefined ? [] : [{ url: withoutCredentials(url), ...toBatchError(failure) }],
  );
  return { pages: fetched, errors, total, fetched: fetched.length, failed: errors.length };
}
