export { type ToolFileWorld, loadToolFile } from "./folder/load-tool-file.ts";
export { fileProblem, readText } from "./folder/read-text.ts";
export { type ScannedFile, type ScannedFolder, scanFolder } from "./folder/scan-folder.ts";
export {
  type FolderChange,
  type FolderEvent,
  type ReloadMode,
  type ToolFolder,
  createToolFolder,
} from "./folder/tool-folder.ts";
export { type FolderWatch, watchFolder } from "./folder/watch-folder.ts";
