import { realpath } from "node:fs/promises";
import { isAbsolute, relative, sep } from "node:path";

/** Is this path the folder `root`, or something in it? By the words alone: links are not followed. */
export function isInside(path: string, root: string): boolean {
  const way = relative(root, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The real path, its links followed, where it lies in the workspace; else `missing` or `outside`. */
export async function realPathInside(path: string, root: string): Promise<string> {
  try {
    const [real, realRoot] = await Promise.all([realpath(path), realpath(root)]);
    return isInside(real, realRoot) ? real : "outside";
  } catch {
    return "missing";
  }
}
