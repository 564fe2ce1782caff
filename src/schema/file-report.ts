import { type ParsedYaml, type SourceRange, type Problem, type YamlPath, suggest, suggestHint } from "../text/index.ts";
import type { JsonSchema } from "./schema.ts";
import { isRecord, propertiesOf } from "./subschemas.ts";

/** Details of a problem besides its message. */
export interface ProblemDetail {
  readonly hint?: string | undefined;
  /** Underlines the key instead of the value. */
  readonly part?: "key" | "value";
  readonly severity?: Problem["severity"];
  /** A part of the value to underline instead of all of it. */
  readonly within?: string;
  /** The same as offset and length inside the text of the value. */
  readonly inside?: readonly [offset: number, length: number];
  /** Another file whose errors cause the problem. */
  readonly cause?: string | undefined;
}

/** Collects the problems of one file, each with its position. */
export class FileReport {
  readonly #problems: Problem[];
  /** Lines of values that are not supported. */
  readonly #unread: ReadonlySet<number>;
  readonly #yaml: ParsedYaml;
  readonly #file: string;
  readonly #lines: readonly string[];

  constructor(source: string, file: string, yaml: ParsedYaml) {
    this.#problems = [...yaml.problems];
    this.#unread = new Set(yaml.problems.flatMap(({ code, line }) => (code === "alias" ? [line] : [])));
    this.#yaml = yaml;
    this.#file = file;
    this.#lines = source.split("\n");
  }

  /** In the order of the file. */
  get problems(): readonly Problem[] {
    return this.#problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
  }

  /** Records a problem at a path of the file. */
  add(code: string, path: YamlPath, [message, detail = {}]: readonly [message: string, detail?: ProblemDetail]): void {
    const { hint, part = "value", severity = "error", cause } = detail;
    const position = this.#position(path, part, detail);
    // The value in this line was not read as it was meant.
    if (this.#unread.has(position.line)) return;
    this.#problems.push({
      severity,
      code,
      message,
      ...(hint !== undefined && { hint }),
      file: this.#file,
      ...(cause !== undefined && { cause }),
      ...position,
    });
  }

  /** Checks a value against one of the file format's own schemas; false if there was a problem. */
  check(value: unknown, schema: JsonSchema, path: YamlPath): boolean {
    const faults = faultsOf(value, schema, path);
    for (const { code, at, ...detail } of faults) this.add(code, at, [detail.message, detail]);
    return faults.length === 0;
  }

  #position(path: YamlPath, part: "key" | "value", { within, inside }: ProblemDetail): SourceRange {
    if (inside !== undefined) return this.#yaml.locateInside(path, ...inside);
    const location = this.#yaml.locate(path, part);
    const column =
      within === undefined ? -1 : (this.#lines[location.line - 1] ?? "").indexOf(within, location.column - 1);
    return column < 0 ? location : { line: location.line, column: column + 1, length: within?.length ?? 1 };
  }
}

interface Fault extends ProblemDetail {
  readonly code: string;
  readonly at: YamlPath;
  readonly message: string;
}

/** Checks the part of JSON Schema that the file format uses, with readable messages. */
function faultsOf(value: unknown, schema: JsonSchema, at: YamlPath): Fault[] {
  const wrong = wrongKind(value, schema, at) ?? wrongValue(value, schema, at);
  if (wrong !== undefined) return [wrong];
  if (Array.isArray(value)) return itemFaults(value, schema, at);
  return isRecord(value) ? keyFaults(value, schema, at) : [];
}

/** True if a value fits a schema without `anyOf`, regardless of its items and of the values of its keys. */
export function fitsShallow(value: unknown, schema: JsonSchema): boolean {
  if (wrongKind(value, schema, []) !== undefined || wrongValue(value, schema, []) !== undefined) return false;
  return !isRecord(value) || missingKeys(value, schema).length === 0;
}

function wrongKind(value: unknown, schema: JsonSchema, at: YamlPath): Fault | undefined {
  const { type, anyOf, title } = schema as { type?: string | string[]; anyOf?: JsonSchema[]; title?: string };
  const forms = anyOf?.filter((form) => faultsOf(value, form, at).length === 0);
  const fits = type === undefined || [type].flat().some((name) => isOfType(value, name));
  if (fits && forms?.length !== 0) return undefined;
  const words = (anyOf ?? []).flatMap((form) => (Array.isArray(form["enum"]) ? form["enum"].map(String) : []));
  const near = typeof value === "string" ? suggestHint(value, words) : undefined;
  const expected = title ?? (type === undefined ? "something else" : [type].flat().map(describeType).join(" or "));
  const message = `${quoted(at)} must be ${expected}, got ${formatShownValue(value)}`;
  const hint = near ?? kindHint(value, [type].flat());
  return { code: near === undefined ? "wrong_type" : "bad_value", at, message, hint };
}

function kindHint(value: unknown, expected: readonly unknown[]): string | undefined {
  if (expected.includes("string") && (typeof value === "number" || typeof value === "boolean")) {
    return "put quotes around it";
  }
  if (expected.includes("boolean") && typeof value === "string") {
    if (/^(?:yes|y|on)$/i.test(value)) return "write true";
    if (/^(?:no|n|off)$/i.test(value)) return "write false";
  }
  if (isRecord(value) && expected.includes("array")) return 'start each item of the list with "- "';
  return typeof value === "string" ? lineHint(value, expected) : undefined;
}

