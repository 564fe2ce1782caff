export type { ControlPath } from "./control-files.ts";
export { defaultDeniedPaths } from "./denied-paths.ts";
export { type DecodedText, canEncode, decodeInParts, decodeText, encodeText, textDecoder } from "./decode-text.ts";
export {
  type FileBeforeEdit,
  type FileAccess,
  type FileAccessOptions,
  type FileTarget,
  type ReadFileResult,
  type ReadFileOptions,
  type WriteFileOptions,
  type WriteFileResult,
  createFileAccess,
} from "./file-access.ts";
export { fileFailure } from "./file-reasons.ts";
export { type IgnoreRules, ignoreRules } from "./ignore-rules.ts";

export { parsePath } from "./parse-path.ts";
export type { FileBytes } from "./read-bytes.ts";
export type { FileRoot } from "./roots.ts";
export { sha256Of } from "./sha256.ts";
export { readShownPath, showUserPath, showPath } from "./show-path.ts";
export type { EntryFacts, EntryType, WalkEntry } from "./walk-entry.ts";
export type { WalkResult, WalkOptions } from "./walk-folder.ts";
export { createFileYielder } from "./file-reasons.ts";
