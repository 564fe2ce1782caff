import { mapMembers } from "../base/index.ts";
import { formats } from "./format.ts";
import { isStandardSchema } from "./standard-schema.ts";
import { isAsyncZod, type ZodNode, childNodes, innerNode, nodesOf, shapeOf } from "./zod-node.ts";

/**
 * Converts JSON values to the types that a schema expects: text to dates and big integers, only where the schema has
 * them.
 */
export type Revive = (value: unknown) => unknown;

/** The revival that a Zod schema needs, or undefined if it expects nothing that JSON cannot carry. */
export function zodRevival(schema: ZodNode): Revive | undefined {
  return needsRevival(schema) ? (value) => new Revival().revive(schema, value) : undefined;
}

const needs = new WeakMap<ZodNode, boolean>();

function needsRevival(node: ZodNode): boolean {
  let needed = needs.get(node);
  if (needed === undefined) {
    needed = reaches(node, new Set());
    needs.set(node, needed);
  }
  return needed;
}

function reaches(node: ZodNode, visited: Set<ZodNode>): boolean {
  if (visited.has(node)) return false;
  visited.add(node);
  return isRevived(node) || childNodes(node).some((child) => reaches(child, visited));
}

function isRevived(node: ZodNode): boolean {
  const { type, values } = node._zod.def;
  return type === "date" || type === "bigint" || (type === "literal" && bigLiterals(values).length > 0);
}

/** A single traversal of one value. Unchanged parts are shared with the original. */
class Revival {
  /** In a recursive union every form requests the same part again: without this cache, exponentially often. */
  readonly #done = new Map<ZodNode, Map<unknown, unknown>>();

  revive(node: ZodNode, value: unknown): unknown {
    if (value === null || value === undefined || !needsRevival(node)) return value;
    const inner = innerNode(node);
    return inner === undefined ? this.#reviveOwn(node, value) : this.revive(inner, value);
  }

  #reviveOwn(node: ZodNode, value: unknown): unknown {
    const { def } = node._zod;
    switch (def.type) {
      case "date":
        return typeof value === "string" ? reviveDate(value) : value;
      case "bigint":
        return reviveBigInt(value);
      case "literal":
        return bigLiterals(def["values"]).find((literal) => literal === reviveBigInt(value)) ?? value;
      case "intersection":
        return nodesOf(def["left"], def["right"]).reduce<unknown>((current, side) => this.revive(side, current), value);
      case "union":
        return this.#remember(node, value, () => this.#union(nodesOf(def["options"]), value));
      default:
        return typeof value === "object" && value !== null ? this.#inside(node, value) : value;
    }
  }

  #inside(node: ZodNode, value: object): unknown {
    const { def } = node._zod;
    if (Array.isArray(value)) {
      if (def.type === "array") return this.#members(value, () => nodesOf(def["element"])[0]);
      if (def.type !== "tuple") return value;
      const items = nodesOf(def["items"]);
      return this.#members(value, (index) => items[Number(index)] ?? nodesOf(def["rest"])[0]);
    }
    if (def.type === "record") return this.#members(value, () => nodesOf(def["valueType"])[0]);
    if (def.type !== "object") return value;
    const shape = shapeOf(def);
    return this.#members(value, (key) => nodesOf(Object.hasOwn(shape, key) ? shape[String(key)] : def["catchall"])[0]);
  }

  #members(value: object, nodeOf: (key: string | number) => ZodNode | undefined): unknown {
    return mapMembers(value, (item, key) => {
      const node = nodeOf(key);
      return node === undefined ? item : this.revive(node, item);
    });
  }

  /** The first form that matches, in the order of the schema; if none does, the one with the fewest issues. */
  #union(options: readonly ZodNode[], value: unknown): unknown {
    let best = value;
    let fewest = Infinity;
    for (const option of options) {
      const revived = this.revive(option, value);
      const complaints = countIssues(option, revived);
      if (complaints === 0) return revived;
      if (complaints < fewest) {
        fewest = complaints;
        best = revived;
      }
    }
    return best;
  }

  #remember(node: ZodNode, value: unknown, work: () => unknown): unknown {
    if (typeof value !== "object") return work();
    const known = this.#done.get(node) ?? new Map<unknown, unknown>();
    this.#done.set(node, known);
    if (!known.has(value)) known.set(value, work());
    return known.get(value);
  }
}

/** Number of issues that a form has with a value. An asynchronous form cannot be checked here and counts as fitting. */
function countIssues(option: ZodNode, value: unknown): number {
  if (!isStandardSchema(option) || isAsyncZod(option)) return 0;
  const result = option["~standard"].validate(value);
  if (!(result instanceof Promise)) return result.issues?.length ?? 0;
  result.catch(() => undefined);
  return 0;
}

/** A date-time without an offset is read as UTC, so that the same call has the same meaning everywhere. */
function reviveDate(text: string): unknown {
  const isDate = formats["date"]?.(text) === true;
  const complete = isDate || formats["date-time"]?.(text) === true ? text : `${text}Z`;
  if (!isDate && formats["date-time"]?.(complete) !== true) return text;
  const date = new Date(complete.replace(" ", "T"));
  return Number.isNaN(date.getTime()) ? text : date;
}

/** Text of any length, and numbers within the exact range of JSON. */
function reviveBigInt(value: unknown): unknown {
  if (typeof value === "string" && /^-?\d{1,1000}$/.test(value)) return BigInt(value);
  return Number.isSafeInteger(value) ? BigInt(Number(value)) : value;
}

function bigLiterals(values: unknown): bigint[] {
  return Array.isArray(values) ? values.filter((value) => typeof value === "bigint") : [];
}
