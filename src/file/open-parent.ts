import { mkdir, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fromSystemError, systemErrorCode } from "./file-reasons.ts";
import { Folder, type PathGuard } from "./folder.ts";
import { quotePath } from "./parse-path.ts";
import type { RootedPath } from "./roots.ts";

/**
 * Opens the folder of a requested file; undefined if there is none. With `make`, missing folders are created, one by
 * one and never through a link.
 */
export async function openParent(rootedPath: RootedPath, guard: PathGuard, make: boolean): Promise<Folder | undefined> {
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
