import type { Clock } from "../../base/index.ts";
import type { FileAccess } from "../../file/index.ts";
import type { TextIndex } from "../../store/index.ts";
import type { Zone } from "../time/zone.ts";
import type { Heading } from "./parse-note.ts";

/** Dependencies of the functions of a vault. */
export interface VaultDeps {
  /** The folder of notes as it really is. */
  readonly root: string;
  /** Opens the folder of notes; paths are relative to it. */
  readonly files: FileAccess;
  readonly index: TextIndex;
  /** Under this name the notes are in the index. */
  readonly collection: string;
  readonly clock: Clock;
  /** A date is a day by its clocks. */
  readonly zone: Zone;
  readonly limits: VaultLimits;
}

/** Limits on reading a vault. */
export interface VaultLimits {
  /** Endings of the names of notes, in lower case. */
  readonly extensions: readonly string[];
  /** Larger files are not indexed. */
  readonly maxFileBytes: number;
  /** More notes than this are not indexed. */
  readonly maxNotes: number;
}

/** Default limits of a vault. */
export const defaultVaultLimits: VaultLimits = {
  extensions: [".md", ".markdown", ".txt"],
  maxFileBytes: 2 * 1024 * 1024,
  maxNotes: 500_000,
};

/** Metadata of a note in the index. */
export interface NoteMeta {
  readonly headings: readonly Heading[];
  readonly links: readonly string[];
}

/** True if this is the path of a note. Files in hidden folders and in `node_modules` are not notes. */
export function isNote(path: string, { extensions }: VaultLimits): boolean {
  const names = path.split("/");
  const name = names.at(-1) ?? "";
  const dot = name.lastIndexOf(".");
  if (dot < 1 || !extensions.includes(name.slice(dot).toLowerCase())) return false;
  return names.every((one) => !one.startsWith(".") && one !== "node_modules");
}

/** Normalizes a path: no empty names and no `.`. The file access rejects other problems. */
export function trimPath(path: string): string {
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  return (path.startsWith("/") ? "/" : "") + names.join("/");
}

/** Options of indexing. */
export interface IndexVaultOptions {
  /** Only these changed paths: notes, or folders of notes. Default: the whole vault. */
  readonly paths?: readonly string[];
  /** Read every note again, whether its time and size changed or not. */
  readonly full?: boolean;
  /** Called with the progress from time to time. */
  readonly onProgress?: (progress: VaultIndexProgress) => void;
  readonly signal?: AbortSignal;
}

/** Progress of indexing. */
export interface VaultIndexProgress {
  /** Notes checked so far. */
  readonly seen: number;
  /** Notes read and indexed. */
  readonly indexed: number;
  /** All notes, once they are counted. */
  readonly total?: number;
}

/** A note or a folder that could not be indexed, and why. */
export interface SkippedNote {
  readonly path: string;
  readonly why: string;
}

/** Result of indexing. */
export interface VaultIndexReport {
  /** New to the index. */
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
  /** Notes with a new path and the same content; each is also counted as added and as removed. */
  readonly renamed: number;
  readonly unchanged: number;
  /** The first hundred that could not be indexed. */
  readonly skipped: readonly SkippedNote[];
  readonly skippedCount: number;
  /** There are more notes than are indexed. */
  readonly truncated: boolean;
  readonly durationMs: number;
}
