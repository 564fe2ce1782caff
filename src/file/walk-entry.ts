import type { Dirent } from "node:fs";
import { lstat } from "node:fs/promises";
import type { Folder } from "./folder.ts";
import { type FileBytes, readBytes } from "./read-bytes.ts";

/** What an entry of a folder is. A link is shown and never followed; `other` is a pipe, a device or a socket. */
export type EntryType = "file" | "folder" | "link" | "other";

/** Size and time of an entry. */
export interface EntryFacts {
  readonly size: number;
  readonly modifiedMs: number;
}

/** Which part of an entry to read. */
export interface EntryRange {
  /** The first byte; 0 by default. */
  readonly offset?: number;
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** One entry that a walk found. */
export interface WalkEntry {
  readonly name: string;
  /** The path by which the door finds it again. */
  readonly path: string;
  readonly type: EntryType;
  /** 1 for what is in the folder where the walk began. */
  readonly depth: number;
  /** A folder that was not entered because it lies at the deepest level. */
  readonly unopened?: true;
  /** Looks at the entry itself; undefined when it is gone. Works until the walk goes on. */
  facts(): Promise<EntryFacts | undefined>;
  /** Reads a file, cheaper than by its path. Works until the walk goes on. */
  read(options: EntryRange): Promise<FileBytes>;
}

/** Where an entry was found. */
export interface Found {
  readonly folder: Folder;
  readonly path: string;
  readonly depth: number;
  readonly unopened: boolean;
}

/** An entry, able to look into the folder it was found in. */
export function walkEntry(dirent: Dirent, { folder, path, depth, unopened }: Found): WalkEntry {
  const { name } = dirent;
  return {
    name,
    path,
    type: typeOf(dirent),
    depth,
    ...(unopened && { unopened }),
    facts: async () => {
      const stats = await lstat(folder.at(name)).catch(() => undefined);
      return stats && { size: stats.size, modifiedMs: stats.mtimeMs };
    },
    read: ({ offset = 0, maxBytes, signal }) => readBytes(folder, { name, path }, { offset, maxBytes, signal }),
  };
}

/** What kind of entry this is. */
export function typeOf(dirent: Dirent): EntryType {
  if (dirent.isFile()) return "file";
  if (dirent.isDirectory()) return "folder";
  return dirent.isSymbolicLink() ? "link" : "other";
}
