import type { Dirent } from "node:fs";
import { lstat } from "node:fs/promises";
import type { Folder } from "./folder.ts";
import { type FileBytes, readBytes } from "./read-bytes.ts";

/** Type of a folder entry. A link is shown and never followed; `other` is a pipe, a device or a socket. */
export type EntryType = "file" | "folder" | "link" | "other";

/** Size and time of an entry. */
export interface EntryFacts {
  readonly size: number;
  readonly modifiedMs: number;
}

/** The part of an entry to read. */
export interface EntryRange {
  /** The first byte. Default: 0. */
  readonly offset?: number;
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** One entry that a walk found. */
export interface WalkEntry {
  readonly name: string;
  /** The path by which file access finds it again. */
  readonly path: string;
  readonly type: EntryType;
  /** 1 for entries of the folder where the walk started. */
  readonly depth: number;
  /** A folder that was not entered because it lies at the deepest level. */
  readonly unopened?: true;
  /** Returns the stats of the entry itself; undefined if it is gone. Valid until the walk continues. */
  facts(): Promise<EntryFacts | undefined>;
  /** Reads a file, cheaper than by its path. Valid until the walk continues. */
  read(options: EntryRange): Promise<FileBytes>;
}

/** Origin of an entry. */
export interface EntryOrigin {
  readonly folder: Folder;
  readonly path: string;
  readonly depth: number;
  readonly unopened: boolean;
  readonly hardLinks: boolean;
}

/** An entry, able to look into the folder it was found in. */
export function walkEntry(dirent: Dirent, { folder, path, depth, unopened, hardLinks }: EntryOrigin): WalkEntry {
  const { name } = dirent;
  return {
    name,
    path,
    type: entryTypeOf(dirent),
    depth,
    ...(unopened && { unopened }),
    facts: async () => {
      const stats = await lstat(folder.at(name)).catch(() => undefined);
      return stats && { size: stats.size, modifiedMs: stats.mtimeMs };
    },
    read: ({ offset = 0, maxBytes, signal }) =>
      readBytes(folder, { name, path }, { offset, maxBytes, hardLinks, signal }),
  };
}

/** Returns the type of an entry. */
export function entryTypeOf(dirent: Dirent): EntryType {
  if (dirent.isFile()) return "file";
  if (dirent.isDirectory()) return "folder";
  return dirent.isSymbolicLink() ? "link" : "other";
}
