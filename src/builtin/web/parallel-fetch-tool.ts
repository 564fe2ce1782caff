import { withoutCredentials } from "../../net/index.ts";
import { fromJsonSchema } from "../../schema/index.ts";
import { type Tool, defineTool, ok } from "../../tool/index.ts";
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
import type { PageBatchItem, ReadPage } from "./page.ts";
import { type PageFacts, pageContent, pageFacts, pageFactsSchema } from "./page-output.ts";

/** One page of `parallel_fetch`, or the reason why it could not be read. */
export type ParallelFetchItem =
  | (PageFacts & { readonly content: string; readonly error?: never })
  | { readonly url: string; readonly error: BatchError };

/** Output of `parallel_fetch`: one item per address, in order. */
export type ParallelFetchOutput = readonly ParallelFetchItem[];

/** `parallel_fetch`: many pages as one list that a chain can pass on. A form of `web_fetch`. */
export function parallelFetchTool(services: BatchServices): Tool<BatchInput, BatchInput, ParallelFetchOutput> {
  const { pages } = services;
  return defineTool({
    name: "parallel_fetch",
    description:
      "Reads several addresses at the same time and returns a list with one item per address, in order: { url, title, " +
      "content }, or { url, error } if it could not be read. Fails only if none could be read. Accepts the output of " +
      "web_search and memory_recall. Use it to pass pages to another tool, since llm_summarize takes the list as it is; " +
      "crawl_batch reads the same pages and returns pages and errors separately. For one address use web_fetch.",
    displayName: "Parallel fetch",
    category: "crawler",
    tags: ["web", "network", "page", "batch"],
    capabilities: ["crawl", "fetch", "并行抓取"],
    aliases: ["parallelFetch"],
    effect: "read",
    targets: { urls: "url" },
    sends: true,
    timeoutMs: (args) => batchDeadlineMs(args, pages),
    input: fromJsonSchema<BatchInput, BatchInput>(batchInputSchema(services)),
    output: {
      type: "array",
      items: {
        type: "object",
        properties: {
          ...pageFactsSchema,
          content: { type: "string" },
          error: { type: "object", properties: batchErrorProperties, required: ["code", "message", "retry"] },
        },
        required: ["url"],
      },
    },
    run: async (args, { signal, progress }) => {
      const total = args.urls.length;
      const items = await readBatch(args, pages, { signal, onSettled: (settled) => progress({ settled, total }) });
      const failed = items.filter(({ failure }) => failure !== undefined).length;
      return ok(
        items.map((item) => toItem(item, args)),
        { meta: { parallelCount: total, failedCount: failed } },
      );
    },
  });
}

function toItem({ url, page, failure }: PageBatchItem<ReadPage>, args: BatchInput): ParallelFetchItem {
  if (page === undefined) return { url: withoutCredentials(url), error: toBatchError(failure) };
  return { ...pageFacts(page), content: pageContent(page, args) };
}
