import type { Issue } from "../../base/index.ts";
import {
  type JsonSchema,
  type Schema,
  isRecord,
  describeType,
  resolveRef,
  showValue,
  unknownKeys,
  valueAt,
  propertiesOf,
  ownValue,
} from "../../schema/index.ts";
import type { YamlPath } from "../../text/index.ts";
import type { ChainReport } from "./chain-report.ts";
import { type SchemaPart, literalIssues, missingKeys } from "./literal-issues.ts";

/** Parameters of a call, and their position in the file. */
export interface CallParams {
  /** As written in the file, expressions not evaluated. */
  readonly params: Readonly<Record<string, unknown>> | undefined;
  readonly path: YamlPath;
  /** Position of the tool's name: missing parameters are reported there if there are no params at all. */
  readonly toolPath: YamlPath;
  /** `the tool "web_search"` */
  readonly target: string;
  /** JSON Schema type of a text with an expression, if it is known. */
  readonly typeOf: (text: string) => string | undefined;
}

/** Checks the statically known arguments of a call against the schema of its callee. */
export function checkParams(
  rawValue: CallParams,
  { json, keepsUndeclared = false }: Schema,
  report: ChainReport,
): void {
  const check = new ParamsCheck(rawValue, json, report);
  check.unknown(keepsUndeclared);
  check.visit(rawValue.params ?? {}, { root: json, node: json }, []);
}

type Path = readonly (string | number)[];

class ParamsCheck {
  readonly #input: CallParams;
  readonly #json: JsonSchema;
  readonly #report: ChainReport;
  /** Probable intended names of unknown keys: these are not reported as missing as well. */
  readonly #resolved = new Set<string>();

  constructor(rawValue: CallParams, json: JsonSchema, report: ChainReport) {
    this.#input = rawValue;
    this.#json = json;
    this.#report = report;
  }

  /** Reports undeclared names. One that resembles no parameter may be intended if the tool gets undeclared ones, too. */
  unknown(keepsUndeclared: boolean): void {
    const { params, path, target } = this.#input;
    for (const { path: inner, suggestion } of unknownKeys(this.#json, params ?? {})) {
      if (suggestion !== undefined) this.#resolved.add(JSON.stringify([...inner.slice(0, -1), suggestion]));
      const holder = nodeAt(this.#json, inner.slice(0, -1)) ?? {};
      const certain = !keepsUndeclared || suggestion !== undefined || holder["additionalProperties"] === false;
      const known = Object.keys(propertiesOf(holder));
      const hint = suggestion === undefined ? listHint(known) : `did you mean "${suggestion}"?`;
      const message = `${target} has no parameter "${String(inner.at(-1)).slice(0, 80)}"`;
      const severity = certain ? "error" : "warning";
      this.#report.add("unknown_parameter", [...path, ...inner], [message, { hint, part: "key", severity }]);
    }
  }

  /** Validates constant parts; in the others, checks for missing keys. */
  visit(value: unknown, part: SchemaPart, path: Path): void {
    const { root } = part;
    const node = dereference(part);
    if (node === undefined) return;
    if (isTemplate(value)) return this.#checkType(String(value), node, path);
    if (isConstant(value)) {
      for (const issue of literalIssues(value, { root, node }, path)) this.#refuse(issue);
      return;
    }
    if (isInvolved(node)) return;
    if (Array.isArray(value)) {
      const { items } = node;
      if (isRecord(items))
        for (const [index, item] of value.entries()) this.visit(item, { root, node: items }, [...path, index]);
    } else if (isRecord(value)) this.#visitKeys(value, { root, node }, path);
  }

  /** Checks the type of an expression where both types are known. */
  #checkType(text: string, node: JsonSchema, inner: Path): void {
    const expected = [node["type"]].flat().filter((type) => typeof type === "string");
    const found = expected.length === 0 || isInvolved(node) ? undefined : this.#input.typeOf(text);
    // A number may be whole; everything else has to be of the type itself.
    if (found === undefined || expected.some((type) => found === type || (isNumber(found) && isNumber(type)))) return;
    const { path, target } = this.#input;
    const message = `${target}: "${String(inner.at(-1))}" must be ${expected.map(describeType).join(" or ")}, but this is ${describeType(found)}`;
    this.#report.add("bad_parameter", [...path, ...inner], [message, { hint: conversionHint(text, found, expected) }]);
  }

  #visitKeys(value: Readonly<Record<string, unknown>>, { root, node }: SchemaPart, path: Path): void {
    for (const key of missingKeys(value, node)) {
      this.#refuse({ path: [...path, key], code: "required", message: "is required" });
    }
    for (const [key, item] of Object.entries(value)) {
      const own = ownValue(node["properties"], key);
      if (isRecord(own)) this.visit(item, { root, node: own }, [...path, key]);
    }
  }

