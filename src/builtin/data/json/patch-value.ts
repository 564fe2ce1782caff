import { quoteText } from "../../../text/index.ts";
import { dataFailure } from "../data-reasons.ts";
import { dataLimits, OutputBudget } from "../data-limits.ts";
import { type Mutable, copyValue, isObject } from "./change-value.ts";
import { isSame } from "./diff-values.ts";
import { forbiddenKey } from "./read-data.ts";
import { getAt, pointerParts } from "./value-path.ts";

/** Maximum number of changes in one patch. */
const maxChanges = 10_000;

/**
 * Applies a JSON Patch (RFC 6902): add, remove, replace, move, copy, test. All or none: the first change that does not
 * apply fails, and the input value is never modified.
 */
export function patchValue(value: unknown, changes: unknown): unknown {
  if (!Array.isArray(changes)) throw badPatch("`patch` must be a list of changes such as { op, path, value }");
  if (changes.length > maxChanges) throw badPatch(`a patch may have at most ${maxChanges} changes`);
  // The root is wrapped in a list, so that it has a location like everything else.
  const root = [copyValue(value)];
  const budget = new OutputBudget(dataLimits.nodes, "values");
  for (const [index, change] of changes.entries()) new Change(index, change, budget).applyTo(root);
  return root[0];
}

class Change {
  readonly #where: string;
  readonly #change: Mutable;
  readonly #budget: OutputBudget;

  constructor(index: number, change: unknown, budget: OutputBudget) {
    this.#where = `change ${index} of the patch`;
    if (!isObject(change)) throw badPatch(`${this.#where} is not an object such as { op, path, value }`);
    this.#change = change;
    this.#budget = budget;
  }

  applyTo(root: unknown[]): void {
    const path = this.#pointer("path");
    switch (this.#change["op"]) {
      case "add":
        return this.#add(root, path, this.#value());
      case "remove":
        return void this.#remove(root, path);
      case "replace":
        this.#remove(root, path);
        return this.#add(root, path, this.#value());
      case "move":
        return this.#move(root, path);
      case "copy":
        return this.#add(root, path, this.#copyOf(this.#get(root, this.#pointer("from"))));
      case "test":
        if (isSame(this.#get(root, path), this.#change["value"])) return;
        throw this.#failed(`the value at ${this.#shown("path")} is not the one it tests for`);
      default:
        throw badPatch(`${this.#where} has no \`op\` of add, remove, replace, move, copy, test`);
    }
  }

  #move(root: unknown[], path: readonly string[]): void {
    const from = this.#pointer("from");
    if (from.length < path.length && from.every((part, at) => part === path[at])) {
      throw this.#failed(`${this.#shown("from")} cannot be moved into itself`);
    }
    this.#add(root, path, this.#remove(root, from));
  }

  /** Returns the parts of a pointer, after the index of the root. */
  #pointer(name: "path" | "from"): string[] {
    const pointer = this.#change[name];
    if (typeof pointer !== "string" || (pointer !== "" && !pointer.startsWith("/"))) {
      throw badPatch(`${this.#where} needs \`${name}\`, a JSON Pointer such as /items/0`);
    }
    const parts = pointerParts(pointer);
    if (parts.length > dataLimits.pathParts) throw badPatch(`${this.#where} has a path that is too long`);
    if (parts.includes("__proto__")) throw forbiddenKey("patch");
    return ["0", ...parts];
  }

  #value(): unknown {
    if (!Object.hasOwn(this.#change, "value")) throw badPatch(`${this.#where} needs \`value\``);
    return this.#copyOf(this.#change["value"]);
  }

  /** Copies a value within the budget: copies can double the size repeatedly. */
  #copyOf(value: unknown): unknown {
    const open = [{ item: value, depth: 0 }];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      this.#budget.spend(1);
      const { item, depth } = next;
      if (depth > dataLimits.depth) throw this.#failed("the copied value is nested too deep");
      if (typeof item !== "object" || item === null) continue;
      for (const inner of Object.values(item)) open.push({ item: inner, depth: depth + 1 });
    }
    return copyValue(value);
  }

  #get(root: unknown[], path: readonly string[]): unknown {
    const found = getAt(root, path);
    if (found === undefined)
      throw this.#failed(
        `there is nothing at ${path
          .slice(1)
          .map((part) => `/${part}`)
          .join("")}`,
      );
    return found.value;
  }

  #add(root: unknown[], path: readonly string[], value: unknown): void {
    const [location, last] = this.#locate(root, path);
    if (path.length === 1) root[0] = value;
    else if (Array.isArray(location)) location.splice(this.#index(location, last, location.length), 0, value);
    else location[last] = value;
  }

  #remove(root: unknown[], path: readonly string[]): unknown {
    const gone = this.#get(root, path);
    const [location, last] = this.#locate(root, path);
    if (path.length === 1) root[0] = null;
    else if (Array.isArray(location)) location.splice(this.#index(location, last, location.length - 1), 1);
    else delete location[last];
    return gone;
  }

  /** Returns the list or object that contains the location, and the last part of its path. */
  #locate(root: unknown[], path: readonly string[]): [unknown[] | Mutable, string] {
    const location = this.#get(root, path.slice(0, -1));
    if (Array.isArray(location) || isObject(location)) return [location, path.at(-1) ?? ""];
    throw this.#failed(`${this.#shown("path")} leads into a value without members`);
  }

  #index(list: readonly unknown[], part: string, max: number): number {
    const index = part === "-" ? list.length : /^(?:0|[1-9]\d{0,8})$/.test(part) ? Number(part) : Infinity;
    if (index > max) throw this.#failed(`a list of ${list.length} items has no index ${quoteText(part)}`);
    return index;
  }

  #shown(name: "path" | "from"): string {
    return quoteText(String(this.#change[name]));
  }

  #failed(why: string): Error {
    return dataFailure("patch_failed", `${this.#where} does not fit the data: ${why}`, { parameter: "patch" });
  }
}

function badPatch(message: string): Error {
  return dataFailure("bad_patch", message, { parameter: "patch" });
}
