export type * from "./control-files.ts";
export * from "./denied-paths.ts";
export * from "./decode-text.ts";
export * from "./file-access.ts";
export * from "./file-reasons.ts";
export * from "./ignore-rules.ts";

export * from "./parse-path.ts";
export type * from "./read-bytes.ts";
export type * from "./roots.ts";
export * from "./sha256.ts";
export * from "./show-path.ts";
export type * from "./walk-entry.ts";
export type * from "./walk-folder.ts";
