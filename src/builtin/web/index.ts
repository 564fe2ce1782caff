export * from "./crawl-batch-tool.ts";
export * from "./fetch-page-tool.ts";
export * from "./page.ts";
export * from "./page-reader.ts";
export * from "./parallel-fetch-tool.ts";
export * from "./web-fetch-tool.ts";
