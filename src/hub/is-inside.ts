import { realpath } from "node:fs/promises";
import { isAbsolute, relative, sep } from "node:path";

/** Does this path lie in this folder, itself included? Only the words are looked at; `..name` is a name like others. */
export function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Does what is at this path lie in this folder once all links are followed? Undefined where there is nothing. */
export async function isInside(path: string, folder: string): Promise<boolean | undefined> {
  const [real, realFolder] = await Promise.all([realpath(path), realpath(folder)].map(orUndefined));
  return real === undefined ? undefined : isBelow(real, realFolder ?? folder);
}

function orUndefined(path: Promise<string>): Promise<string | undefined> {
  return path.catch(() => undefined);
}
