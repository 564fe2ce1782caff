import type { StandardResult } from "./standard-schema.ts";

/** The part of a Zod 4 schema that Windlass reads: its definition. Zod keeps it stable for tools that walk schemas. */
export interface ZodNode {
  readonly _zod: { readonly def: ZodDef; readonly innerType?: unknown };
}

/** The definition of a Zod schema; its fields depend on `type`. */
export interface ZodDef {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** True if this is a Zod 4 schema, classic or mini. */
export function isZodNode(value: unknown): value is ZodNode {
  if (typeof value !== "object" || value === null || !("_zod" in value)) return false;
  const { _zod: internals } = value;
  if (typeof internals !== "object" || internals === null || !("def" in internals)) return false;
  const { def } = internals;
  return typeof def === "object" && def !== null && "type" in def && typeof def.type === "string";
}

const wrappers = new Set("optional nullable default prefault catch readonly nonoptional success promise".split(" "));

/** The schema that a wrapper such as `optional` or the first half of a pipe passes its input to. */
export function innerNode(node: ZodNode): ZodNode | undefined {
  const { def } = node._zod;
  if (wrappers.has(def.type)) return asNode(def["innerType"]);
  if (def.type === "lazy") return asNode(node._zod.innerType ?? callGetter(def["getter"]));
  // The input of a preprocess function is arbitrary, and its output must not be changed here.
  if (def.type === "pipe") return isTransform(def["in"]) ? undefined : asNode(def["in"]);
  return undefined;
}

/** Every schema that receives the input of this one or a part of it. */
export function childNodes(node: ZodNode): ZodNode[] {
  const inner = innerNode(node);
  if (inner !== undefined) return [inner];
  const { def } = node._zod;
  switch (def.type) {
    case "array":
      return nodesOf(def["element"]);
    case "object":
      return nodesOf(Object.values(shapeOf(def)), def["catchall"]);
    case "record":
      return nodesOf(def["valueType"]);
    case "tuple":
      return nodesOf(def["items"], def["rest"]);
    case "union":
      return nodesOf(def["options"]);
    case "intersection":
      return nodesOf(def["left"], def["right"]);
    default:
      return [];
  }
}

/** The declared keys of an object schema. */
export function shapeOf(def: ZodDef): Readonly<Record<string, unknown>> {
  const shape = def["shape"];
  // An object definition always has one; the cast adds the index signature it lacks.
  return typeof shape === "object" && shape !== null ? (shape as Record<string, unknown>) : {};
}

/** The Zod schemas among some values, with lists flattened. */
export function nodesOf(...values: readonly unknown[]): ZodNode[] {
  return values.flat().filter(isZodNode);
}

function asNode(value: unknown): ZodNode | undefined {
  return isZodNode(value) ? value : undefined;
}

function isTransform(value: unknown): boolean {
  return isZodNode(value) && value._zod.def.type === "transform";
}

function callGetter(getter: unknown): unknown {
  return typeof getter === "function" ? (getter as () => unknown)() : undefined;
}

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
  if (typeof value === "function" && value.constructor.name === "AsyncFunction") return true;
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
