import { FailureError, formatPath } from "../base/index.ts";
import { isImpossible } from "./subschemas.ts";
import { type ZodDef, innerNode, isZodNode, shapeOf } from "./zod-node.ts";

/** A big integer is sent as text: JSON numbers lose digits above 2^53. */
const bigIntPattern = "^-?[0-9]+$";

/** Types that JSON cannot carry, and their replacements. */
const refused: ReadonlyMap<string, string> = new Map([
  ["custom", "describe it with a schema that JSON can carry, then .transform() or .refine() it"],
  ["file", "accept a path, a URL or base64 text"],
  ["function", "a caller cannot send code"],
  ["map", "use z.record() or z.array(z.tuple([key, value]))"],
  ["nan", "JSON has no NaN; use z.null()"],
  ["set", "use z.array()"],
  ["symbol", "use z.string() or z.enum()"],
]);

/** Options for Zod's own converter, so that its output describes the JSON form of values. */
export function zodJsonOptions(side: "input" | "output"): Record<string, unknown> {
  return {
    // `override` handles these, in the same way for every version of Zod.
    unrepresentable: "any",
    override: ({
      zodSchema,
      jsonSchema,
      path = [],
    }: {
      readonly zodSchema: unknown;
      readonly jsonSchema: Record<string, unknown>;
      readonly path?: readonly (string | number)[];
    }) => {
      if (!isZodNode(zodSchema)) return;
      const { def } = zodSchema._zod;
      const remedy = refused.get(def.type);
      // A handler may return anything under z.custom(); an input must be described.
      if (remedy !== undefined && (side === "input" || def.type !== "custom")) throw notJson(def.type, remedy, path);
      describe.get(def.type)?.(jsonSchema, def);
    },
  };
}

/** Adds descriptions that Zod omits, and removes details that a caller does not need. */
const describe: ReadonlyMap<string, (json: Record<string, unknown>, def: ZodDef) => void> = new Map<
  string,
  (json: Record<string, unknown>, def: ZodDef) => void
>([
  ["bigint", (json) => void Object.assign(json, { type: "string", pattern: bigIntPattern })],
  ["catch", dropUnfixedDefault],
  ["date", (json) => void Object.assign(json, { type: "string", format: "date-time" })],
  ["default", dropUnfixedDefault],
  ["literal", describeLiteral],
  ["number", dropBoundlessBounds],
  ["object", dropCaught],
  ["prefault", dropUnfixedDefault],
  // The handler must not write it; a caller must still send it.
  ["readonly", (json) => void delete json["readOnly"]],
  ["undefined", (json) => void (json["not"] = {})],
  ["union", dropImpossible],
  ["void", (json) => void (json["not"] = {})],
]);

/** Drops bounds that every number of its type meets anyway: they give a model no information. */
function dropBoundlessBounds(json: Record<string, unknown>): void {
  for (const keyword of ["minimum", "maximum"]) {
    const bound = Math.abs(Number(json[keyword]));
    if (bound === Number.MAX_SAFE_INTEGER || bound > 1e308) delete json[keyword];
  }
}

/** A field with `.catch()` accepts a missing value too. */
function dropCaught(json: Record<string, unknown>, def: ZodDef): void {
  const { required } = json;
  if (!Array.isArray(required)) return;
  const shape = shapeOf(def);
  const retained = required.filter((key) => !catches(shape[String(key)]));
  if (retained.length > 0) json["required"] = retained;
  else delete json["required"];
}

function catches(field: unknown): boolean {
  let node = isZodNode(field) ? field : undefined;
  // Wrappers are few; only a self-referencing lazy schema has infinitely many.
  for (let depth = 0; node !== undefined && depth < 64; depth++) {
    if (node._zod.def.type === "catch") return true;
    node = innerNode(node);
  }
  return false;
}

/** A form that no JSON value has, such as `undefined`, is removed. */
function dropImpossible(json: Record<string, unknown>): void {
  const { anyOf } = json;
  if (!Array.isArray(anyOf)) return;
  const possible = anyOf.filter((form) => !isImpossible(form));
  if (possible.length > 0) json["anyOf"] = possible;
}

/** Only literals that JSON lacks need handling: big integers are sent as text, `undefined` is absence. */
function describeLiteral(json: Record<string, unknown>, { values }: ZodDef): void {
  if (!Array.isArray(values) || values.every((value) => typeof value !== "bigint" && value !== undefined)) return;
  const written: unknown[] = values.filter((value) => value !== undefined);
  delete json["const"];
  delete json["type"];
  if (written.length === 0) json["not"] = {};
  else json["enum"] = written.map((value) => (typeof value === "bigint" ? String(value) : value));
}

/** A default that is computed for every call, such as the current time, is meaningless in a schema. */
function dropUnfixedDefault(json: Record<string, unknown>, def: ZodDef): void {
  if (!isFixed(def, json["default"])) delete json["default"];
}

function isFixed(def: ZodDef, shown: unknown): boolean {
  if (shown === undefined || def.type === "catch") return isPlainJson(shown);
  const [first, second] = [def["defaultValue"], def["defaultValue"]];
  return isPlainJson(first) && JSON.stringify(first) === JSON.stringify(second);
}

function isPlainJson(value: unknown): boolean {
  if (typeof value === "bigint" || value instanceof Date) return false;
  if (typeof value !== "object" || value === null) return true;
  return Object.values(value).every(isPlainJson);
}

function notJson(type: string, remedy: string, path: readonly (string | number)[]): FailureError {
  const where = formatPath(readablePath(path));
  return new FailureError(`${where === "" ? "" : `at ${where}: `}JSON cannot carry z.${type}(); ${remedy}`, {
    code: "tool_invalid",
    reason: "not_json",
  });
}

/** Converts `["properties", "a", "items", "anyOf", 1]` to the reader's path: `["a", 0]`. */
function readablePath(path: readonly (string | number)[]): (string | number)[] {
  const readable: (string | number)[] = [];
  for (let i = 0; i < path.length; i++) {
    const [part, next] = [path[i], path[i + 1]];
    if (part === "items") readable.push(0);
    else if ((part === "properties" || part === "prefixItems") && next !== undefined) readable.push(next);
    else if (part === "additionalProperties") readable.push("*");
    if (next !== undefined && (part === "properties" || typeof next === "number")) i++;
  }
  return readable;
}
