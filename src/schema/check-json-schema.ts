import { FailureError, formatPath, isFailureError } from "../base/index.ts";
import { suggestEnding } from "../text/index.ts";
import { copyFrozenJson } from "./copy-json.ts";
import { compilePattern } from "./pattern.ts";
import {
  type HolderKind,
  holderOf,
  resolveRef,
  sameValueKeywords,
  isRecord,
  isSubSchema,
  subSchemas,
} from "./subschemas.ts";
import type { JsonSchema } from "./schema.ts";

type Path = readonly (string | number)[];

/** Maximum depth of schemas inside schemas, and of any data in them. */
const maxSchemaDepth = 64;
const maxDataDepth = 3 * maxSchemaDepth;
const maxBytes = 256 * 1024;

/**
 * Validates a JSON Schema: every keyword has the required shape, every pattern compiles, every reference resolves and
 * none refers to itself. Returns a frozen copy that cannot be changed afterwards. Throws a `tool_invalid` failure that
 * names the location. `patterns: false` leaves the check of patterns to the validator.
 */
export function checkJsonSchema(json: unknown, { patterns = true }: { patterns?: boolean } = {}): JsonSchema {
  if (!isRecord(json)) throw invalid([], "a JSON Schema must be an object");
  const copy = copyFrozenJson(json, { maxDepth: maxDataDepth, maxChars: maxBytes });
  if (!copy.ok) throw invalid([], `the JSON Schema ${copy.fault}`, copy.reason);
  // A copy of a record is a record.
  const root = copy.value as JsonSchema;
  const seen = new Map<JsonSchema, Path>();
  checkNode({ seen, node: root, path: [] });
  if (patterns) for (const [node, path] of seen) checkPatterns(node, path);
  for (const node of seen.keys()) checkReference(root, seen, node);
  for (const [node, path] of seen) checkEndless(root, node, path);
  return root;
}

/** Keywords that would change the meaning of validation and that no tool needs. */
const unsupported = new Set(["$async", "$dynamicRef", "$recursiveRef"]);

function checkNode({
  seen,
  node,
  path,
  depth = 0,
}: {
  readonly seen: Map<JsonSchema, Path>;
  readonly node: JsonSchema;
  readonly path: Path;
  readonly depth?: number;
}): void {
  if (depth > maxSchemaDepth) throw invalid(path, `schemas may nest ${maxSchemaDepth} levels deep`, "schema_too_deep");
  seen.set(node, path);
  for (const [keyword, value] of Object.entries(node)) checkKeyword(keyword, value, [...path, keyword]);
  for (const inner of subSchemas(node)) {
    if (!isRecord(inner.schema)) continue;
    checkNode({ seen, node: inner.schema, path: [...path, ...inner.path], depth: depth + 1 });
  }
}

function checkKeyword(keyword: string, value: unknown, path: Path): void {
  if (unsupported.has(keyword)) throw invalid(path, "this keyword is not supported");
  const kind = holderOf(keyword);
  const shape = shapes.get(keyword) ?? (kind && holderShapes[kind]);
  if (shape !== undefined && !shape.fits(value)) throw invalid(path, `must be ${shape.name}${hint(keyword, value)}`);
}

function checkPatterns({ pattern, patternProperties }: JsonSchema, path: Path): void {
  if (typeof pattern === "string") checkPattern(pattern, [...path, "pattern"]);
  for (const source of Object.keys(isRecord(patternProperties) ? patternProperties : {})) {
    checkPattern(source, [...path, "patternProperties", source]);
  }
}

function checkPattern(pattern: string, path: Path): void {
  try {
    compilePattern(pattern);
  } catch (error) {
    if (!isFailureError(error)) throw error;
    throw invalid(path, error.message, error.reason);
  }
}

function hint(keyword: string, value: unknown): string {
  if (keyword !== "type" || typeof value !== "string") return "";
  return suggestEnding(value, types);
}

