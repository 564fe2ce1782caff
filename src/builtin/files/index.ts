export * from "./edit-file-tool.ts";
export * from "./list-dir-tool.ts";
export * from "./read-file-tool.ts";
export * from "./search-files.ts";
export * from "./search-files-tool.ts";
export * from "./write-file-tool.ts";
