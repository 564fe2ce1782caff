import { realpath } from "node:fs/promises";
import { isAbsolute, relative, sep, join } from "node:path";
import { accessSync, constants, mkdirSync, writeFileSync } from "node:fs";

/**
 * True if this path lies in this folder, or is the folder itself. Compares the text only; `..name` is an ordinary name.
 */
export function isInsideFolder(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The resolved location of a file or folder. */
export type RealPath =
  | { readonly kind: "inside"; readonly path: string }
  | { readonly kind: "outside" }
  | { readonly kind: "missing" };

/** Follows all links: returns the real path and whether it lies in the folder. */
export async function resolveRealPath(path: string, folder: string): Promise<RealPath> {
  try {
    const [real, realFolder] = await Promise.all([realpath(path), realpath(folder)]);
    return isInsideFolder(real, realFolder) ? { kind: "inside", path: real } : { kind: "outside" };
  } catch {
    return { kind: "missing" };
  }
}

/** True if this user cannot write to an existing file or folder. */
export function isReadOnly(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && ["EACCES", "EPERM", "EROFS"].includes(String(error.code));
  }
}

/**
 * Creates the data folder of a workspace if it is missing, and excludes it from the surrounding repository: it holds
 * logins, records and results. The first writer creates it.
 */
export function createDataFolder(dir: string): void {
  mkdirSync(dir, { recursive: true });
  try {
    writeFileSync(join(dir, ".gitignore"), "*\n", { flag: "wx" });
  } catch (error) {
    // An existing file may differ on purpose.
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}
