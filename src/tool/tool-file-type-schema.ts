import { isFailureError } from "../base/index.ts";
import { type JsonSchema, fromJsonSchema, propertiesOf, type FileReport, isRecord, isOfType } from "../schema/index.ts";
import { type YamlPath, suggest, suggestHint } from "../text/index.ts";
import { type ParameterType, parameterTypes, validationSchemas } from "./tool-file-schema.ts";

/** Options of `validation` and the corresponding keywords. */
const keywordOf: Readonly<Record<string, string>> = {
  pattern: "pattern",
  min_length: "minLength",
  max_length: "maxLength",
  enum: "enum",
  min: "minimum",
  max: "maximum",
  items: "items",
  min_items: "minItems",
  max_items: "maxItems",
  properties: "properties",
  required: "required",
};

/** JSON Schema keywords that a described type may use besides those read here. */
const plainKeywords = new Set(
  "description title default examples enum const minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems uniqueItems minProperties maxProperties format deprecated readOnly writeOnly $ref $defs definitions $schema $id $comment not if then else contains propertyNames patternProperties dependentRequired contentEncoding contentMediaType".split(
    " ",
  ),
);

const listKeywords = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);

/** The keywords of one map that describes a type; `required: true` inside it concerns the parent map. */
interface ReadShape {
  readonly json: JsonSchema;
  readonly required: boolean;
}

/** Reads a type in its short form (`integer`, `any`) or described by a map, as JSON Schema. */
export function readTypeSchema(value: unknown, path: YamlPath, report: FileReport): JsonSchema {
  return readMember(value, path, report).json;
}

function readMember(value: unknown, path: YamlPath, report: FileReport): ReadShape {
  if (typeof value === "string") return { json: readType(value, path, report), required: false };
  if (typeof value === "boolean") return { json: value ? {} : { not: {} }, required: false };
  if (!isRecord(value)) {
    report.add("wrong_type", path, ["a type is a name, such as string, or a map that describes it"]);
    return { json: {}, required: false };
  }
  const json: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) readKeyword(json, [key, item, [...path, key]], report);
  if (isRecord(value["validation"])) {
    Object.assign(json, readValidation(value["type"], [value["validation"], [...path, "validation"]], report));
  }
  checkRequired(json, path, report);
  return { json, required: value["required"] === true };
}

function readKeyword(json: Record<string, unknown>, [key, value, path]: Keyword, report: FileReport): void {
  switch (key) {
    case "type":
      Object.assign(json, readTypes(value, path, report));
      break;
    case "properties":
      Object.assign(json, readProperties(value, path, report));
      break;
    case "items":
    case "additionalProperties":
      json[key] = typeof value === "boolean" ? value : readTypeSchema(value, path, report);
      break;
    case "pattern":
      json[key] = checkedPattern(value, path, report);
      break;
    case "required":
      addRequired(json, value);
      break;
    case "validation":
      break;
    default:
      readOther(json, [key, value, path], report);
  }
}

function readOther(json: Record<string, unknown>, [key, value, path]: Keyword, report: FileReport): void {
  if (listKeywords.has(key) && Array.isArray(value)) {
    json[key] = value.map((item, index) => readTypeSchema(item, [...path, index], report));
  } else if (plainKeywords.has(key) || listKeywords.has(key)) json[key] = value;
  else if (!key.startsWith("x-")) reportKeyword(key, path, report);
}

type Keyword = readonly [key: string, value: unknown, path: YamlPath];

function reportKeyword(key: string, path: YamlPath, report: FileReport): void {
  const known = keywordOf[key];
  const near = suggest(key, ["type", "properties", "items", "required", "pattern", ...plainKeywords, ...listKeywords]);
  const hint =
    known === undefined ? near && `did you mean "${near}"?` : `write "${known}", or put it under "validation"`;
  report.add("unknown_key", path, [`unknown key "${key}"`, { part: "key", hint }]);
}

/** `required: [a, b]` of this map; `required: true` is read by the parent map. */
function addRequired(json: Record<string, unknown>, value: unknown): void {
  const before = Array.isArray(json["required"]) ? (json["required"] as unknown[]) : [];
  if (Array.isArray(value)) json["required"] = [...new Set([...before, ...(value as unknown[])])];
  else if (typeof value !== "boolean") json["required"] = value;
}

function readTypes(value: unknown, path: YamlPath, report: FileReport): JsonSchema {
  if (typeof value === "string") return readType(value, path, report);
  if (!Array.isArray(value)) {
    report.add("wrong_type", path, ['"type" must be the name of a type']);
    return {};
  }
  const types = value.map((item, index) => readType(String(item), [...path, index], report)["type"]);
  return types.includes(undefined) ? {} : { type: types };
}

