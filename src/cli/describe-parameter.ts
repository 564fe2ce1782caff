import { type JsonSchema, isRecord } from "../schema/index.ts";
import type { Parameter } from "./parameters-of.ts";

/** What a parameter takes: `integer`, `string or null`, `list of string`, `any`. */
export function describeType({ schemas, types }: Parameter): string {
  if (types.size === 0) return "any";
  const items = schemas.map((schema) => schema["items"]).find(isRecord);
  return [...types].map((type) => (type === "array" ? `list${itemsOf(items)}` : type)).join(" or ");
}

/** Its limits in words: `one of GET, POST`, `1 to 300`, `at most 20 characters`, `matches ^https?://`. */
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
    ...range(find("minLength"), find("maxLength"), " characters"),
    ...range(find("minItems"), find("maxItems"), " items"),
    ...text("pattern", "matches "),
    ...text("format", ""),
  ];
}

/** The value it has where a caller gives none; undefined where there is none. */
export function defaultOf({ schemas }: Parameter): unknown {
  return schemas.map((schema) => schema["default"]).find((value) => value !== undefined);
}

/** What the schema says about it. */
export function descriptionOf({ schemas }: Parameter): string {
  const text = schemas.map((schema) => schema["description"]).find((value) => typeof value === "string");
  return typeof text === "string" ? text : "";
}

/** A value that the parameter takes, for an example. */
export function exampleOf(parameter: Parameter): unknown {
  const { schemas, types } = parameter;
  const examples = schemas.map((schema) => schema["examples"]).find(Array.isArray);
  const given: unknown = examples?.[0] ?? defaultOf(parameter) ?? valuesOf(schemas)?.[0];
  if (given !== undefined) return given;
  if (types.has("string") || types.size === 0) return sampleText(schemas);
  const [type = ""] = types;
  const minimum = schemas.map((schema) => schema["minimum"]).find((value) => typeof value === "number");
  return type === "number" || type === "integer" ? (minimum ?? 1) : samples[type];
}

const samples: Readonly<Record<string, unknown>> = { boolean: true, array: [], object: {}, null: null };

function sampleText(schemas: readonly JsonSchema[]): string {
  const hints = schemas.flatMap(({ pattern, format }) => [pattern, format]).map(String);
  return hints.some((hint) => /http|ur[il]/.test(hint)) ? "https://example.com" : "…";
}

/** The values it is limited to, if it is. */
export function valuesOf(schemas: readonly JsonSchema[]): readonly unknown[] | undefined {
  for (const { enum: values, const: value } of schemas) {
    if (Array.isArray(values)) return values;
    if (value !== undefined) return [value];
  }
  return undefined;
}

/** Text as it is typed on a command line, anything else as JSON. */
function bare(value: unknown): string {
  return typeof value === "string" && value !== "" ? value : (JSON.stringify(value) ?? "");
}

function itemsOf(items: JsonSchema | undefined): string {
  const type = items?.["type"];
  return typeof type === "string" ? ` of ${type}` : "";
}

function range(from: unknown, to: unknown, unit: string): string[] {
  const [low, high] = [typeof from === "number" ? from : undefined, typeof to === "number" ? to : undefined];
  if (low !== undefined && high !== undefined) return [`${low} to ${high}${unit}`];
  if (low !== undefined) return [`at least ${low}${unit}`];
  return high === undefined ? [] : [`at most ${high}${unit}`];
}
