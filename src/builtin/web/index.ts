export { crawlBatchTool } from "./crawl-batch-tool.ts";
export { fetchPageTool } from "./fetch-page-tool.ts";
export type {
  AddressResolver,
  PageBatchItem,
  GetPagesOptions,
  FetchedPage,
  GetPageOptions,
  ReadPagesOptions,
  ReadPageOptions,
  ReadPage,
} from "./page.ts";
export { type PageLimits } from "./page-limits.ts";
export { type PageReader, type PageReaderOptions, createPageReader } from "./page-reader.ts";
export { parallelFetchTool } from "./parallel-fetch-tool.ts";
export { webFetchTool } from "./web-fetch-tool.ts";
