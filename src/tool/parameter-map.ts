import { parseJson } from "../base/index.ts";
import { type FileReport, type JsonSchema, forbiddenKeys, isOfType, isRecord, setOwn } from "../schema/index.ts";
import type { YamlPath } from "../text/index.ts";
import { lacksDash } from "./tool-file-schema.ts";
import { readTypeSchema } from "./tool-file-type-schema.ts";

interface ReadParameter {
  readonly json: JsonSchema;
  readonly required: boolean;
}

/** Parameters in the form `name: type`, or `name: { type: … }`, as one JSON Schema. */
export function readParameterMap(
  parameters: Readonly<Record<string, unknown>>,
  { path: owner, noun }: { readonly path: YamlPath; readonly noun: string },
  report: FileReport,
): JsonSchema {
  const properties: Record<string, unknown> = {};
  const required: string[] = [];
  if (lacksDash(parameters)) {
    const { name, type } = parameters;
    const hint = `write - name: ${String(name)}, or only ${String(name)}: ${String(type)}`;
    report.add("wrong_type", owner, ['the item of the list does not start with "- "', { hint }]);
    return { type: "object", properties: { [String(name)]: { type } } };
  }
  for (const [name, rawValue] of Object.entries(parameters)) {
    const path = [...owner, name];
    if (forbiddenKeys.has(name)) report.add("forbidden_key", path, [`${noun} cannot be named "${name}"`]);
    const read = typeof rawValue === "string" ? readShort(rawValue, path, report) : readLong(rawValue, path, report);
    setOwn(properties, name, read.json);
    if (read.required) required.push(name);
  }
  return { type: "object", properties, ...(required.length > 0 && { required }) };
}

/** `string`, `string[]`, `string?`, `number=3`, `string="memory"`, `string[]?`. */
function readShort(text: string, path: YamlPath, report: FileReport): ReadParameter {
  const equals = text.indexOf("=");
  const left = (equals < 0 ? text : text.slice(0, equals)).trim();
  const optional = left.endsWith("?");
  const json = readType((optional ? left.slice(0, -1) : left).trim(), path, report);
  if (equals < 0) return { json, required: !optional };
  const preset = readDefault(text.slice(equals + 1).trim(), json);
  const fault = defaultFault(preset, json);
  if (fault !== undefined) report.add("bad_default", path, [fault, { within: text.slice(equals + 1).trim() }]);
  return { json: { ...json, default: preset }, required: false };
}

function readType(name: string, path: YamlPath, report: FileReport): JsonSchema {
  let lists = 0;
  let item = name;
  for (; item.endsWith("[]") && lists < 8; lists++) item = item.slice(0, -2).trim();
  let json = readTypeSchema(item, path, report);
  for (; lists > 0; lists--) json = { type: "array", items: json };
  return json;
}

/** A default is JSON; strings may be written without quotes. */
function readDefault(text: string, json: JsonSchema): unknown {
  const value = parseJson(text);
  if (value === undefined) return /^'(.*)'$/s.exec(text)?.[1] ?? text;
  return json["type"] === "string" && typeof value !== "string" ? text : value;
}

function readLong(rawValue: unknown, path: YamlPath, report: FileReport): ReadParameter {
  const { required, optional, ...rest } = isRecord(rawValue) ? rawValue : { required: undefined, optional: undefined };
  const shape = Array.isArray(required) ? { ...rest, required } : rest;
  const json = withLists(shape, path, report);
  const preset = json["default"];
  const fault = preset === undefined ? undefined : defaultFault(preset, json);
  if (fault !== undefined) report.add("bad_default", [...path, "default"], [fault]);
  return { json, required: preset === undefined && required !== false && optional !== true };
}

/** A described type may use `string[]`, too. */
function withLists(shape: Readonly<Record<string, unknown>>, path: YamlPath, report: FileReport): JsonSchema {
  const { type } = shape;
  if (typeof type !== "string" || !type.trim().endsWith("[]")) return readTypeSchema(shape, path, report);
  const { type: _, ...rest } = shape;
  return { ...readType(type.trim(), [...path, "type"], report), ...readTypeSchema(rest, path, report) };
}

function defaultFault(value: unknown, { type, items, enum: allowed }: JsonSchema): string | undefined {
  const shown = JSON.stringify(value) ?? "nothing";
  const cut = shown.length > 80 ? `${shown.slice(0, 79)}…` : shown;
  if (typeof type === "string" && !isOfType(value, type)) return `the default ${cut} is not of the type ${type}`;
  if (Array.isArray(allowed) && !allowed.includes(value))
    return `the default ${cut} is not one of ${allowed.join(", ")}`;
  if (!Array.isArray(value) || !isRecord(items)) return undefined;
  return value.map((item) => defaultFault(item, items)).find((fault) => fault !== undefined);
}
