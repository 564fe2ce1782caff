import { type JsonSchema, forbiddenKeys, isMap, isOfType, put } from "../../schema/index.ts";
import type { YamlPath } from "../../text/index.ts";
import { readShape } from "../../tool/index.ts";
import type { ChainReport } from "./chain-report.ts";
import type { Use } from "./part-reader.ts";

interface ReadInput {
  readonly json: JsonSchema;
  readonly required: boolean;
}

/** The declared inputs as one JSON Schema. */
export function readInputs(inputs: Readonly<Record<string, unknown>>, report: ChainReport): JsonSchema {
  const properties: Record<string, unknown> = {};
  const required: string[] = [];
  for (const [name, given] of Object.entries(inputs)) {
    const path = ["input", name];
    if (forbiddenKeys.has(name)) report.add("forbidden_key", path, [`an input cannot be named "${name}"`]);
    const input = typeof given === "string" ? readShort(given, path, report) : readLong(given, path, report);
    put(properties, name, input.json);
    if (input.required) required.push(name);
  }
  return objectOf(properties, required);
}

/** Inputs that are not declared: whatever expressions read. The chain needs those whose absence is not provided for. */
export function inferInputs(uses: Iterable<Use>): JsonSchema {
  const needed = new Map<string, boolean>();
  for (const { reference } of uses) {
    const [name] = reference.path;
    if (reference.root !== "input" || typeof name !== "string") continue;
    needed.set(name, (needed.get(name) ?? false) || !reference.guarded);
  }
  const properties: Record<string, unknown> = {};
  for (const name of needed.keys()) put(properties, name, {});
  return objectOf(
    properties,
    [...needed].flatMap(([name, required]) => (required ? [name] : [])),
  );
}

/**
 * Declared inputs that no expression reads; none where one reads all of them, or one that only the run knows. An input
 * that is described and has a default is there for callers on purpose.
 */
export function unusedInputs(declared: Readonly<Record<string, unknown>>, uses: Iterable<Use>): ReadonlySet<string> {
  const unused = new Set(Object.keys(declared).filter((name) => !isOffered(declared[name])));
  for (const { reference } of uses) {
    if (reference.root !== "input") continue;
    const [name] = reference.path;
    if (typeof name !== "string") return new Set();
    unused.delete(name);
  }
  return unused;
}

function isOffered(input: unknown): boolean {
  return isMap(input) && input["description"] !== undefined && input["default"] !== undefined;
}

function objectOf(properties: Readonly<Record<string, unknown>>, required: readonly string[]): JsonSchema {
  return { type: "object", properties, ...(required.length > 0 && { required }) };
}

/** `string`, `string[]`, `string?`, `number=3`, `string="memory"`, `string[]?`. */
function readShort(text: string, path: YamlPath, report: ChainReport): ReadInput {
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

function readType(name: string, path: YamlPath, report: ChainReport): JsonSchema {
  let lists = 0;
  let item = name;
  for (; item.endsWith("[]") && lists < 8; lists++) item = item.slice(0, -2).trim();
  let json = readShape(item, path, report);
  for (; lists > 0; lists--) json = { type: "array", items: json };
  return json;
}

/** A default is JSON; text may stand without quotes. */
function readDefault(text: string, json: JsonSchema): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return json["type"] === "string" && typeof value !== "string" ? text : value;
  } catch {
    const quoted = /^'(.*)'$/s.exec(text);
    return quoted?.[1] ?? text;
  }
}

function readLong(given: unknown, path: YamlPath, report: ChainReport): ReadInput {
  const { required, optional, ...rest } = isMap(given) ? given : { required: undefined, optional: undefined };
  const shape = Array.isArray(required) ? { ...rest, required } : rest;
  const json = withLists(shape, path, report);
  const preset = json["default"];
  const fault = preset === undefined ? undefined : defaultFault(preset, json);
  if (fault !== undefined) report.add("bad_default", [...path, "default"], [fault]);
  return { json, required: preset === undefined && required !== false && optional !== true };
}

/** A described type may use `string[]` too. */
function withLists(shape: Readonly<Record<string, unknown>>, path: YamlPath, report: ChainReport): JsonSchema {
  const { type } = shape;
  if (typeof type !== "string" || !type.trim().endsWith("[]")) return readShape(shape, path, report);
  const { type: _, ...rest } = shape;
  return { ...readType(type.trim(), [...path, "type"], report), ...readShape(rest, path, report) };
}

function defaultFault(value: unknown, json: JsonSchema): string | undefined {
  const { type, items, enum: allowed } = json;
  const shown = JSON.stringify(value) ?? "nothing";
  const cut = shown.length > 80 ? `${shown.slice(0, 79)}…` : shown;
  if (typeof type === "string" && !isOfType(value, type)) return `the default ${cut} is not of the type ${type}`;
  if (Array.isArray(allowed) && !allowed.includes(value))
    return `the default ${cut} is not one of ${allowed.join(", ")}`;
  if (!Array.isArray(value) || !isMap(items)) return undefined;
  return value.map((item) => defaultFault(item, items)).find((fault) => fault !== undefined);
}
