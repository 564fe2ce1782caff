import { type EntryType, type FileDoor, showGivenPath, showPath } from "../../file/index.ts";
import { trimPath } from "./vault-parts.ts";

/** Something in a tree of files. */
export interface TreeNode {
  /** As it is shown; paths of such names lead to it. */
  readonly name: string;
  /** A link is told of, and never followed. */
  readonly type: EntryType;
  /** Of a file, in bytes. */
  readonly size?: number;
  /** Of a folder; absent where the tree ends above its content. */
  readonly children?: readonly TreeNode[];
}

/** Which part of the files to show. */
export interface FileTreeOptions {
  /** A folder; the whole where absent. */
  readonly path?: string;
  /** How many folders deep; 5 where absent. */
  readonly depth?: number;
  /** At most this many files and folders; 1,000 where absent. */
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
  /** There is more than was asked for. */
  readonly truncated: boolean;
}

interface Entry {
  readonly path: string;
  readonly name: string;
  readonly type: EntryType;
  readonly size: number | undefined;
}

/** The structure of a folder, as `.gitignore` files allow, without anything hidden, and never more than was asked for. */
export async function fileTree(files: FileDoor, options: FileTreeOptions = {}): Promise<FileTree> {
  const path = trimPath(options.path ?? "");
  const { found, truncated } = await collect(files, path, options);
  const folders = found.filter(({ type }) => type === "folder").length;
  return {
    path: path === "" ? "." : showGivenPath(path),
    tree: nodesOf(
      // The first of all is in the folder itself, by whichever form of its name that was asked for.
      parentOf(found[0]?.path ?? ""),
      Map.groupBy(found, (entry) => parentOf(entry.path)),
    ),
    files: found.length - folders,
    folders,
    truncated,
  };
}

interface Collected {
  readonly found: readonly Entry[];
  readonly truncated: boolean;
}

async function collect(files: FileDoor, path: string, options: FileTreeOptions): Promise<Collected> {
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

function walkFor(files: FileDoor, path: string, options: FileTreeOptions): ReturnType<FileDoor["walk"]> {
  const { depth = 5, maxEntries = 1000, foldersOnly = false, signal } = options;
  // What is left out here the walk counts all the same.
  const most = foldersOnly ? 1_000_000 : maxEntries;
  return files.walk(path === "" ? "." : path, { maxDepth: depth, maxEntries: most, signal });
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
      ...(size !== undefined && { size }),
      ...(children !== undefined && { children }),
    };
  });
  const rank = ({ type }: TreeNode): number => (type === "folder" ? 0 : 1);
  return nodes.sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
}
