import { isFailureError } from "../base/index.ts";
import {
  type JsonSchema,
  forbiddenKeys,
  fromJsonSchema,
  propertiesOf,
  type FileReport,
  isRecord,
  isOfType,
} from "../schema/index.ts";
import type { YamlPath } from "../text/index.ts";
import { readParameterMap } from "./parameter-map.ts";
import { parameterSchema } from "./tool-file-schema.ts";
import { readValidation } from "./tool-file-type-schema.ts";

/** The parameters of a tool file as one JSON Schema: a list, or a map of names and types. */
export function readParameters(value: unknown, report: FileReport): JsonSchema {
  return isRecord(value)
    ? readParameterMap(value, { path: ["parameters"], noun: "a parameter" }, report)
    : readParameterList(Array.isArray(value) ? (value as unknown[]) : [], ["parameters"], report);
}

/** Parameters in the form `- { name: …, type: … }` as one JSON Schema. */
export function readParameterList(value: readonly unknown[], owner: YamlPath, report: FileReport): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  for (const [index, item] of value.entries()) {
    const path = [...owner, index];
    if (!isRecord(item)) continue;
    const { name, description } = item;
    const json = readParameter(item, path, report);
    if (typeof name !== "string" || name.trim() === "") continue;
    if (forbiddenKeys.has(name)) {
      report.add("forbidden_key", [...path, "name"], [`a parameter cannot be named "${name}"`]);
      continue;
    }
    if (Object.hasOwn(properties, name)) {
      report.add("duplicate_parameter", [...path, "name"], [`the parameter "${name}" is defined twice`]);
      continue;
    }
    properties[name] = { ...json, ...(typeof description === "string" && { description: description.trim() }) };
    if (item["required"] === true) required.push(name);
  }
  return { type: "object", properties, ...(required.length > 0 && { required }) };
}

function readParameter(item: Readonly<Record<string, unknown>>, path: YamlPath, report: FileReport): JsonSchema {
  const { type, validation } = item;
  const options = isRecord(validation) ? readValidation(type, [validation, [...path, "validation"]], report) : {};
  const isType = (propertiesOf(parameterSchema)["type"] as { enum: readonly unknown[] }).enum.includes(type);
  const json = { ...(isType && { type }), ...options };
  if (!isUsable(json, path, report) || !isType) return json;
  const preset = item["default"];
  if (preset === undefined || preset === null) return json;
  const fault = defaultFault(preset, json);
  if (fault !== undefined) report.add("bad_default", [...path, "default"], [fault, { hint: quoteHint(preset, type) }]);
  return { ...json, default: preset };
}

function isUsable(json: JsonSchema, path: YamlPath, report: FileReport): boolean {
  try {
    fromJsonSchema(json);
    return true;
  } catch (error) {
    if (!isFailureError(error)) throw error;
    report.add(error.reason ?? "bad_schema", [...path, "validation"], [error.message]);
    return false;
  }
}

/** Keywords that are checked here; the validator itself is heavy and only loads if a default needs it. */
const simple = new Set(["type", "enum", "minimum", "maximum"]);

function defaultFault(value: unknown, json: JsonSchema): string | undefined {
  const type = String(json["type"]);
  if (!isOfType(value, type)) return `the default ${JSON.stringify(value)} is not of the type ${type}`;
  if (Object.keys(json).every((key) => simple.has(key))) return simpleFault(value, json);
  const result = fromJsonSchema(json).validate(value);
  if (result instanceof Promise || result.issues === undefined) return undefined;
  return result.issues.map(({ message }) => message.replace(/^the value/, "the default")).join("; ");
}

function simpleFault(value: unknown, { enum: allowed, minimum, maximum }: JsonSchema): string | undefined {
  const shown = `the default ${JSON.stringify(value)}`;
  if (Array.isArray(allowed) && !allowed.includes(value)) return `${shown} is not one of ${allowed.join(", ")}`;
  if (typeof minimum === "number" && Number(value) < minimum) return `${shown} must be at least ${minimum}`;
  if (typeof maximum === "number" && Number(value) > maximum) return `${shown} must be at most ${maximum}`;
  return undefined;
}

function quoteHint(value: unknown, type: unknown): string | undefined {
  const quotable = type === "string" && (typeof value === "number" || typeof value === "boolean");
  return quotable ? "put quotes around it" : undefined;
}
