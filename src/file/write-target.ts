import type { Stats } from "node:fs";
import { lstat, mkdir, realpath } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { KeyedMutex, systemErrorCode } from "../base/index.ts";
import type { ControlFiles } from "./control-files.ts";
import { causeOf, checkSignal, fileFailure, fromSystemError } from "./file-reasons.ts";
import { Folder, type PathGuard } from "./folder.ts";
import { type PathUse, quotePath } from "./parse-path.ts";
import { hardLinkFailure } from "./read-bytes.ts";
import type { RootedPath, Roots } from "./roots.ts";

/** An existing file that is about to be written, or the location of a new one. */
export interface WriteTarget {
  readonly folder: Folder;
  readonly name: string;
  readonly old: Stats | undefined;
}

/** A request to write a file. */
export interface WriteRequest {
  readonly path: string;
  readonly use: PathUse;
  readonly createParents?: boolean;
  /** The real path that the request is bound to. */
  readonly realPath?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Folders where files may be written, and files in them that may not. */
export interface WriteRules {
  readonly roots: Roots;
  readonly control: ControlFiles;
}

/** Serializes writes to one file within this process, across all file access objects. */
const turns = new KeyedMutex();

/** Finds where to write, waits for the turn of that file, and works there. */
export async function inWriteTarget<T>(
  rules: WriteRules,
  request: WriteRequest,
  work: (target: WriteTarget, rootedPath: RootedPath) => Promise<T>,
): Promise<T> {
  const rootedPath = await rules.roots.resolve(request.path, request.use);
  if (rootedPath.names.length === 0)
    throw fileFailure("not_a_file", `${quotePath(rootedPath.display)} is a folder; name a file`);
  const { folder, name } = await openTarget(rules, rootedPath, request);
  const real = `${folder.real}${sep}${name}`;
  try {
    return await turns.run(real, async () => {
      checkSignal(request.signal);
      const old = await entryStats(folder, name, rootedPath);
      checkTarget(old, rootedPath);
      await rules.control.checkIdentity(real, rootedPath.display);
      if (request.realPath !== undefined && request.realPath !== real) throw redirected(rootedPath);
      return work({ folder, name, old }, rootedPath);
    });
  } finally {
    await folder.close();
  }
}

function checkTarget(old: Stats | undefined, { display }: RootedPath): void {
  if (old === undefined) return;
  if (old.isSymbolicLink()) throw fileFailure("concurrent_change", `${quotePath(display)} became a link; try again`);
  if (!old.isFile())
    throw fileFailure("not_a_file", `${quotePath(display)} exists and is not a file; choose another path`);
  if (old.nlink > 1) throw hardLinkFailure(display, "write");
}

function redirected({ display }: RootedPath): Error {
  const message = `${quotePath(display)} leads elsewhere than when the call was approved; call again for a new approval`;
  return fileFailure("redirected", message);
}

async function openTarget(
  { roots, control }: WriteRules,
  rootedPath: RootedPath,
  { createParents = false, use }: WriteRequest,
): Promise<{ folder: Folder; name: string }> {
  const { display } = rootedPath;
  const checkEntry = (realPath: string, type: "file" | "folder"): void => {
    roots.checkWritable(realPath, display);
    control.check(realPath, display, type);
  };
  const guard: PathGuard = { path: display, check: (realPath) => checkEntry(realPath, "folder") };
  const name = rootedPath.names.at(-1) ?? "";
  // Before folders are created for it; its real path is checked again later.
  const requested = join(rootedPath.base, ...rootedPath.names);
  roots.check(requested, display);
  control.check(requested, display);
  const folder = await openParent(rootedPath, guard, createParents);
  if (folder === undefined) throw use === "find" ? missingFile(rootedPath) : missingFolder(rootedPath);
  let stored = false;
  try {
    checkEntry(join(folder.real, name), "file");
    stored = (await entryStats(folder, name, rootedPath))?.isSymbolicLink() !== true;
    if (stored) return { folder, name };
  } finally {
    if (!stored) await folder.close();
  }
  // The file behind a link is the one that is meant; the link stays.
  const real = await roots.follow(rootedPath).catch((error: unknown) => {
    throw systemErrorCode(causeOf(error)) === "ENOENT"
      ? fileFailure("broken_link", `${quotePath(display)} is a link that leads to nothing; choose another path`)
      : error;
  });
  checkEntry(real, "file");
  return { folder: await Folder.open(dirname(real), guard), name: basename(real) };
}

/** The failure of a file that does not exist. */
export function missingFile({ display }: RootedPath): Error {
  return fileFailure("not_found", `${quotePath(display)} does not exist`);
}

/** Named like the tool's parameter; callers in code know it as `createParents`. */
function missingFolder({ display }: RootedPath): Error {
  const folder = quotePath(dirname(display));
  return fileFailure("not_found", `the folder ${folder} does not exist; pass create_parents: true to create it`);
}

/** The stats of an entry itself; undefined if there is none. */
export async function entryStats(folder: Folder, name: string, rootedPath: RootedPath): Promise<Stats | undefined> {
  try {
    return await lstat(folder.at(name));
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw fromSystemError(error, quotePath(rootedPath.display));
  }
}

/**
 * Opens the folder of a requested file; undefined if there is none. With `make`, missing folders are created, one by
 * one and never through a link.
 */
async function openParent(rootedPath: RootedPath, guard: PathGuard, make: boolean): Promise<Folder | undefined> {
  const names = rootedPath.names.slice(0, -1);
  for (let known = names.length; ; known--) {
    const real = await realpathOf(join(rootedPath.base, ...names.slice(0, known)), rootedPath.display);
    if (real === "missing" && !make) return undefined;
    if (real === "missing" || real === "blocked") {
      if (known === 0) return undefined;
      continue;
    }
    guard.check(real.path);
    return descend(await Folder.open(real.path, about(rootedPath, known, guard)), {
      requested: rootedPath,
      known,
      guard,
    });
  }
}

/** A guard whose path is the folder of the first `known` names: that folder is the obstacle, not the file in it. */
function about({ names, display }: RootedPath, known: number, guard: PathGuard): PathGuard {
  let folder = display;
  for (let at = names.length; at > known; at--) folder = dirname(folder);
  return { path: folder, check: (real) => guard.check(real) };
}

/** Real path of a folder; or that it is missing, or that a part of the path is not a folder. */
async function realpathOf(path: string, reported: string): Promise<{ readonly path: string } | "missing" | "blocked"> {
  try {
    return { path: await realpath(path) };
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return "missing";
    if (systemErrorCode(error) === "ENOTDIR") return "blocked";
    throw fromSystemError(error, quotePath(reported));
  }
}

async function descend(
  from: Folder,
  { requested, known, guard }: { readonly requested: RootedPath; readonly known: number; readonly guard: PathGuard },
): Promise<Folder> {
  let folder = from;
  for (const [at, name] of requested.names.slice(known, -1).entries()) {
    try {
      guard.check(join(folder.real, name));
      await makeFolder(folder, name, guard);
      const next = await folder.enter(name, about(requested, known + at + 1, guard));
      await folder.close();
      folder = next;
    } catch (error) {
      await folder.close();
      throw error;
    }
  }
  return folder;
}

async function makeFolder(folder: Folder, name: string, guard: PathGuard): Promise<void> {
  try {
    await mkdir(folder.at(name));
    await folder.sync();
  } catch (error) {
    // Created by another process in the meantime; whether it is a folder shows when it is opened.
    if (systemErrorCode(error) !== "EEXIST") throw fromSystemError(error, quotePath(guard.path));
  }
}
