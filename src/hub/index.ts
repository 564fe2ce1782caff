export { type LoadedFile, type ToolFileLocation, type ToolFileWorld, loadToolFile } from "./load-tool-file.ts";
export {
  type FolderChange,
  type FolderEvent,
  type ReloadMode,
  type ToolFolder,
  type ToolFolderOptions,
  createToolFolder,
} from "./tool-folder.ts";
