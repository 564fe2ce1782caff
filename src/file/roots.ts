import { lstat, realpath } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { isInsideFolder } from "../base/index.ts";
import type { DeniedPaths, IsClosed } from "./denied-paths.ts";
import { fromSystemError, fileFailure } from "./file-reasons.ts";
import { type ParsedPath, type PathUse, parsePathLeniently, quotePath } from "./parse-path.ts";
import { readShownPath } from "./show-path.ts";

/** A folder that is open to tools. */
export interface FileRoot {
  readonly path: string;
  /** True if files may be written there. */
  readonly write: boolean;
}

/** The target of a path: a root and the names below it. */
export interface RootedPath {
  /** The root as it really is. */
  readonly base: string;
  readonly names: readonly string[];
  /** The path as callers write it: below the first root relative, else absolute. */
  readonly display: string;
}

interface RealRoot extends FileRoot {
  readonly real: string;
}

/** The open folders, as they are at this moment. */
export class Roots {
  readonly #roots: readonly RealRoot[];
  readonly #first: FileRoot | undefined;
  readonly isClosed: IsClosed;

  private constructor(roots: readonly RealRoot[], first: FileRoot | undefined, isClosed: IsClosed) {
    this.#roots = roots;
    this.#first = first;
    this.isClosed = isClosed;
  }

  /** Resolves the roots. Done for every operation: a folder may have been replaced by a link. */
  static async find(roots: readonly FileRoot[], denied: DeniedPaths): Promise<Roots> {
    const [isClosed, ...found] = await Promise.all([denied.find(), ...roots.map(findRoot)]);
    const real = found.filter((root) => root !== undefined);
    return new Roots(real, roots[0], isClosed);
  }

  /**
   * Resolves a path. Relative paths start at the first root; absolute ones must be inside one of them. Existing entries
   * are found by any name, and also by its displayed form; a new name must be valid on every system.
   */
  async resolve(path: unknown, use: PathUse): Promise<RootedPath> {
    const { odd, ...parts } = parsePathLeniently(path);
    const resolved = typeof path === "string" ? readShownPath(path) : undefined;
    if (resolved !== undefined) {
      const rootedPath = this.#locate(parsePathLeniently(resolved));
      if (await isThere(rootedPath, rootedPath.names.length)) return rootedPath;
    }
    if (odd === undefined) return this.#locate(parts);
    // On Windows, such a name would be parsed as a path.
    if (process.platform === "win32") throw odd.objection(use);
    const rootedPath = this.#locate(parts);
    if (await isThere(rootedPath, odd.at + 1)) return rootedPath;
    throw odd.objection(use);
  }

  #locate({ absolute, names }: ParsedPath): RootedPath {
    if (this.#first === undefined) {
      const advice =
        "to open one, give the tools `files`, such as createFileAccess({ roots: [{ path, write: true }] })";
      throw fileFailure("no_folder", `no folder is open; ${advice}`, { forModel: "no folder is open to tools here" });
    }
    const [first] = this.#roots;
    if (first === undefined || resolve(this.#first.path) !== first.path) {
      throw fileFailure("not_found", `the folder ${quotePath(this.#first.path)} does not exist; make it first`);
    }
    if (!absolute) return { base: first.real, names, display: names.join("/") || "." };
    const full = sep + names.join(sep);
    const root = this.#roots.find((root) => isInsideFolder(full, root.path) || isInsideFolder(full, root.real));
    if (root === undefined) {
      throw fileFailure("absolute", `${quotePath(full)} is in none of the open folders; write a relative path`);
    }
    const below = relative(isInsideFolder(full, root.path) ? root.path : root.real, full);
    const rest = below.split(sep).filter((name) => name !== "");
    return { base: root.real, names: rest, display: this.#show(root, rest) };
  }

  /** A real path as callers write it; undefined outside of the roots. */
  shown(real: string): string | undefined {
    const root = this.#around(real);
    return root && this.#show(root, relative(root.real, real).split(sep).filter(Boolean));
  }

  #show(root: RealRoot, names: readonly string[]): string {
    return root === this.#roots[0] ? names.join("/") || "." : join(root.path, ...names);
  }

  /** Real path after following every link; it must be in a root, and not in a closed folder. */
  async follow({ base, names, display }: RootedPath): Promise<string> {
    let real: string;
    try {
      real = await realpath(join(base, ...names));
    } catch (error) {
      throw fromSystemError(error, quotePath(display));
    }
    this.check(real, display);
    return real;
  }

  /** Refuses a real path outside the roots, or in a closed folder. */
  check(real: string, path: string): void {
    this.#rootOf(real, path);
  }

  /** The same, and refuses roots that are open for reading only. */
  checkWritable(real: string, path: string): void {
    const root = this.#rootOf(real, path);
    if (!root.write) {
      throw fileFailure("read_only", `${quotePath(path)} is in a folder that is open for reading only`);
    }
  }

  /** True if this real path is one of the roots. */
  isRoot(real: string): boolean {
    return this.#roots.some((root) => root.real === real);
  }

  /** The innermost root around a real path: a nested root decides for its content. */
  #around(real: string): RealRoot | undefined {
    const around = this.#roots.filter((root) => isInsideFolder(real, root.real));
    return around.toSorted((a, b) => b.real.length - a.real.length)[0];
  }

  /** The same; refuses a path that is outside of all, or closed. */
  #rootOf(real: string, path: string): RealRoot {
    const root = this.#around(real);
    if (root === undefined) {
      throw fileFailure("outside_root", `${quotePath(path)} leads out of the open folders through a link`);
    }
    let realPath = root.real;
    for (const name of relative(root.real, real).split(sep)) {
      if (name === "") continue;
      realPath = join(realPath, name);
      if (!this.isClosed(realPath)) continue;
      const location = realPath === real ? "is" : `is in ${quotePath(name)}, which is`;
      throw fileFailure("path_denied", `${quotePath(path)} ${location} closed to tools, because it may hold secrets`);
    }
    return root;
  }
}

async function findRoot(root: FileRoot): Promise<RealRoot | undefined> {
  const path = resolve(root.path);
  const real = await realpath(path).catch(() => undefined);
  return real === undefined ? undefined : { ...root, path, real };
}

/** True if the first `count` names exist. */
async function isThere({ base, names }: RootedPath, count: number): Promise<boolean> {
  return await lstat(join(base, ...names.slice(0, count))).then(
    () => true,
    () => false,
  );
}
