export { usuallyClosed } from "./closed-places.ts";
export { type DecodedText, canEncode, decodeInParts, decodeText, encodeText, textDecoder } from "./decode-text.ts";
export {
  type Before,
  type FileDoor,
  type FileDoorOptions,
  type ReadFile,
  type ReadOptions,
  type WriteOptions,
  type Written,
  createFileDoor,
} from "./file-door.ts";
export { refuseFile } from "./file-reasons.ts";
export { type IgnoreRules, ignoreRules } from "./ignore-rules.ts";
export { Pace } from "./pace.ts";
export { pathParts } from "./path-parts.ts";
export type { FileBytes } from "./read-bytes.ts";
export type { FileRoot } from "./roots.ts";
export { sha256Of } from "./sha256.ts";
export { readShownPath, showGivenPath, showPath } from "./show-path.ts";
export type { EntryFacts, EntryType, WalkEntry } from "./walk-entry.ts";
export type { WalkEnd, WalkOptions } from "./walk-folder.ts";
