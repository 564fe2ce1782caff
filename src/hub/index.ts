export { type ToolFileWorld, loadToolFile } from "./load-tool-file.ts";
export { fileProblem, readText } from "./read-text.ts";
export { type ScannedFile, type ScannedFolder, scanFolder } from "./scan-folder.ts";
export {
  type FolderChange,
  type FolderEvent,
  type ReloadMode,
  type ToolFolder,
  createToolFolder,
} from "./tool-folder.ts";
export { type FolderWatch, watchFolder } from "./watch-folder.ts";
