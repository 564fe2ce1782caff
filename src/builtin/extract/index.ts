export { type CharsetSource, type DecodedBody, decodeBody } from "./decode-body.ts";
export { closeExtraction, extractDocument, extractPage } from "./extract-page.ts";
export { type ExtractReason, extractReasons } from "./extract-reasons.ts";
export type {
  DocumentKind,
  ExtractForm,
  ExtractMethod,
  ExtractOptions,
  ExtractedPage,
  PageHeading,
  PageImage,
  PageLink,
  PageTable,
} from "./extracted-page.ts";
export { type DocumentOptions, type Extractor, type ExtractorOptions, createExtractor } from "./extractor.ts";
export type { ExtractedDocument } from "./read-document.ts";
