import type { JsonSchema } from "../../../schema/index.ts";
import { type Parameter, fieldsOf, itemOf } from "./tool-parameters.ts";

/** Type of a parameter: `integer`, `string or null`, `list of string`, `any`. `json` is the schema that contains it. */
export function describeType(parameter: Parameter, json: JsonSchema): string {
  const { types } = parameter;
  if (types.size === 0) return "any";
  const items = [...(itemOf(json, parameter)?.types ?? [])].map((type) => (type === "array" ? "list" : type));
  const list = items.length === 0 ? "list" : `list of ${items.join(" or ")}`;
  return [...types].map((type) => (type === "array" ? list : type)).join(" or ");
}

/**
 * Describes the limits of a parameter: `one of GET, POST`, `1 to 300`, `at most 20 characters`, `matches ^https?://`.
 */
export function describeLimits({ schemas }: Parameter): string[] {
  const find = (key: string): unknown => schemas.map((schema) => schema[key]).find((value) => value !== undefined);
  const text = (key: string, words: string): string[] => {
    const value = find(key);
    return typeof value === "string" ? [`${words}${value}`] : [];
  };
  const values = valuesOf(schemas);
  return [
    ...(values === undefined ? [] : [`one of ${values.map(bare).join(", ")}`]),
    ...range(find("minimum"), find("maximum"), ""),
    ...(typeof find("exclusiveMinimum") === "number" ? [`above ${String(find("exclusiveMinimum"))}`] : []),
    ...(typeof find("exclusiveMaximum") === "number" ? [`below ${String(find("exclusiveMaximum"))}`] : []),
    ...range(find("minLength"), find("maxLength"), "character"),
    ...range(find("minItems"), find("maxItems"), "item"),
    ...text("pattern", "matches "),
    ...text("format", ""),
  ];
}

/** Default value of the parameter; undefined if it has none. */
export function defaultOf({ schemas }: Parameter): unknown {
  return schemas.map((schema) => schema["default"]).find((value) => value !== undefined);
}

/** Description in the schema. */
export function descriptionOf({ schemas }: Parameter): string {
  const text = schemas.map((schema) => schema["description"]).find((value) => typeof value === "string");
  return typeof text === "string" ? text : "";
}

/** Maximum depth of an example. */
const maxDepth = 5;

/** An example value of the parameter. `json` is the schema that contains it. */
export function exampleOf(parameter: Parameter, json: JsonSchema, depth = 0): unknown {
  const { schemas } = parameter;
  const examples = schemas.map((schema) => schema["examples"]).find(Array.isArray);
  const input: unknown = examples?.[0] ?? defaultOf(parameter) ?? valuesOf(schemas)?.[0];
  return input === undefined ? sampleOf(parameter, json, depth) : input;
}

function sampleOf(parameter: Parameter, json: JsonSchema, depth: number): unknown {
  const { schemas, types } = parameter;
  if (types.has("string") || types.size === 0) return sampleText(schemas);
  switch ([...types][0]) {
    case "number":
    case "integer":
      return sampleNumber(schemas);
    case "array":
      return sampleList(parameter, json, depth);
    case "object":
      return sampleObject(parameter, json, depth);
    case "boolean":
      return true;
    default:
      return null;
  }
}

function sampleObject(parameter: Parameter, json: JsonSchema, depth: number): object {
  const needed = depth === maxDepth ? [] : fieldsOf(json, parameter).filter(({ required }) => required);
  return Object.fromEntries(needed.map((field) => [field.name, exampleOf(field, json, depth + 1)]));
}

function sampleList(parameter: Parameter, json: JsonSchema, depth: number): unknown[] {
  const min = numberIn(parameter.schemas, "minItems") ?? 0;
  const item = itemOf(json, parameter);
  if (min === 0 || item === undefined || depth === maxDepth) return [];
  const sample = exampleOf(item, json, depth + 1);
  return Array.from({ length: Math.min(min, 10) }, () => sample);
}

function sampleNumber(schemas: readonly JsonSchema[]): number {
  const above = numberIn(schemas, "exclusiveMinimum");
  const min = numberIn(schemas, "minimum") ?? (above === undefined ? undefined : Math.floor(above) + 1);
  return min ?? Math.min(1, numberIn(schemas, "maximum") ?? 1);
}

function sampleText(schemas: readonly JsonSchema[]): string {
  const hints = schemas.flatMap(({ pattern, format }) => [pattern, format]).map(String);
  if (hints.some((hint) => /http|ur[il]/.test(hint))) return "https://example.com";
  return "…".repeat(Math.min(20, Math.max(1, numberIn(schemas, "minLength") ?? 1)));
}

function numberIn(schemas: readonly JsonSchema[], key: string): number | undefined {
  return schemas.map((schema) => schema[key]).find((value) => typeof value === "number");
}

/** The allowed values, if the parameter is restricted to some. */
export function valuesOf(schemas: readonly JsonSchema[]): readonly unknown[] | undefined {
  for (const { enum: values, const: value } of schemas) {
    if (Array.isArray(values)) return values;
    if (value !== undefined) return [value];
  }
  return undefined;
}

/** Strings as typed on a command line, other values as JSON. */
function bare(value: unknown): string {
  return typeof value === "string" && value !== "" ? value : (JSON.stringify(value) ?? "");
}

function range(from: unknown, to: unknown, unit: string): string[] {
  const [low, high] = [typeof from === "number" ? from : undefined, typeof to === "number" ? to : undefined];
  const last = high ?? low;
  const counted = unit === "" ? "" : ` ${unit}${last === 1 ? "" : "s"}`;
  if (low !== undefined && high !== undefined) return [`${low} to ${high}${counted}`];
  if (low !== undefined) return [`at least ${low}${counted}`];
  return high === undefined ? [] : [`at most ${high}${counted}`];
}
