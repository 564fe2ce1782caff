import { type ParsedYaml, type Position, type Problem, type YamlPath, suggest } from "../text/index.ts";
import type { JsonSchema } from "./schema.ts";

/** What goes with a problem besides its message. */
export interface Detail {
  readonly hint?: string | undefined;
  /** Underlines the key instead of the value. */
  readonly part?: "key" | "value";
  readonly severity?: Problem["severity"];
  /** A part of the value to underline instead of all of it. */
  readonly within?: string;
  /** The same by its place inside of the text that the value is: offset and length. */
  readonly inside?: readonly [offset: number, length: number];
}

/** Collects what is wrong with one file, each problem at its place. */
export class FileReport {
  readonly #problems: Problem[];
  readonly #yaml: ParsedYaml;
  readonly #file: string;
  readonly #lines: readonly string[];

  constructor(source: string, file: string, yaml: ParsedYaml) {
    this.#problems = [...yaml.problems];
    this.#yaml = yaml;
    this.#file = file;
    this.#lines = source.split("\n");
  }

  /** In the order of the file. */
  get problems(): readonly Problem[] {
    return this.#problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
  }

  /** Takes note of a problem at a path of the file. */
  add(code: string, path: YamlPath, [message, detail = {}]: readonly [message: string, detail?: Detail]): void {
    const { hint, part = "value", severity = "error" } = detail;
    this.#problems.push({
      severity,
      code,
      message,
      ...(hint !== undefined && { hint }),
      file: this.#file,
      ...this.#place(path, part, detail),
    });
  }

  /** Checks a value against one of the file format's own schemas; false when something was wrong. */
  check(value: unknown, schema: JsonSchema, path: YamlPath): boolean {
    const faults = faultsOf(value, schema, path);
    for (const { code, at, ...detail } of faults) this.add(code, at, [detail.message, detail]);
    return faults.length === 0;
  }

  #place(path: YamlPath, part: "key" | "value", { within, inside }: Detail): Position {
    if (inside !== undefined) return this.#yaml.locateInside(path, ...inside);
    const place = this.#yaml.locate(path, part);
    const column = within === undefined ? -1 : (this.#lines[place.line - 1] ?? "").indexOf(within, place.column - 1);
    return column < 0 ? place : { line: place.line, column: column + 1, length: within?.length ?? 1 };
  }
}

interface Fault extends Detail {
  readonly code: string;
  readonly at: YamlPath;
  readonly message: string;
}

/** The part of JSON Schema that the file format uses, with words for people. */
function faultsOf(value: unknown, schema: JsonSchema, at: YamlPath): Fault[] {
  const wrong = wrongKind(value, schema, at) ?? wrongValue(value, schema, at);
  if (wrong !== undefined) return [wrong];
  if (Array.isArray(value)) return itemFaults(value, schema, at);
  return isMap(value) ? keyFaults(value, schema, at) : [];
}

function wrongKind(value: unknown, schema: JsonSchema, at: YamlPath): Fault | undefined {
  const { type, anyOf, title } = schema as { type?: string | string[]; anyOf?: JsonSchema[]; title?: string };
  const forms = anyOf?.filter((form) => faultsOf(value, form, at).length === 0);
  const fits = type === undefined || [type].flat().some((name) => isOfType(value, name));
  if (fits && forms?.length !== 0) return undefined;
  const words = (anyOf ?? []).flatMap((form) => (Array.isArray(form["enum"]) ? form["enum"].map(String) : []));
  const near = typeof value === "string" ? suggest(value, words) : undefined;
  const wanted = title ?? (type === undefined ? "something else" : [type].flat().map(typeName).join(" or "));
  const message = `${quoted(at)} must be ${wanted}, got ${shown(value)}`;
  const hint = near === undefined ? kindHint(value, [type].flat()) : `did you mean "${near}"?`;
  return { code: near === undefined ? "wrong_type" : "bad_value", at, message, hint };
}

function kindHint(value: unknown, wanted: readonly unknown[]): string | undefined {
  if (wanted.includes("string") && (typeof value === "number" || typeof value === "boolean")) {
    return "put quotes around it";
  }
  if (wanted.includes("boolean") && typeof value === "string") {
    if (/^(?:yes|y|on)$/i.test(value)) return "write true";
    if (/^(?:no|n|off)$/i.test(value)) return "write false";
  }
  return wanted.includes("array") && typeof value === "string" ? `write a list: [${value}]` : undefined;
}

function wrongValue(value: unknown, schema: JsonSchema, at: YamlPath): Fault | undefined {
  const allowed = "const" in schema ? [schema["const"]] : schema["enum"];
  if (Array.isArray(allowed) && !allowed.includes(value)) {
    const near = suggest(String(value), allowed.map(String));
    const message = `${quoted(at)} must be ${allowed.length > 1 ? "one of " : ""}${allowed.join(", ")}, got ${shown(value)}`;
    return { code: "bad_value", at, message, hint: near === undefined ? undefined : `did you mean "${near}"?` };
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

function numberFault(value: number, { minimum, exclusiveMinimum }: JsonSchema): string | undefined {
  if (typeof minimum === "number" && value < minimum) return `must be at least ${minimum}, got ${value}`;
  if (typeof exclusiveMinimum === "number" && value <= exclusiveMinimum)
    return `must be above ${exclusiveMinimum}, got ${value}`;
  return undefined;
}

function itemFaults(value: readonly unknown[], schema: JsonSchema, at: YamlPath): Fault[] {
  const items = schema["items"];
  return isMap(items) ? value.flatMap((item, index) => faultsOf(item, items, [...at, index])) : [];
}

function keyFaults(value: Readonly<Record<string, unknown>>, schema: JsonSchema, at: YamlPath): Fault[] {
  const properties = isMap(schema["properties"]) ? schema["properties"] : {};
  const rest = schema["additionalProperties"];
  const required = Array.isArray(schema["required"]) ? (schema["required"] as readonly string[]) : [];
  const missing = required.filter((key) => !Object.hasOwn(value, key) || value[key] === null);
  const faults: Fault[] = missing.map((key) => {
    const owner = at.length === 0 ? "the file" : quoted(at);
    return { code: "missing_key", at, part: "key", message: `${owner} needs the key "${key}"` };
  });
  for (const [key, item] of Object.entries(value)) {
    const own = Object.hasOwn(properties, key) ? properties[key] : rest;
    if (own === false) faults.push(unknownKey(key, Object.keys(properties), [...at, key]));
    // An empty key (`tags:`) is as good as none.
    else if (isMap(own) && item !== null) faults.push(...faultsOf(item, own, [...at, key]));
  }
  return faults;
}

function unknownKey(key: string, known: readonly string[], at: YamlPath): Fault {
  const near = suggest(key, known);
  const message = `unknown key "${key}"`;
  const hint = near === undefined ? listHint(known) : `did you mean "${near}"?`;
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

function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (isMap(value)) return "a map";
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

function typeName(type: string): string {
  return typeNames[type] ?? type;
}

/** Is this value of a JSON Schema type? */
export function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case "array":
      return Array.isArray(value);
    case "object":
      return isMap(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

/** A YAML map: keys and values. */
export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
