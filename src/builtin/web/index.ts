export { crawlBatchTool } from "./crawl-batch-tool.ts";
export { fetchPageTool } from "./fetch-page-tool.ts";
export type {
  AddressResolver,
  BatchItem,
  BatchOptions,
  FetchedPage,
  GetOptions,
  ReadAllOptions,
  ReadOptions,
  ReadPage,
} from "./page.ts";
export { type PageLimits } from "./page-limits.ts";
export { type Pages, type PagesOptions, createPages } from "./pages.ts";
export { parallelFetchTool } from "./parallel-fetch-tool.ts";
export { webFetchTool } from "./web-fetch-tool.ts";
