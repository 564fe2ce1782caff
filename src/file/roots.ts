import { realpath } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { isBelow } from "../base/index.ts";
import { fromSystem, refuseFile } from "./file-reasons.ts";
import { pathParts, shown } from "./path-parts.ts";

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

/** The open folders, as they are at this moment. */
export class Roots {
  readonly #roots: readonly RealRoot[];
  readonly #first: FileRoot | undefined;
  readonly #closed: ReadonlySet<string>;

  private constructor(roots: readonly RealRoot[], first: FileRoot | undefined, closed: ReadonlySet<string>) {
    this.#roots = roots;
    this.#first = first;
    this.#closed = closed;
  }

  /** Looks where the roots are. Asked for every piece of work: what was a folder may be a link by now. */
  static async find(roots: readonly FileRoot[], closed: ReadonlySet<string>): Promise<Roots> {
    const found = await Promise.all(
      roots.map(async (root): Promise<RealRoot | undefined> => {
        const path = resolve(root.path);
        const real = await realpath(path).catch(() => undefined);
        return real === undefined ? undefined : { ...root, path, real };
      }),
    );
    return new Roots(
      found.filter((root) => root !== undefined),
      roots[0],
      closed,
    );
  }

  /** What this path asks for. Relative paths start at the first root; absolute ones must name a place in one of them. */
  want(path: unknown): Wanted {
    const { absolute, names } = pathParts(path);
    const [first] = this.#roots;
    if (first === undefined || resolve(this.#first?.path ?? "") !== first.path) {
      throw refuseFile("not_found", `the folder ${shown(this.#first?.path ?? "")} does not exist; make it first`);
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

  /** Is this the name of a closed folder? Whatever its case: some disks take `.GIT` for `.git`. */
  isClosed(name: string): boolean {
    return this.#closed.has(name.toLowerCase());
  }

  /** The innermost root around a real path: a root within a root decides for what is in it. */
  #rootOf(real: string, path: string): RealRoot {
    const around = this.#roots.filter((root) => isBelow(real, root.real));
    const root = around.toSorted((a, b) => b.real.length - a.real.length)[0];
    if (root === undefined) {
      throw refuseFile("outside_root", `${shown(path)} leads out of the open folders through a link`);
    }
    const closed = relative(root.real, real)
      .split(sep)
      .find((name) => this.isClosed(name));
    if (closed !== undefined) {
      throw refuseFile("closed", `${shown(path)} is in ${closed}, which is closed to tools`);
    }
    return root;
  }
}