  #refuse({ path: inner, code, message, suggestion }: Issue): void {
    if (code === "required") {
      if (!this.#resolved.has(JSON.stringify(inner))) this.#missing(inner);
    } else if (code !== "unknown") {
      const hint = suggestion === undefined ? this.#hint(inner) : `did you mean ${JSON.stringify(suggestion)}?`;
      const text = message.replace(/; did you mean ".*"\?$/, "");
      this.#report.add("bad_parameter", [...this.#input.path, ...inner], [`${this.#input.target}: ${text}`, { hint }]);
    }
  }

  /** Example of a valid value. */
  #hint(inner: Path): string | undefined {
    const value = valueAt(this.#input.params, inner);
    const node = nodeAt(this.#json, inner);
    const types = [node?.["type"]].flat();
    if (types.includes("string") && (typeof value === "number" || typeof value === "boolean"))
      return "put quotes around it";
    const example = exampleOf(node ?? {});
    return example === undefined ? undefined : `write ${example}, or an expression: \${…}`;
  }

  #missing(inner: Path): void {
    const { params, path, toolPath, target } = this.#input;
    if (params === undefined && this.#report.isMisspelled(path)) return;
    const within = inner.slice(0, -1);
    const position = within.length > 0 ? [...path, ...within] : params === undefined ? toolPath : path;
    const name = String(inner.at(-1));
    const where = within.length > 0 ? ` in "${String(within.at(-1))}"` : "";
    const message = `${target} needs the parameter "${name}"${where}`;
    const part = params === undefined ? "value" : "key";
    this.#report.add("missing_parameter", position, [message, { part, hint: `add "${name}"` }]);
  }
}

/** The schema itself, its reference followed; undefined if there is none. */
export function dereference({ root, node }: SchemaPart): JsonSchema | undefined {
  let found: JsonSchema = node;
  for (let hops = 0; hops < 16 && typeof found["$ref"] === "string"; hops++) {
    const target = resolveRef(root, found["$ref"]);
    if (!isRecord(target)) return undefined;
    found = target;
  }
  return found;
}

const involved = "anyOf oneOf allOf not if dependentSchemas dependentRequired dependencies $ref".split(" ");

/** True if the schema cannot be checked part by part. */
export function isInvolved(node: JsonSchema): boolean {
  return involved.some((keyword) => node[keyword] !== undefined);
}

function isTemplate(value: unknown): boolean {
  return typeof value === "string" && value.includes("${");
}

function isConstant(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return !isTemplate(value);
  return Object.values(value).every(isConstant);
}

function nodeAt(json: JsonSchema, path: Path): JsonSchema | undefined {
  let node = dereference({ root: json, node: json });
  for (const step of path) {
    const { properties, items }: JsonSchema = node ?? {};
    const below: unknown =
      typeof step === "number"
        ? items
        : isRecord(properties) && Object.hasOwn(properties, step)
          ? properties[step]
          : undefined;
    node = isRecord(below) ? dereference({ root: json, node: below }) : undefined;
  }
  return node;
}

/** One valid value of a schema, as text. */
function exampleOf({ type, minimum = 1, examples, enum: allowed }: JsonSchema): string | undefined {
  const [example] = [examples, allowed].flatMap((values) => (Array.isArray(values) ? values.slice(0, 1) : []));
  if (example !== undefined) return `a value such as ${showValue(example)}`;
  if (type === "number" || type === "integer") return `a number such as ${showValue(minimum)}`;
  return typeof type === "string" ? forms.get(type) : undefined;
}

function isNumber(type: string): boolean {
  return type === "number" || type === "integer";
}

/** The expression that converts the value, if there is one. */
function conversionHint(text: string, found: string, expected: readonly string[]): string | undefined {
  const [, expression] = /^\s*\$\{([^}]*)\}\s*$/.exec(text) ?? [];
  if (expression === undefined) return "write one expression without text around it: ${…}";
  const toText = found === "array" || found === "object" ? "json" : "str";
  const name = expected.includes("string") ? toText : found === "string" && expected.some(isNumber) ? "num" : undefined;
  if (name !== undefined) return `convert it: \${${name}(${expression.trim()})}`;
  return expected.includes("array") ? `write it as a list: ["\${${expression.trim()}}"]` : undefined;
}

const forms: ReadonlyMap<string, string> = new Map([
  ["boolean", "true or false"],
  ["array", "a list: [ … ]"],
  ["object", "a map: { … }"],
]);

function listHint(names: readonly string[]): string {
  if (names.length === 0) return "it takes no parameters";
  return `parameters: ${names.slice(0, 12).join(", ")}${names.length > 12 ? ", …" : ""}`;
}
