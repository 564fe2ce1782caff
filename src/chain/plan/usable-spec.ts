import { type JsonSchema, isMap, isOfType, put } from "../../schema/index.ts";
import { type ClosedSchema, chainKeysSchema, stepSchema } from "./chain-file-schema.ts";
import type { ChainSpec, StepSpec } from "./spec.ts";

/**
 * What of a file can be planned: everything that fits the format, without empty keys. What does not fit has been
 * reported and is left out, so that the rest can be checked in the same go. Of a chain without problems it is the spec.
 */
export function usableSpec(file: Readonly<Record<string, unknown>>): ChainSpec {
  const steps = Array.isArray(file["steps"]) ? (file["steps"] as unknown[]) : [];
  const rest = usableKeys(file, chainKeysSchema);
  return { name: "", ...rest, steps: steps.map(usableStep) };
}

/** A step keeps its place whatever it lacks: others may speak of it. */
function usableStep(step: unknown): StepSpec {
  const found = isMap(step) ? usableKeys(step, stepSchema) : {};
  return { id: "", tool: "", ...found };
}

function usableKeys(map: Readonly<Record<string, unknown>>, { properties }: ClosedSchema): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(map)) {
    const schema = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (schema !== undefined && value !== null && fits(value, schema)) put(result, key, usable(value, schema));
  }
  return result;
}

function usable(value: unknown, schema: JsonSchema): unknown {
  const form = formOf(value, schema);
  if (Array.isArray(value)) {
    const { items } = form;
    return isMap(items)
      ? value.filter((item) => fits(item, items)).map((item) => usable(item, items))
      : (value as unknown);
  }
  return isMap(value) && isClosed(form) ? usableKeys(value, form) : value;
}

/** Of several forms the one that the value has. */
function formOf(value: unknown, schema: JsonSchema): JsonSchema {
  const { anyOf } = schema;
  if (!Array.isArray(anyOf)) return schema;
  return (anyOf as JsonSchema[]).find((form) => fits(value, form)) ?? schema;
}

function fits(value: unknown, schema: JsonSchema): boolean {
  const { type, enum: allowed, anyOf, required, minimum } = schema;
  if (Array.isArray(anyOf)) return (anyOf as JsonSchema[]).some((form) => fits(value, form));
  if (typeof type === "string" && !isOfType(value, type)) return false;
  if (Array.isArray(allowed) && !allowed.includes(value)) return false;
  if (typeof value === "string") return fitsText(value, schema);
  if (typeof value === "number") return typeof minimum !== "number" || value >= minimum;
  if (!isMap(value) || !Array.isArray(required)) return true;
  return (required as string[]).every((key) => Object.hasOwn(value, key) && value[key] !== null);
}

function fitsText(value: string, { minLength, pattern }: JsonSchema): boolean {
  if (minLength !== undefined && value.trim() === "") return false;
  return typeof pattern !== "string" || new RegExp(pattern).test(value);
}

function isClosed(schema: JsonSchema): schema is ClosedSchema {
  return isMap(schema["properties"]) && schema["additionalProperties"] === false;
}
