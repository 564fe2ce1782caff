import { readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isInsideFolder } from "../base/index.ts";

/** The real path of a folder outside of the workspace: it may be a link. */
export function folderOutside(folder: string | undefined, dir: string): string | undefined {
  if (folder === undefined) return undefined;
  const [path, root] = [realPathOf(resolve(dir, folder)), realPathOf(dir)];
  return isInsideFolder(path, root) ? undefined : path;
}

/** The real path of a folder that need not exist: links are followed as far as they lead. */
function realPathOf(path: string, links = 0): string {
  const parent = dirname(path);
  try {
    return realpathSync(path);
  } catch {
    if (parent === path || links > maxLinks) return path;
  }
  const target = linkTarget(path);
  return target === undefined
    ? join(realPathOf(parent, links), basename(path))
    : realPathOf(resolve(parent, target), links + 1);
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** Links may form a cycle. */
const maxLinks = 40;
