import { mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { fromSystem, refuseFile, systemCode } from "./file-reasons.ts";
import { Folder, type Guard } from "./folder.ts";
import { shown } from "./path-parts.ts";
import type { Wanted } from "./roots.ts";

/** Opens the folder of a wanted file; with `make`, folders that are missing are made, one by one and never through a link. */
export async function openParent(wanted: Wanted, guard: Guard, make: boolean): Promise<Folder> {
  const names = wanted.names.slice(0, -1);
  for (let known = names.length; ; known--) {
    const real = await realpathOf(join(wanted.base, ...names.slice(0, known)), wanted.shown);
    if (real === undefined && known > 0 && make) continue;
    if (real === undefined) {
      const folder = shown(names.join("/") || ".");
      throw refuseFile("not_found", `the folder ${folder} does not exist; make it, or ask for it to be made`);
    }
    guard.check(real);
    return descend(await Folder.open(real, guard), names.slice(known), guard);
  }
}

/** Undefined where there is nothing. */
async function realpathOf(path: string, told: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw fromSystem(error, shown(told));
  }
}

async function descend(from: Folder, names: readonly string[], guard: Guard): Promise<Folder> {
  let folder = from;
  for (const name of names) {
    try {
      guard.check(join(folder.real, name));
      await makeFolder(folder, name, guard);
      const next = await folder.enter(name, guard);
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
