export { type ToolFileWorld, loadToolFile } from "./load-tool-file.ts";
export { type FolderChange, type ToolFolder, createToolFolder } from "./tool-folder.ts";
