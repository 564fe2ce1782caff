import { definedOnly } from "../../base/index.ts";
import { type EntryType, type FileAccess, showUserPath, showPath } from "../../file/index.ts";
import { trimPath } from "./vault-deps.ts";

/** Something in a tree of files. */
export interface TreeNode {
  /** As it is shown; paths of such names lead to it. */
  readonly name: string;
  /** A link is listed but never followed. */
  readonly type: EntryType;
  /** Size of a file, in bytes. */
  readonly size?: number;
  /** Children of a folder; undefined if the tree ends above its content. */
  readonly children?: readonly TreeNode[];
}

/** Which part of the files to show. */
export interface FileTreeOptions {
  /** A folder. Default: the whole vault. */
  readonly path?: string;
  /** Maximum depth in folders. Default: 5. */
  readonly depth?: number;
  /** Maximum number of files and folders. Default: 1,000. */
  readonly maxEntries?: number;
  /** Folders only. */
  readonly foldersOnly?: boolean;
  readonly signal?: AbortSignal;
}

/** Files and folders, sorted, folders first. */
export interface FileTree {
  readonly path: string;
  readonly tree: readonly TreeNode[];
  readonly files: number;
  readonly folders: number;
  /** There are more entries than the limit allows. */
  readonly truncated: boolean;
}

interface Entry {
  readonly path: string;
  readonly name: string;
  readonly type: EntryType;
  readonly size: number | undefined;
}

/**
 * Lists the structure of a folder up to the limits, without hidden entries and those that `.gitignore` files exclude.
 */
export async function fileTree(files: FileAccess, options: FileTreeOptions = {}): Promise<FileTree> {
  const path = trimPath(options.path ?? "");
  const { found, truncated } = await collect(files, path, options);
  const folders = found.filter(({ type }) => type === "folder").length;
  return {
    path: path === "" ? "." : showUserPath(path),
    tree: nodesOf(
      // The first entry is in the folder itself, so its parent has the canonical form of the requested path.
      parentOf(found[0]?.path ?? ""),
      Map.groupBy(found, (entry) => parentOf(entry.path)),
    ),
    files: found.length - folders,
    folders,
    truncated,
  };
}

async function collect(
  files: FileAccess,
  path: string,
  options: FileTreeOptions,
): Promise<{ readonly found: readonly Entry[]; readonly truncated: boolean }> {
  const { maxEntries = 1000, foldersOnly = false } = options;
  const found: Entry[] = [];
  const walk = walkFor(files, path, options);
  for (let step = await walk.next(); ; step = await walk.next()) {
    if (step.done === true) return { found, truncated: step.value.truncated };
    const { type, name, path: at } = step.value;
    if (foldersOnly && type !== "folder") continue;
    if (found.length >= maxEntries) {
      await walk.return({ entries: 0, truncated: true, unreadable: [] });
      return { found, truncated: true };
    }
    const size = type === "file" ? (await step.value.facts())?.size : undefined;
    found.push({ path: at, name, type, size });
  }
}

function walkFor(files: FileAccess, path: string, options: FileTreeOptions): ReturnType<FileAccess["walk"]> {
  const { depth = 5, maxEntries = 1000, foldersOnly = false, signal } = options;
  // The walk also counts the files that are filtered out here.
  const max = foldersOnly ? 1_000_000 : maxEntries;
  return files.walk(path === "" ? "." : path, { maxDepth: depth, maxEntries: max, signal });
}

function parentOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
}

/** As deep as the walk went, which is bounded. */
function nodesOf(folder: string, byFolder: ReadonlyMap<string, readonly Entry[]>): TreeNode[] {
  const nodes = (byFolder.get(folder) ?? []).map(({ path, name, type, size }): TreeNode => {
    const children = byFolder.has(path) ? nodesOf(path, byFolder) : undefined;
    return {
      name: showPath(name),
      type,
      ...definedOnly({ size, children }),
    };
  });
  const rank = ({ type }: TreeNode): number => (type === "folder" ? 0 : 1);
  return nodes.sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
}
