import type { JsonSchema } from "./schema.ts";

/** A keyword contains one schema, a list of schemas or a map of them. */
export type HolderKind = "one" | "list" | "map";

/** The form in which keywords of JSON Schema contain other schemas; every other keyword contains plain data. */
const holders: Readonly<Record<string, HolderKind>> = {
  additionalItems: "one",
  additionalProperties: "one",
  contains: "one",
  contentSchema: "one",
  else: "one",
  if: "one",
  // Before 2020-12 `items` may also be a list.
  items: "one",
  not: "one",
  propertyNames: "one",
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema; a table is never awaited
  then: "one",
  unevaluatedItems: "one",
  unevaluatedProperties: "one",
  allOf: "list",
  anyOf: "list",
  oneOf: "list",
  prefixItems: "list",
  $defs: "map",
  definitions: "map",
  dependentSchemas: "map",
  // In draft-07 an entry may also be a list of names.
  dependencies: "map",
  patternProperties: "map",
  properties: "map",
};

/** Keywords whose schemas apply to the same value as the schema that contains them. */
export const sameValueKeywords: ReadonlySet<string> = new Set(
  "allOf anyOf oneOf not if then else dependentSchemas dependencies".split(" "),
);

/** A schema or a part of one: `true` accepts everything, `false` nothing. */
export type SubSchema = JsonSchema | boolean;

/** A plain object: no array, no null. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value if it is an object, otherwise an empty one; JSON of another program may have any form. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

/** The value if it is a list, otherwise an empty one. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The texts of a list. */
export function textsOf(value: unknown): string[] {
  return listOf(value).filter((item) => typeof item === "string");
}

/** The value if it is a text, otherwise an empty one. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The own value of a key; undefined without such an object or key. */
export function ownValue(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The JSON type of a value: `array`, `null`, or what `typeof` says. */
export function jsonTypeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** A schema of arguments, with `type: "object"`, which many leave out. */
export function objectSchema(schema: JsonSchema): JsonSchema {
  const says = ["type", "$ref", "allOf", "anyOf", "oneOf"].some((key) => Object.hasOwn(schema, key));
  return says ? schema : { ...schema, type: "object" };
}

/** The schemas of the declared keys, by name; empty if there are none. */
export function propertiesOf({ properties }: JsonSchema): Readonly<Record<string, unknown>> {
  return recordOf(properties);
}

/** True if the value is valid in the position of a schema. */
export function isSubSchema(value: unknown): value is SubSchema {
  return typeof value === "boolean" || isRecord(value);
}

/** True if this schema accepts no value at all. */
export function isImpossible(schema: unknown): boolean {
  if (!isRecord(schema)) return schema === false;
  return schema["not"] === true || (isRecord(schema["not"]) && Object.keys(schema["not"]).length === 0);
}

/** One schema inside another, and where: `["properties", "url"]`. */
export interface SubSchemaAt {
  readonly schema: SubSchema;
  readonly path: readonly (string | number)[];
}

/** The schemas directly inside a schema. */
export function subSchemas(schema: JsonSchema): SubSchemaAt[] {
  const found: SubSchemaAt[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    const kind = holderOf(keyword);
    if (kind === undefined) continue;
    if (kind !== "map" && isSubSchema(value)) found.push({ schema: value, path: [keyword] });
    for (const [key, item] of entriesOf(kind, value)) {
      if (isSubSchema(item)) found.push({ schema: item, path: [keyword, key] });
    }
  }
  return found;
}

/** A copy of a schema with every schema directly inside it replaced. */
export function mapSubSchemas(schema: JsonSchema, change: (inner: SubSchema) => SubSchema): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    setOwn(result, keyword, mapHolder(holderOf(keyword), value, change));
  }
  return result;
}

/** Sets an own property of any name, including `__proto__`. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}

function mapHolder(kind: HolderKind | undefined, value: unknown, change: (inner: SubSchema) => SubSchema): unknown {
  if (kind === undefined) return value;
  const changeItem = (item: unknown): unknown => (isSubSchema(item) ? change(item) : item);
  if (Array.isArray(value)) return value.map(changeItem);
  if (kind !== "map") return changeItem(value);
  if (!isRecord(value)) return value;
  const result: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) setOwn(result, key, changeItem(item));
  return result;
}

/** The form in which this keyword contains other schemas; undefined if it contains none. */
export function holderOf(keyword: string): HolderKind | undefined {
  return Object.hasOwn(holders, keyword) ? holders[keyword] : undefined;
}

function entriesOf(kind: HolderKind, value: unknown): [string | number, unknown][] {
  if (Array.isArray(value)) return value.map((item: unknown, index) => [index, item]);
  return kind === "map" && isRecord(value) ? Object.entries(value) : [];
}

/** The value at a path, or undefined if there is none. */
export function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  let node = value;
  for (const key of path) {
    if (Array.isArray(node)) node = node[Number(key)];
    else if (isRecord(node) && Object.hasOwn(node, key)) node = node[key];
    else return undefined;
  }
  return node;
}

/** The schema that a reference such as `#/$defs/node` refers to inside its document; undefined if there is none. */
export function resolveRef(root: JsonSchema, ref: string): SubSchema | undefined {
  if (ref === "#" || ref === "") return root;
  if (!ref.startsWith("#/")) return undefined;
  try {
    const parts = ref.slice(2).split("/").map(decodeURIComponent);
    const node = valueAt(
      root,
      parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~")),
    );
    return isSubSchema(node) ? node : undefined;
  } catch {
    // An escape that stands for no character.
    return undefined;
  }
}
