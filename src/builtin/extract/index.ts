export * from "./decode-body.ts";
export * from "./extractor.ts";
export * from "./extract-reasons.ts";
export type * from "./extracted-page.ts";
export type * from "./read-document.ts";