function readType(name: string, path: YamlPath, report: FileReport): JsonSchema {
  if (name === "any") return {};
  if (name === "null" || parameterTypes.some((type) => type === name)) return { type: name };
  const near = suggest(name, [...parameterTypes, "any", ...otherNames.keys()]);
  const hint =
    near === undefined ? `types: ${parameterTypes.join(", ")}, any` : `did you mean "${otherNames.get(near) ?? near}"?`;
  report.add("unknown_type", path, [`unknown type "${name}"`, { hint }]);
  return {};
}

/** Names of the types in other languages. */
const otherNames: ReadonlyMap<string, ParameterType> = new Map([
  ["str", "string"],
  ["text", "string"],
  ["int", "integer"],
  ["float", "number"],
  ["double", "number"],
  ["bool", "boolean"],
  ["list", "array"],
  ["dict", "object"],
  ["map", "object"],
]);

function readProperties(value: unknown, path: YamlPath, report: FileReport): JsonSchema {
  if (!isRecord(value)) {
    report.add("wrong_type", path, ['"properties" must be a map of names and types']);
    return {};
  }
  const members = Object.entries(value).map(([key, item]) => [key, readMember(item, [...path, key], report)] as const);
  const required = members.flatMap(([key, member]) => (member.required ? [key] : []));
  const properties = Object.fromEntries(members.map(([key, member]) => [key, member.json]));
  return { properties, ...(required.length > 0 && { required }) };
}

/** Names in `required` without a property are misspelled. */
function checkRequired({ properties, required }: JsonSchema, path: YamlPath, report: FileReport): void {
  if (!isRecord(properties) || !Array.isArray(required)) return;
  for (const [index, name] of required.entries()) {
    if (typeof name !== "string" || Object.hasOwn(properties, name)) continue;
    const hint = suggestHint(name, Object.keys(properties));
    report.add(
      "bad_value",
      [...path, "required", index],
      [`"required" names "${name}", which is not a property`, { hint }],
    );
  }
}

/** Reads the options of `validation` that a type has, as JSON Schema. */
export function readValidation(
  type: unknown,
  [options, path]: readonly [options: Readonly<Record<string, unknown>>, path: YamlPath],
  report: FileReport,
): JsonSchema {
  const own = parameterTypes.find((name) => name === type);
  if (own === undefined) return {};
  const schema = validationSchemas[own];
  const known = propertiesOf(schema);
  const usable = Object.entries(options).filter(([key, value]) => {
    const foreign = !Object.hasOwn(known, key) && Object.hasOwn(keywordOf, key);
    if (foreign) reportForeign(key, own, { path: [...path, key], report });
    return !foreign && report.check({ [key]: value }, schema, path);
  });
  const json: Record<string, unknown> = {};
  for (const [key, value] of usable) {
    if (value !== null) readKeyword(json, [keywordOf[key] ?? key, value, [...path, key]], report);
  }
  checkRequired(json, path, report);
  checkRange(json, path, report);
  checkEnum(own, [json["enum"], [...path, "enum"]], report);
  return json;
}

function reportForeign(
  key: string,
  type: ParameterType,
  { path, report }: { path: YamlPath; report: FileReport },
): void {
  const owners = parameterTypes.filter((name) => Object.hasOwn(propertiesOf(validationSchemas[name]), key));
  const message = `"${key}" does not apply to the type ${type}`;
  report.add("wrong_option", path, [message, { part: "key", hint: `it applies to ${owners.join(", ")}` }]);
}

function checkRange(json: JsonSchema, path: YamlPath, report: FileReport): void {
  for (const [low, high] of [
    ["min", "max"],
    ["min_length", "max_length"],
    ["min_items", "max_items"],
  ] as const) {
    const [from, to] = [json[keywordOf[low] ?? ""], json[keywordOf[high] ?? ""]];
    if (typeof from === "number" && typeof to === "number" && from > to) {
      report.add("bad_range", [...path, high], [`"${low}" is ${from} and "${high}" is ${to}: no value satisfies both`]);
    }
  }
}

function checkEnum(type: ParameterType, [values, path]: readonly [unknown, YamlPath], report: FileReport): void {
  if (!Array.isArray(values)) return;
  for (const [index, value] of values.entries()) {
    if (isOfType(value, type)) continue;
    const hint = type === "string" ? "put quotes around it" : undefined;
    const message = `${JSON.stringify(value)} does not have the type ${type}`;
    report.add("bad_enum", [...path, index], [message, { hint }]);
  }
}

/** An unusable pattern is reported at its own position. */
function checkedPattern(value: unknown, path: YamlPath, report: FileReport): unknown {
  try {
    fromJsonSchema({ pattern: value });
    return value;
  } catch (error) {
    if (!isFailureError(error)) throw error;
    const message = error.message.replace(/^in the JSON Schema at pattern: /, "");
    report.add(error.reason ?? "bad_pattern", path, [message]);
    return undefined;
  }
}
