import type { BigIntStats, Dirent } from "node:fs";
import { lstat, readdir, readlink, realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";
import { fileFailure } from "./file-reasons.ts";
import { quotePath } from "./parse-path.ts";

/** A file or a folder that tools can read and never write, because the program executes or obeys it. */
export interface ControlPath {
  /** Absolute, existing or not; a folder stands for everything in it. A name without `/` matches at any depth. */
  readonly path: string;
  /** Its role, for messages, such as `the settings of the workspace`. */
  readonly role: string;
  /** Advice to open it for writing; undefined if it is never opened. */
  readonly hint?: string;
  /** Only a file counts, not a folder of this name. */
  readonly onlyFile?: boolean;
  /** Of a folder, only the files with such a name. */
  readonly only?: RegExp;
  /** Links in this folder are followed: their targets are control files too. */
  readonly followLinks?: boolean;
}

/** A control path as it is at this moment. */
interface FoundControl {
  readonly control: ControlPath;
  /** The path and the real path, folded. */
  readonly paths: readonly string[];
  /** Device and inode; undefined if nothing exists there. */
  readonly id: string | undefined;
}

/**
 * The control files, as they are at this moment. They are compared by real path, regardless of case, and by inode: a
 * second name of the same file or folder does not open it.
 */
export class ControlFiles {
  readonly #found: readonly FoundControl[];

  private constructor(found: readonly FoundControl[]) {
    this.#found = found;
  }

  /** Resolves the paths. Done for every write: links may have been made since the last one. */
  static async find(paths: readonly ControlPath[]): Promise<ControlFiles> {
    const found = await Promise.all(paths.map(findControl));
    return new ControlFiles(found.flat());
  }

  /** Refuses a real path that is a control file, or lies in a folder of them. Nothing needs to exist there. */
  check(real: string, path: string, type: "file" | "folder" = "file"): void {
    const folded = fold(real);
    this.#refuse(path, ({ control, paths }) => {
      const isInside = (one: string): boolean => control.onlyFile !== true && folded.startsWith(`${one}/`);
      const isNamed = (one: string): boolean => !one.includes("/") && nameOf(folded) === one;
      if (type === "folder" && control.onlyFile === true) return false;
      return isOfName(control, folded) && paths.some((one) => folded === one || isInside(one) || isNamed(one));
    });
  }

  /** The same by the inodes of the file and of the folders around it, for other names of the same files. */
  async checkIdentity(real: string, path: string): Promise<void> {
    const ids = new Set(this.#found.flatMap(({ id }) => id ?? []));
    if (ids.size === 0) return;
    for (let at = real; ; at = dirname(at)) {
      const stats = await lstat(at, { bigint: true }).catch(() => undefined);
      const id = stats && idOf(stats);
      if (id !== undefined && ids.has(id))
        this.#refuse(path, (one) => one.id === id && isOfName(one.control, fold(real)));
      if (at === dirname(at)) return;
    }
  }

  #refuse(path: string, isIt: (found: FoundControl) => boolean): void {
    // One that is never opened decides, if the path belongs to several.
    const found = this.#found.filter(isIt);
    const control = (found.find((one) => one.control.hint === undefined) ?? found[0])?.control;
    if (control === undefined) return;
    const why = `${quotePath(path)} belongs to ${control.role}, a control file that tools cannot write`;
    throw fileFailure("control_file", `${why}; ${control.hint ?? "edit it yourself"}`, {
      forModel: `${why}; choose another path`,
    });
  }
}

/** A path as case-insensitive and normalizing disks compare it. */
function fold(path: string): string {
  return (sep === "/" ? path : path.replaceAll(sep, "/")).normalize("NFKC").toLowerCase();
}

function nameOf(folded: string): string {
  return folded.slice(folded.lastIndexOf("/") + 1);
}

function isOfName({ only }: ControlPath, folded: string): boolean {
  return only === undefined || only.test(nameOf(folded));
}

function idOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

async function findControl(control: ControlPath): Promise<FoundControl[]> {
  const { path } = control;
  if (!isAbsolute(path)) return [{ control, paths: [fold(path)], id: undefined }];
  const real = await realPathOf(path);
  const stats = await stat(real, { bigint: true }).catch(() => undefined);
  if (control.onlyFile === true && stats?.isDirectory() === true) return [];
  const own = { control, paths: [fold(path), fold(real)], id: stats && idOf(stats) };
  if (control.followLinks !== true || stats?.isDirectory() !== true) return [own];
  const targets = await linkTargets(real, new Set([real]));
  return [
    own,
    ...(
      await Promise.all(targets.map((target) => findControl({ ...control, path: target, followLinks: false })))
    ).flat(),
  ];
}

/** Real paths that the links in a folder lead to, including links in the folders that they lead to. */
async function linkTargets(folder: string, seen: Set<string>): Promise<string[]> {
  const targets: string[] = [];
  const entries: Dirent[] = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = join(folder, entry.name);
    const real = entry.isSymbolicLink() ? await realPathOf(path) : path;
    if (real !== path) targets.push(real);
    if (seen.has(real) || basename(real) === "node_modules") continue;
    seen.add(real);
    const isFolder = entry.isDirectory() || (real !== path && (await stat(real).catch(() => undefined))?.isDirectory());
    if (isFolder === true) targets.push(...(await linkTargets(real, seen)));
  }
  return targets;
}

/** Links of links that are followed to a file that does not exist. */
const maxLinks = 40;

/** Real path of a file that need not exist: links are followed as far as they lead. */
export async function realPathOf(path: string, links = 0): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    if (parent === path || links > maxLinks) return path;
    // A link that leads to nothing yet: its target may be made.
    const target = await readlink(path).catch(() => undefined);
    if (target !== undefined) return realPathOf(resolve(parent, target), links + 1);
    return join(await realPathOf(parent, links), basename(path));
  }
}
