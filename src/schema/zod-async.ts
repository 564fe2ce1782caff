import type { StandardResult } from "./standard-schema.ts";
import { type ZodNode, isZodNode } from "./zod-node.ts";

/** Validates asynchronously from the start. */
export type AsyncCheck = (value: unknown) => Promise<StandardResult<unknown>>;

/**
 * True if a Zod schema contains an `async` function. Zod would try it synchronously first, drop its promise and run
 * everything again: twice the work, and a dropped promise that rejects ends the process.
 */
export function isAsyncZod(node: ZodNode): boolean {
  let found = known.get(node);
  if (found === undefined) {
    found = reachesAsync(node, new Set());
    known.set(node, found);
  }
  return found;
}

const known = new WeakMap<ZodNode, boolean>();

/** The asynchronous entry point of a Zod schema, if this version has one. */
export function asyncZodCheck(schema: unknown): AsyncCheck | undefined {
  if (!isZodNode(schema)) return undefined;
  const parse: unknown = Reflect.get(schema, "safeParseAsync");
  if (typeof parse !== "function") return undefined;
  return async (value) => {
    const result = (await Reflect.apply(parse, schema, [value])) as Parsed;
    return result.success ? { value: result.data } : { issues: result.error.issues };
  };
}

/** Result of Zod's `safeParseAsync`. */
type Parsed =
  | { readonly success: true; readonly data: unknown }
  | { readonly success: false; readonly error: { readonly issues: readonly { readonly message: string }[] } };

function reachesAsync(value: unknown, visited: Set<unknown>): boolean {
  if (isAsyncFunction(value)) return true;
  if (typeof value !== "object" || value === null || visited.has(value)) return false;
  visited.add(value);
  if (Array.isArray(value)) return value.some((item) => reachesAsync(item, visited));
  if (!isZodNode(value)) return isPlain(value) && Object.values(value).some((item) => reachesAsync(item, visited));
  const { def, innerType } = value._zod;
  return reachesAsync(innerType, visited) || Object.keys(def).some((key) => reachesAsync(fieldOf(def, key), visited));
}

/** Checks are not schemas, but store their definition in the same property. */
function isPlain(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype;
}

function fieldOf(def: object, key: string): unknown {
  // A default may be a getter with side effects, and holds no functions that Zod would call.
  return key === "defaultValue" ? undefined : Reflect.get(def, key);
}

function isAsyncFunction(value: unknown): boolean {
  return typeof value === "function" && value.constructor.name === "AsyncFunction";
}
