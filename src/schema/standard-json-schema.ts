import { FailureError, formatPath, isFailureError } from "../base/index.ts";
import { copyFrozenJson } from "./copy-json.ts";
import type { JsonSchema } from "./schema.ts";
import type { JsonSchemaConverter, StandardProps } from "./standard-schema.ts";
import { isRecord, subSchemas } from "./subschemas.ts";
import { isImpossible, zodJsonOptions } from "./zod-json-schema.ts";

/** The JSON Schema that a Standard Schema provides for itself, frozen; throws `tool_invalid` if it cannot. */
export function standardJsonSchema(props: StandardProps, side: "input" | "output"): JsonSchema {
  const { $schema: _dialect, ...json } = convert(props, side);
  const copy = copyFrozenJson(json, { maxDepth: 192, maxChars: 1024 * 1024 });
  if (!copy.ok) throw invalid(`the JSON Schema of the ${props.vendor} schema ${copy.fault}`, copy.reason);
  // A copy of an object is an object.
  const schema = copy.value as JsonSchema;
  if (side === "input") refuseImpossible(schema, []);
  return schema;
}

function convert(props: StandardProps, side: "input" | "output"): Record<string, unknown> {
  const converter = converterOf(props);
  // The output schema is optional: outputs need no description in advance.
  if (converter === undefined && side === "output") return {};
  if (converter === undefined) {
    const remedy = "pass `inputJsonSchema` with it, or use a version of the library that can";
    throw invalid(`this ${props.vendor} schema cannot describe itself as JSON Schema; ${remedy}`, "no_json_schema");
  }
  const libraryOptions = optionsFor(props.vendor, side);
  try {
    return converter[side]({ target: "draft-2020-12", ...(libraryOptions !== undefined && { libraryOptions }) });
  } catch (error) {
    if (isFailureError(error)) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw invalid(`the ${props.vendor} schema cannot be converted to JSON Schema: ${why}`, "not_json");
  }
}

function converterOf(props: object): JsonSchemaConverter | undefined {
  const converter: unknown = Reflect.get(props, "jsonSchema");
  // By the specification a converter has both methods.
  return isRecord(converter) && typeof converter["input"] === "function" ? (converter as never) : undefined;
}

/** ArkType silently drops types that JSON cannot carry, and the tool could then never be called. */
function refuseArkType(feature: string): () => never {
  return () => {
    throw invalid(`JSON cannot carry ${feature}; accept text and morph it, as in "string.date.parse"`, "not_json");
  };
}

const arkTypeOptions = {
  fallback: {
    date: refuseArkType("a Date"),
    domain: refuseArkType("a bigint or a symbol"),
    proto: refuseArkType("an instance of a class"),
  },
};

function optionsFor(vendor: string, side: "input" | "output"): Record<string, unknown> | undefined {
  if (vendor === "zod") return zodJsonOptions(side);
  return vendor === "arktype" && side === "input" ? arkTypeOptions : undefined;
}

/** A required key that accepts no JSON value, such as `z.undefined()`, makes every call fail. */
function refuseImpossible(schema: JsonSchema, path: readonly (string | number)[]): void {
  const { properties, required } = schema;
  for (const key of Array.isArray(required) ? required : []) {
    if (!isRecord(properties) || !isImpossible(properties[String(key)])) continue;
    const name = formatPath([...path, String(key)]);
    throw invalid(`no JSON value matches ${name}, yet it is required; make it optional or remove it`, "not_json");
  }
  for (const inner of subSchemas(schema)) {
    const [keyword, key] = inner.path;
    // An impossible form of a union only means that another one is used.
    if (!isRecord(inner.schema) || (keyword !== "properties" && keyword !== "items" && keyword !== "allOf")) continue;
    refuseImpossible(inner.schema, keyword === "properties" && key !== undefined ? [...path, key] : path);
  }
}

function invalid(message: string, reason: string): FailureError {
  return new FailureError(message, { code: "tool_invalid", reason });
}
