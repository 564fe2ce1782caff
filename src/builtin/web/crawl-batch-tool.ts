import { withoutCredentials } from "../../net/index.ts";
import { fromJsonSchema } from "../../schema/index.ts";
import { type Tool, defineTool } from "../../tool/index.ts";
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
import { type PageFacts, contentOf, pageFacts, pageFactsSchema } from "./page-facts.ts";

/** What `crawl_batch` gives. */
export interface CrawlBatchOutput {
  /** The pages that are there, in the order of the addresses. */
  readonly pages: readonly (PageFacts & { readonly content: string })[];
  /** Why the others are not. */
  readonly errors: readonly (BatchError & { readonly url: string })[];
  readonly total: number;
  readonly fetched: number;
  readonly failed: number;
}

/** `crawl_batch`: many pages, politely, with an error for each that is not there. */
export function crawlBatchTool(services: BatchServices): Tool<BatchInput, BatchInput, CrawlBatchOutput> {
  const { pages } = services;
  return defineTool({
    name: "crawl_batch",
    description:
      "Fetches many web pages at once and gives { pages, errors }: the main content of every page that could be read, " +
      "and why the others could not; it fails where none could. Polite: a few requests at a time, two per host, " +
      "robots.txt respected. Use it to see what could be read of a long list of addresses; parallel_fetch gives one list " +
      "in order instead, for another tool. For one address use web_fetch.",
    displayName: "Crawl batch",
    category: "crawler",
    tags: ["web", "network", "page", "batch"],
    capabilities: ["crawl", "fetch", "批量抓取"],
    effect: "read",
    timeoutMs: (args) => batchDeadlineMs(args, pages),
    input: fromJsonSchema<BatchInput, BatchInput>(batchInputSchema(services)),
    output: fromJsonSchema<CrawlBatchOutput, CrawlBatchOutput>({
      type: "object",
      properties: {
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
      },
      required: ["pages", "errors", "total", "fetched", "failed"],
    }),
    run: async (args, { signal, progress }) => {
      const total = args.urls.length;
      const items = await readBatch(args, pages, { signal, onSettled: (settled) => progress({ settled, total }) });
      const fetched = items.flatMap(({ page }) =>
        page === undefined ? [] : [{ ...pageFacts(page), content: contentOf(page, args) }],
      );
      const errors = items.flatMap(({ url, failure }) =>
        failure === undefined ? [] : [{ url: withoutCredentials(url), ...toBatchError(failure) }],
      );
      return { pages: fetched, errors, total, fetched: fetched.length, failed: errors.length };
    },
  });
}
