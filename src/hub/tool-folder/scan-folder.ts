import type { BigIntStats, Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { resolveRealPath } from "../../base/index.ts";
import type { Problem } from "../../text/index.ts";
import type { ToolFileLocation } from "./load-tool-file.ts";

/** A file that may contain tools or chains. */
export interface ScannedFile extends ToolFileLocation {
  /** Changes whenever the file does. */
  readonly stamp: string;
  /** A link leads out of the workspace. */
  readonly outside: boolean;
}

/** Deeper folders are not looked into. */
const maxDepth = 16;

/** Content of a folder. */
export interface ScannedFolder {
  readonly files: readonly ScannedFile[];
  /** Skipped entries, with the reason. */
  readonly problems: readonly Problem[];
}

/** Finds YAML and code in a folder and its folders, in a fixed order. A folder that does not exist is empty. */
export async function scanFolder(dir: string, root: string): Promise<ScannedFolder> {
  const nameOf = (path: string): string => workspacePath(root, path);
  if ((await resolveRealPath(dir, root)).kind === "outside")
    return { files: [], problems: [isLinkOutside(nameOf(dir))] };
  const files: ScannedFile[] = [];
  const problems: Problem[] = [];
  const visit = async (folder: string, depth: number): Promise<void> => {
    for (const entry of await readDirectory(folder)) {
      const path = join(folder, entry.name);
      if (isSkippedFile(entry.name)) continue;
      if (entry.isDirectory()) {
        if (depth < maxDepth) await visit(path, depth + 1);
        continue;
      }
      if (entry.isSymbolicLink() && (await isFolder(path))) {
        problems.push(linkedFolder(nameOf(path)));
        continue;
      }
      const file = await scanFile(folder, entry, root);
      if (file !== undefined) files.push(file);
    }
  };
  await visit(dir, 0);
  return { files: files.sort((a, b) => (a.name < b.name ? -1 : 1)), problems };
}

/** An entry of a folder as a file that may contain tools; undefined if it cannot. */
export async function scanFile(folder: string, entry: Dirent, root: string): Promise<ScannedFile | undefined> {
  const path = join(folder, entry.name);
  const kind = isSkippedFile(entry.name) ? undefined : kindOf(entry.name);
  const stamp = kind && (await fileStamp(path));
  if (kind === undefined || stamp === undefined) return undefined;
  const outside = entry.isSymbolicLink() && (await resolveRealPath(path, root)).kind !== "inside";
  return { path, name: workspacePath(root, path), kind, stamp, outside };
}

/** The path in problems: relative to the workspace, with `/` on every system. */
export function workspacePath(root: string, path: string): string {
  return relative(root, path).split(sep).join("/") || ".";
}

/** Identifies the current content of a file as closely as the file system can; undefined if there is none. */
export async function fileStamp(path: string): Promise<string | undefined> {
  const found: BigIntStats | undefined = await stat(path, { bigint: true }).catch(() => undefined);
  return found?.isFile() === true ? `${found.mtimeNs}.${found.ctimeNs}.${found.size}.${found.ino}` : undefined;
}

/** Hidden files, dependencies, drafts (`_x.yaml`) and tests contain no tools. */
export function isSkippedFile(name: string): boolean {
  return /^[._]/.test(name) || name === "node_modules" || /\.(?:test|spec|bench|d)\.[cm]?[jt]s$/.test(name);
}

function kindOf(name: string): ScannedFile["kind"] | undefined {
  if (/\.ya?ml$/i.test(name)) return "yaml";
  return /\.(?:ts|mts|js|mjs)$/.test(name) ? "code" : undefined;
}

/** The entries of a folder; empty if there is no such folder. */
export async function readDirectory(folder: string): Promise<Dirent[]> {
  return await readdir(folder, { withFileTypes: true }).catch(() => []);
}

/** True if there is a folder at this path, possibly behind a link. */
export async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** A folder that is a link out of the workspace. */
export function isLinkOutside(file: string): Problem {
  const message = "the folder is a link that leads out of the workspace; nothing is loaded from it";
  const hint = "put a folder in its place";
  return { severity: "error", code: "outside_workspace", message, hint, file, line: 1, column: 1 };
}

function linkedFolder(file: string): Problem {
  const message = "a linked folder is skipped; its files are not loaded";
  const hint = "put a folder in its place, or link the files one by one";
  return { severity: "warning", code: "linked_folder", message, hint, file, line: 1, column: 1 };
}
