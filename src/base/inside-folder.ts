import { realpath } from "node:fs/promises";
import { isAbsolute, relative, sep } from "node:path";

/** Does this path lie in this folder, itself included? By the words alone; `..name` is a name like others. */
export function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Where something really is. */
export type RealPlace =
  | { readonly kind: "inside"; readonly path: string }
  | { readonly kind: "outside" }
  | { readonly kind: "missing" };

/** Follows all links: where is this really, and is that in the folder? */
export async function realPlace(path: string, folder: string): Promise<RealPlace> {
  try {
    const [real, realFolder] = await Promise.all([realpath(path), realpath(folder)]);
    return isBelow(real, realFolder) ? { kind: "inside", path: real } : { kind: "outside" };
  } catch {
    return { kind: "missing" };
  }
}
