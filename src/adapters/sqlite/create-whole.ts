import { link, lstat, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { FailureError } from "../../base/index.ts";
import { refusal, storeFailure } from "./store-failure.ts";

/**
 * Makes a file by way of a temporary one beside it: the name appears when the content is complete and on the disk,
 * and not before. Refuses a name that is taken.
 */
export async function createWhole(
  target: string,
  temporary: string,
  fill: (temporary: string) => Promise<void>,
): Promise<void> {
  if (await exists(target)) throw taken(target);
  try {
    // Made here for its mode: a copy is as private as the database.
    await (await open(temporary, "wx", 0o600)).close();
    await fill(temporary);
    await sync(temporary);
    await giveName(temporary, target);
    await sync(dirname(target));
  } catch (error) {
    throw storeFailure(error, target);
  } finally {
    await rm(temporary, { force: true });
    await rm(`${temporary}-journal`, { force: true });
  }
}

/** Unlike a rename, a link never replaces a file that came into being meanwhile; but not every file system has links. */
async function giveName(temporary: string, target: string): Promise<void> {
  try {
    await link(temporary, target);
  } catch {
    if (await exists(target)) throw taken(target);
    await rename(temporary, target);
  }
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } catch (error) {
    // Some systems do not sync a folder; a file they must.
    if (!(await handle.stat()).isDirectory()) throw error;
  } finally {
    await handle.close();
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch {
    return false;
  }
}

function taken(target: string): FailureError {
  return refusal(`${target} exists already. Choose a name that is free, or remove that file first`, {
    reason: "exists",
  });
}
