import { lstat, realpath } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { isBelow } from "../base/index.ts";
import type { ClosedPlaces } from "./closed-places.ts";
import { fromSystem, refuseFile } from "./file-reasons.ts";
import { type PathParts, type PathUse, readPath, shown } from "./path-parts.ts";
import { readShownPath } from "./show-path.ts";

/** A folder that the door opens. */
export interface FileRoot {
  readonly path: string;
  /** May files be written there? */
  readonly write: boolean;
}

/** What a path asks for: a root and the names below it. */
export interface Wanted {
  /** The root as it really is. */
  readonly base: string;
  readonly names: readonly string[];
  /** The path as callers write it: below the first root relative, else absolute. */
  readonly shown: string;
}

interface RealRoot extends FileRoot {
  readonly real: string;
}

/** What of the open folders is closed all the same, and where that is at this moment. */
interface Closed {
  readonly places: ClosedPlaces;
  readonly paths: ReadonlySet<string>;
}

/** The open folders, as they are at this moment. */
export class Roots {
  readonly #roots: readonly RealRoot[];
  readonly #first: FileRoot | undefined;
  readonly #closed: Closed;

  private constructor(roots: readonly RealRoot[], first: FileRoot | undefined, closed: Closed) {
    this.#roots = roots;
    this.#first = first;
    this.#closed = closed;
  }

  /** Looks where the roots are. Asked for every piece of work: what was a folder may be a link by now. */
  static async find(roots: readonly FileRoot[], places: ClosedPlaces): Promise<Roots> {
    const [paths, ...found] = await Promise.all([places.find(), ...roots.map(findRoot)]);
    return new Roots(
      found.filter((root) => root !== undefined),
      roots[0],
      { places, paths },
    );
  }

  /**
   * What this path asks for. Relative paths start at the first root; absolute ones must name a place in one of them.
   * What is there is found by its name, whatever that is, and also by the form in which the name is shown; a name for
   * something new must be one that every system takes.
   */
  async want(path: unknown, use: PathUse): Promise<Wanted> {
    const { odd, ...parts } = readPath(path);
    const meant = typeof path === "string" ? readShownPath(path) : undefined;
    if (meant !== undefined) {
      const wanted = this.#place(readPath(meant));
      if (await isThere(wanted, wanted.names.length)) return wanted;
    }
    if (odd === undefined) return this.#place(parts);
    // A name that is a path elsewhere is no name there at all.
    if (process.platform === "win32") throw odd.objection(use);
    const wanted = this.#place(parts);
    if (await isThere(wanted, odd.at + 1)) return wanted;
    throw odd.objection(use);
  }

  #place({ absolute, names }: PathParts): Wanted {
    if (this.#first === undefined) {
      const advice = "to open one, give the tools `files`, such as createFileDoor({ roots: [{ path, write: true }] })";
      throw refuseFile("no_folder", `no folder is open; ${advice}`, { forModel: "no folder is open to tools here" });
    }
    const [first] = this.#roots;
    if (first === undefined || resolve(this.#first.path) !== first.path) {
      throw refuseFile("not_found", `the folder ${shown(this.#first.path)} does not exist; make it first`);
    }
    if (!absolute) return { base: first.real, names, shown: names.join("/") || "." };
    const full = sep + names.join(sep);
    const root = this.#roots.find((root) => isBelow(full, root.path) || isBelow(full, root.real));
    if (root === undefined) {
      throw refuseFile("absolute", `${shown(full)} is in none of the open folders; write a relative path`);
    }
    const below = relative(isBelow(full, root.path) ? root.path : root.real, full);
    const rest = below.split(sep).filter((name) => name !== "");
    return { base: root.real, names: rest, shown: this.#show(root, rest) };
  }

  #show(root: RealRoot, names: readonly string[]): string {
    return root === this.#roots[0] ? names.join("/") || "." : join(root.path, ...names);
  }

  /** Where a path really leads, every link followed; it must be in a root, and not in a closed folder. */
  async follow({ base, names, shown: path }: Wanted): Promise<string> {
    let real: string;
    try {
      real = await realpath(join(base, ...names));
    } catch (error) {
      throw fromSystem(error, shown(path));
    }
    this.check(real, path);
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
      throw refuseFile("read_only", `${shown(path)} is in a folder that is open for reading only`);
    }
  }

  /** Is this real path one of the roots themselves? */
  isRoot(real: string): boolean {
    return this.#roots.some((root) => root.real === real);
  }

  /** Is this real path one that is closed? What is in a closed folder is not asked for here. */
  isClosed(real: string): boolean {
    return this.#closed.places.closes(real, this.#closed.paths);
  }

  /** The innermost root around a real path: a root within a root decides for what is in it. */
  #rootOf(real: string, path: string): RealRoot {
    const around = this.#roots.filter((root) => isBelow(real, root.real));
    const root = around.toSorted((a, b) => b.real.length - a.real.length)[0];
    if (root === undefined) {
      throw refuseFile("outside_root", `${shown(path)} leads out of the open folders through a link`);
    }
    let place = root.real;
    for (const name of relative(root.real, real).split(sep)) {
      if (name === "") continue;
      place = join(place, name);
      if (!this.isClosed(place)) continue;
      const what = place === real ? "is" : `is in ${shown(name)}, which is`;
      throw refuseFile("closed", `${shown(path)} ${what} closed to tools, as all that may hold secrets`);
    }
    return root;
  }
}

async function findRoot(root: FileRoot): Promise<RealRoot | undefined> {
  const path = resolve(root.path);
  const real = await realpath(path).catch(() => undefined);
  return real === undefined ? undefined : { ...root, path, real };
}

/** Does something have the first so many of these names? */
async function isThere({ base, names }: Wanted, count: number): Promise<boolean> {
  return await lstat(join(base, ...names.slice(0, count))).then(
    () => true,
    () => false,
  );
}