function checkReference(root: JsonSchema, seen: ReadonlyMap<JsonSchema, Path>, node: JsonSchema): void {
  const ref = node["$ref"];
  if (typeof ref !== "string") return;
  const target = ref.startsWith("#") ? resolveRef(root, ref) : undefined;
  if (target !== undefined && (!isRecord(target) || seen.has(target))) return;
  const remedy = ref.startsWith("#")
    ? 'refers to no schema; write it as "#/$defs/name"'
    : "refers outside the schema; copy its target into $defs";
  throw invalid([...(seen.get(node) ?? []), "$ref"], `${JSON.stringify(ref)} ${remedy}`, "bad_ref");
}

/** A schema that refers back to itself without going deeper into the value would never terminate. */
function checkEndless(root: JsonSchema, start: JsonSchema, path: Path): void {
  if (typeof start["$ref"] !== "string") return;
  const visited = new Set<JsonSchema>();
  const open = [start];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const next of sameValue(root, node)) {
      if (next === start)
        throw invalid([...path, "$ref"], `${JSON.stringify(start["$ref"])} refers back to itself`, "bad_ref");
      if (visited.has(next)) continue;
      visited.add(next);
      open.push(next);
    }
  }
}

function sameValue(root: JsonSchema, node: JsonSchema): JsonSchema[] {
  const ref = node["$ref"];
  const target = typeof ref === "string" ? resolveRef(root, ref) : undefined;
  const inner = subSchemas(node)
    .filter(({ path }) => sameValueKeywords.has(String(path[0])))
    .map(({ schema }) => schema);
  return [target, ...inner].filter(isRecord);
}

interface Shape {
  readonly name: string;
  fits(value: unknown): boolean;
}

const types = ["string", "number", "integer", "boolean", "array", "object", "null"];

const isNames = (value: unknown): boolean => Array.isArray(value) && value.every((item) => typeof item === "string");
const isType = (value: unknown): boolean => typeof value === "string" && types.includes(value);
const isListOfSchemas = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every(isSubSchema);

/** Shapes of the keywords that contain schemas. */
const holderShapes: Readonly<Record<HolderKind, Shape>> = {
  one: { name: "a schema", fits: isSubSchema },
  list: { name: "a list of one schema or more", fits: isListOfSchemas },
  map: {
    name: "an object of schemas",
    fits: (value) => isRecord(value) && Object.values(value).every(isSubSchema),
  },
};

const numberShape: Shape = { name: "a number", fits: (value) => typeof value === "number" };
const countShape: Shape = {
  name: "a whole number of 0 or more",
  fits: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
};
const stringShape: Shape = { name: "a string", fits: (value) => typeof value === "string" };
const counts = "minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains";

/** Shapes of the other keywords, and of those with further forms. */
const shapes: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ...shaped("minimum maximum exclusiveMinimum exclusiveMaximum", numberShape),
  ...shaped(counts, countShape),
  ...shaped("$ref $schema description format pattern title", stringShape),
  ["items", { name: "a schema", fits: (value) => isSubSchema(value) || isListOfSchemas(value) }],
  ["multipleOf", { name: "a number above 0", fits: (value) => typeof value === "number" && value > 0 }],
  ["required", { name: "a list of names", fits: isNames }],
  ["uniqueItems", { name: "true or false", fits: (value) => typeof value === "boolean" }],
  ["enum", { name: "a list of one value or more", fits: (value) => Array.isArray(value) && value.length > 0 }],
  [
    "type",
    {
      name: `one of ${types.join(", ")}`,
      fits: (value) => isType(value) || (Array.isArray(value) && value.length > 0 && value.every(isType)),
    },
  ],
  [
    "dependentRequired",
    { name: "an object of lists of names", fits: (value) => isRecord(value) && Object.values(value).every(isNames) },
  ],
  [
    "dependencies",
    {
      name: "an object of schemas or lists of names",
      fits: (value) => isRecord(value) && Object.values(value).every((item) => isSubSchema(item) || isNames(item)),
    },
  ],
]);

function shaped(keywords: string, shape: Shape): [string, Shape][] {
  return keywords.split(" ").map((keyword) => [keyword, shape]);
}

function invalid(path: Path, message: string, reason = "bad_schema"): FailureError {
  const where = path.length === 0 ? "" : `in the JSON Schema at ${formatPath(path)}: `;
  return new FailureError(`${where}${message}`, { code: "tool_invalid", reason });
}
