import type { BigIntStats, Dirent } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";

/** A file that may hold tools. */
export interface ScannedFile {
  readonly path: string;
  /** Relative to the workspace, with `/` on every system. */
  readonly name: string;
  readonly kind: "yaml" | "code";
  /** Changes whenever the file does. */
  readonly stamp: string;
  /** A link leads out of the workspace. */
  readonly outside: boolean;
}

/** Deeper folders are not looked into. */
const maxDepth = 16;

/** Finds tool files in a folder and its folders, in a fixed order. A folder that does not exist is empty. */
export async function scanFolder(dir: string, root: string): Promise<ScannedFile[]> {
  const realRoot = await realpath(root).catch(() => root);
  const files: ScannedFile[] = [];
  const visit = async (folder: string, depth: number): Promise<void> => {
    for (const entry of await list(folder)) {
      const path = join(folder, entry.name);
      if (isIgnored(entry.name)) continue;
      if (entry.isDirectory()) {
        if (depth < maxDepth) await visit(path, depth + 1);
        continue;
      }
      const kind = kindOf(entry.name);
      const stamp = kind && (await stampOf(path));
      if (kind === undefined || stamp === undefined) continue;
      const outside = entry.isSymbolicLink() && !(await isInside(path, realRoot));
      files.push({ path, name: relative(root, path).split(sep).join("/"), kind, stamp, outside });
    }
  };
  await visit(dir, 0);
  return files.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Identifies the present content of a file as closely as the file system can; undefined where there is none. */
export async function stampOf(path: string): Promise<string | undefined> {
  const found: BigIntStats | undefined = await stat(path, { bigint: true }).catch(() => undefined);
  return found?.isFile() === true ? `${found.mtimeNs}.${found.ctimeNs}.${found.size}.${found.ino}` : undefined;
}

/** Hidden files, dependencies, drafts (`_x.yaml`) and tests hold no tools. */
function isIgnored(name: string): boolean {
  return /^[._]/.test(name) || name === "node_modules" || /\.(?:test|spec|bench|d)\.[cm]?[jt]s$/.test(name);
}

function kindOf(name: string): ScannedFile["kind"] | undefined {
  if (/\.ya?ml$/i.test(name)) return "yaml";
  return /\.(?:ts|mts|js|mjs)$/.test(name) ? "code" : undefined;
}

async function list(folder: string): Promise<Dirent[]> {
  return await readdir(folder, { withFileTypes: true }).catch(() => []);
}

async function isInside(path: string, realRoot: string): Promise<boolean> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) return false;
  const way = relative(realRoot, real);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
