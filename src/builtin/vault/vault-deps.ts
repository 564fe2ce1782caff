import type { Clock } from "../../base/index.ts";
import type { FileDoor } from "../../file/index.ts";
import type { TextIndex } from "../../store/index.ts";
import type { Zone } from "../time/zone.ts";
import type { Heading } from "./parse-note.ts";

/** What the functions of a vault work with. */
export interface VaultParts {
  /** The folder of notes as it really is. */
  readonly root: string;
  /** Opens the folder of notes; paths are relative to it. */
  readonly files: FileDoor;
  readonly index: TextIndex;
  /** Under this name the notes are in the index. */
  readonly collection: string;
  readonly clock: Clock;
  /** A date is a day by its clocks. */
  readonly zone: Zone;
  readonly limits: VaultLimits;
}

/** How much of a vault is read. */
export interface VaultLimits {
  /** Endings of the names of notes, in lower case. */
  readonly extensions: readonly string[];
  /** Larger files are not indexed. */
  readonly maxFileBytes: number;
  /** More notes than this are not indexed. */
  readonly maxNotes: number;
}

/** What a vault reads unless told otherwise. */
export const usualLimits: VaultLimits = {
  extensions: [".md", ".markdown", ".txt"],
  maxFileBytes: 2 * 1024 * 1024,
  maxNotes: 500_000,
};

/** What the index keeps of a note besides its text. */
export interface NoteMeta {
  readonly headings: readonly Heading[];
  readonly links: readonly string[];
}

/** Is this the path of a note? Nothing in a hidden folder or in one of packages is. */
export function isNote(path: string, { extensions }: VaultLimits): boolean {
  const names = path.split("/");
  const name = names.at(-1) ?? "";
  const dot = name.lastIndexOf(".");
  if (dot < 1 || !extensions.includes(name.slice(dot).toLowerCase())) return false;
  return names.every((one) => !one.startsWith(".") && one !== "node_modules");
}

/** A path in its one form: no empty names and no `.`. What else may be wrong with it, the file door says. */
export function trimPath(path: string): string {
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  return (path.startsWith("/") ? "/" : "") + names.join("/");
}