/** A text in place of a map or a list is often a line that lacks a space or a dash. */
function lineHint(value: string, expected: readonly unknown[]): string | undefined {
  const [, key, rest] = /^([\w-]+):(\S[^\n]{0,80})$/.exec(value) ?? [];
  if (expected.includes("object") && key !== undefined) return `write ${key}: ${rest}, with a space after the colon`;
  if (!expected.includes("array")) return undefined;
  if (/^-\S/.test(value)) return `write - ${value.slice(1, 80)}, with a space after the dash`;
  return / - /.test(value) ? 'start each item with "- "' : `write a list: [${value}]`;
}

function wrongValue(value: unknown, schema: JsonSchema, at: YamlPath): Fault | undefined {
  const allowed = "const" in schema ? [schema["const"]] : schema["enum"];
  if (Array.isArray(allowed) && !allowed.includes(value)) {
    const hint = suggestHint(String(value), allowed.map(String));
    const message = `${quoted(at)} must be ${allowed.length > 1 ? "one of " : ""}${allowed.join(", ")}, got ${formatShownValue(value)}`;
    return { code: "bad_value", at, message, hint };
  }
  const limit = limitFault(value, schema);
  return limit === undefined ? undefined : { code: "bad_value", at, message: `${quoted(at)} ${limit}` };
}

function limitFault(value: unknown, schema: JsonSchema): string | undefined {
  const { minLength, minItems, pattern } = schema;
  if (typeof value === "string") {
    if (minLength !== undefined && value.trim() === "") return "must not be empty";
    return typeof pattern === "string" && !new RegExp(pattern).test(value) ? "is no such text" : undefined;
  }
  if (Array.isArray(value)) return minItems !== undefined && value.length === 0 ? "must not be empty" : undefined;
  return typeof value === "number" ? numberFault(value, schema) : undefined;
}

function numberFault(value: number, schema: JsonSchema): string | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if (typeof minimum === "number" && value < minimum) return `must be at least ${minimum}, got ${value}`;
  if (typeof maximum === "number" && value > maximum) return `must be at most ${maximum}, got ${value}`;
  if (typeof exclusiveMinimum === "number" && value <= exclusiveMinimum)
    return `must be above ${exclusiveMinimum}, got ${value}`;
  if (typeof exclusiveMaximum === "number" && value >= exclusiveMaximum)
    return `must be below ${exclusiveMaximum}, got ${value}`;
  return undefined;
}

function itemFaults(value: readonly unknown[], schema: JsonSchema, at: YamlPath): Fault[] {
  const items = schema["items"];
  return isRecord(items) ? value.flatMap((item, index) => faultsOf(item, items, [...at, index])) : [];
}

function keyFaults(value: Readonly<Record<string, unknown>>, schema: JsonSchema, at: YamlPath): Fault[] {
  const properties = propertiesOf(schema);
  const known = Object.keys(properties);
  const schemaOf = (key: string): unknown =>
    Object.hasOwn(properties, key) ? properties[key] : schema["additionalProperties"];
  const unknown = Object.keys(value).filter((key) => schemaOf(key) === false);
  const misspelled = new Set(unknown.map((key) => suggest(key, known)));
  const faults: Fault[] = missingKeys(value, schema).flatMap((key) => {
    // A misspelled key is reported once.
    if (misspelled.has(key)) return [];
    const owner = at.length === 0 ? "the file" : quoted(at);
    return [{ code: "missing_key", at, part: "key", message: `${owner} needs the key "${key}"` }];
  });
  for (const [key, item] of Object.entries(value)) {
    const own = schemaOf(key);
    if (own === false) faults.push(unknownKey(key, known, [...at, key]));
    // An empty key (`tags:`) counts as missing.
    else if (isRecord(own) && item !== null) faults.push(...faultsOf(item, own, [...at, key]));
  }
  return faults;
}

function missingKeys(value: Readonly<Record<string, unknown>>, { required }: JsonSchema): string[] {
  const keys = Array.isArray(required) ? (required as readonly string[]) : [];
  return keys.filter((key) => !Object.hasOwn(value, key) || value[key] === null);
}

function unknownKey(key: string, known: readonly string[], at: YamlPath): Fault {
  const message = `unknown key "${key}"`;
  const hint = suggestHint(key, known) ?? listHint(known);
  return { code: "unknown_key", at, part: "key", message, hint };
}

function listHint(known: readonly string[]): string {
  return known.length === 0 ? "nothing can be set here" : `known here: ${known.join(", ")}`;
}

/** The last named part of a path, as the reader sees it in the file. */
function quoted(path: YamlPath): string {
  const last = path.at(-1);
  if (last === undefined) return "the file";
  return typeof last === "number" ? `item ${last + 1} of "${String(path.at(-2))}"` : `"${last}"`;
}

function formatShownValue(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (isRecord(value)) return "a map";
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

const typeNames: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a map",
};

/** A JSON Schema type in the words of files: `a list`. */
export function describeType(type: string): string {
  return typeNames[type] ?? type;
}

/** True if the value has this JSON Schema type. */
export function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case "array":
      return Array.isArray(value);
    case "object":
      return isRecord(value);
    case "integer":
      return Number.isInteger(value);
    case "null":
      return value === null;
    default:
      return typeof value === type;
  }
}
