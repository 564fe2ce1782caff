import { type Issue, isFailureError } from "../../base/index.ts";
import {
  type JsonSchema,
  type Rule,
  type SyncSchema,
  fromJsonSchema,
  isRecord,
  isOfType,
  ruleIssue,
} from "../../schema/index.ts";

type Path = readonly (string | number)[];

/** A part of a tool's input schema, and the document that its references resolve in. */
export interface SchemaPart {
  readonly root: JsonSchema;
  readonly node: JsonSchema;
}

/**
 * Problems of a constant value. Plain schemas are checked here; the validator is heavy, and loads only for schemas that
 * need it. An unusable schema gives no problems: its tool reports that itself.
 */
export function literalIssues(value: unknown, part: SchemaPart, path: Path): readonly Issue[] {
  if (isPlain(part.node)) return [...plainIssues(value, part.node, path)];
  const schema = validatorOf(part);
  const { issues = [] } = schema?.validate(value) ?? {};
  return issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] }));
}

const validators = new WeakMap<JsonSchema, SyncSchema | "unusable">();

function validatorOf(part: SchemaPart): SyncSchema | undefined {
  const known = validators.get(part.node);
  if (known !== undefined) return known === "unusable" ? undefined : known;
  const made = makeValidator(part);
  validators.set(part.node, made ?? "unusable");
  return made;
}

/** A part keeps the definitions of its document; references to other parts of it cannot be resolved. */
function makeValidator({ root, node }: SchemaPart): SyncSchema | undefined {
  const { $defs, definitions, $schema } = root;
  const outer = {
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
    ...($schema !== undefined && { $schema }),
  };
  try {
    return fromJsonSchema(root === node ? root : { ...outer, ...node });
  } catch (error) {
    if (!isFailureError(error)) throw error;
    return undefined;
  }
}

const notes = new Set(
  "title description default examples deprecated $schema $id $comment readOnly writeOnly".split(" "),
);
const checked = new Set(
  "type enum const minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength minItems maxItems".split(" "),
);

const plain = new WeakMap<JsonSchema, boolean>();

/** True if a schema uses only what {@link plainIssues} supports. */
function isPlain(schema: JsonSchema): boolean {
  const known = plain.get(schema);
  if (known !== undefined) return known;
  // A recursive schema is not plain; this entry answers the lookup during the recursion.
  plain.set(schema, false);
  const answer = Object.entries(schema).every(([keyword, value]) => {
    if (notes.has(keyword)) return true;
    if (checked.has(keyword)) return keyword !== "enum" || (Array.isArray(value) && value.every(isScalar));
    if (keyword === "required") return Array.isArray(value);
    if (keyword === "additionalProperties") return typeof value === "boolean";
    if (keyword === "items") return isRecord(value) && isPlain(value);
    return (
      keyword === "properties" &&
      isRecord(value) &&
      Object.values(value).every((part) => isRecord(part) && isPlain(part))
    );
  });
  const simple = answer && isScalar(schema["const"] ?? null);
  plain.set(schema, simple);
  return simple;
}

function isScalar(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

function* plainIssues(value: unknown, schema: JsonSchema, path: Path): Generator<Issue> {
  const broken = brokenRule(value, schema);
  if (broken !== undefined) yield ruleIssue(broken, { path, value });
  else if (Array.isArray(value)) {
    const { items } = schema;
    if (isRecord(items)) for (const [index, item] of value.entries()) yield* plainIssues(item, items, [...path, index]);
  } else if (isRecord(value)) yield* keyIssues(value, schema, path);
}

function* keyIssues(value: Readonly<Record<string, unknown>>, schema: JsonSchema, path: Path): Generator<Issue> {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  for (const key of missingKeys(value, schema)) {
    yield ruleIssue({ code: "required" }, { path: [...path, key], value: undefined });
  }
  for (const [key, item] of Object.entries(value)) {
    const own = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (isRecord(own)) yield* plainIssues(item, own, [...path, key]);
  }
}

/** Required keys that a map lacks and that have no default. */
export function missingKeys(value: Readonly<Record<string, unknown>>, { required, properties }: JsonSchema): string[] {
  if (!Array.isArray(required)) return [];
  return required.filter((key): key is string => {
    if (typeof key !== "string" || Object.hasOwn(value, key)) return false;
    const own: unknown = isRecord(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined;
    return !isRecord(own) || own["default"] === undefined;
  });
}

function brokenRule(value: unknown, schema: JsonSchema): Rule | undefined {
  const { type, enum: allowed } = schema;
  const expected = [type].flat().filter((name) => typeof name === "string");
  if (expected.length > 0 && !expected.some((name) => isOf(value, name))) return { code: "type", expected };
  if (Array.isArray(allowed) && !allowed.includes(value)) return { code: "enum", allowed };
  if ("const" in schema && schema["const"] !== value) return { code: "enum", allowed: [schema["const"]] };
  if (typeof value === "number") return brokenBound(value, schema);
  // Characters as JSON Schema counts them: code points.
  if (typeof value === "string") return brokenSize(Array.from(value).length, schema, "length");
  return Array.isArray(value) ? brokenSize(value.length, schema, "items") : undefined;
}

function isOf(value: unknown, type: string): boolean {
  return type === "null" ? value === null : isOfType(value, type);
}

function brokenBound(value: number, schema: JsonSchema): Rule | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if (typeof minimum === "number" && value < minimum) return { code: "min", limit: minimum };
  if (typeof maximum === "number" && value > maximum) return { code: "max", limit: maximum };
  if (typeof exclusiveMinimum === "number" && value <= exclusiveMinimum)
    return { code: "min", limit: exclusiveMinimum, exclusive: true };
  if (typeof exclusiveMaximum === "number" && value >= exclusiveMaximum)
    return { code: "max", limit: exclusiveMaximum, exclusive: true };
  return undefined;
}

function brokenSize(size: number, schema: JsonSchema, measure: "length" | "items"): Rule | undefined {
  const [low, high] =
    measure === "length" ? [schema["minLength"], schema["maxLength"]] : [schema["minItems"], schema["maxItems"]];
  if (typeof low === "number" && size < low) return { code: `min_${measure}`, limit: low };
  return typeof high === "number" && size > high ? { code: `max_${measure}`, limit: high } : undefined;
}
