import { mkdir, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fromSystem, systemCode } from "./file-reasons.ts";
import { Folder, type Guard } from "./folder.ts";
import { shown } from "./path-parts.ts";
import type { Wanted } from "./roots.ts";

/**
 * Opens the folder of a wanted file; undefined where there is none. With `make`, folders that are missing are made, one
 * by one and never through a link.
 */
export async function openParent(wanted: Wanted, guard: Guard, make: boolean): Promise<Folder | undefined> {
  const names = wanted.names.slice(0, -1);
  for (let known = names.length; ; known--) {
    const real = await realpathOf(join(wanted.base, ...names.slice(0, known)), wanted.shown);
    if (real === "missing" && !make) return undefined;
    if (real === "missing" || real === "blocked") {
      if (known === 0) return undefined;
      continue;
    }
    guard.check(real.path);
    return descend(await Folder.open(real.path, about(wanted, known, guard)), { wanted, known, guard });
  }
}

/** A guard that speaks of the folder of so many names: what stands in the way is that, and not the file in it. */
function about({ names, shown: path }: Wanted, known: number, guard: Guard): Guard {
  let folder = path;
  for (let at = names.length; at > known; at--) folder = dirname(folder);
  return { path: folder, check: (real) => guard.check(real) };
}

/** Where a folder is; or that there is nothing, or something that is no folder on the way to it. */
async function realpathOf(path: string, told: string): Promise<{ readonly path: string } | "missing" | "blocked"> {
  try {
    return { path: await realpath(path) };
  } catch (error) {
    if (systemCode(error) === "ENOENT") return "missing";
    if (systemCode(error) === "ENOTDIR") return "blocked";
    throw fromSystem(error, shown(told));
  }
}

async function descend(
  from: Folder,
  { wanted, known, guard }: { readonly wanted: Wanted; readonly known: number; readonly guard: Guard },
): Promise<Folder> {
  let folder = from;
  for (const [at, name] of wanted.names.slice(known, -1).entries()) {
    try {
      guard.check(join(folder.real, name));
      await makeFolder(folder, name, guard);
      const next = await folder.enter(name, about(wanted, known + at + 1, guard));
      await folder.close();
      folder = next;
    } catch (error) {
      await folder.close();
      throw error;
    }
  }
  return folder;
}

async function makeFolder(folder: Folder, name: string, guard: Guard): Promise<void> {
  try {
    await mkdir(folder.at(name));
    await folder.sync();
  } catch (error) {
    // Made by someone else meanwhile; whether it is a folder shows when it is entered.
    if (systemCode(error) !== "EEXIST") throw fromSystem(error, shown(guard.path));
  }
}
