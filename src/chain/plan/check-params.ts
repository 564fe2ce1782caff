import type { Issue } from "../../base/index.ts";
import { type JsonSchema, isMap, resolveRef, showValue, unknownKeys } from "../../schema/index.ts";
import type { YamlPath } from "../../text/index.ts";
import type { ChainReport } from "./chain-report.ts";
import { type SchemaPart, literalIssues, missingKeys } from "./literal-issues.ts";

/** What a call passes, and where the file says so. */
export interface GivenParams {
  /** As the file has them, expressions not evaluated. */
  readonly params: Readonly<Record<string, unknown>> | undefined;
  readonly path: YamlPath;
  /** Where the tool is named: what is missing is told there when there are no params at all. */
  readonly toolPath: YamlPath;
  /** `the tool "web_search"` */
  readonly target: string;
}

/** Checks what is known of a call's arguments before anything runs against the schema of what it calls. */
export function checkParams(given: GivenParams, json: JsonSchema, report: ChainReport): void {
  const check = new ParamsCheck(given, json, report);
  check.unknown();
  check.visit(given.params ?? {}, { root: json, node: json }, []);
}

type Path = readonly (string | number)[];

class ParamsCheck {
  readonly #given: GivenParams;
  readonly #json: JsonSchema;
  readonly #report: ChainReport;
  /** What unknown keys were probably meant to be: they are not missing as well. */
  readonly #meant = new Set<string>();

  constructor(given: GivenParams, json: JsonSchema, report: ChainReport) {
    this.#given = given;
    this.#json = json;
    this.#report = report;
  }

  /** Misspelt names. One that resembles none, of a tool that takes others too, may be meant for it. */
  unknown(): void {
    const { params, path, target } = this.#given;
    for (const { path: inner, suggestion } of unknownKeys(this.#json, params ?? {})) {
      if (suggestion !== undefined) this.#meant.add(JSON.stringify([...inner.slice(0, -1), suggestion]));
      const certain = suggestion !== undefined || isClosedAt(this.#json, inner.slice(0, -1));
      const known = namesAt(this.#json, inner.slice(0, -1));
      const hint = suggestion === undefined ? listHint(known) : `did you mean "${suggestion}"?`;
      const message = `${target} has no parameter "${String(inner.at(-1)).slice(0, 80)}"`;
      const severity = certain ? "error" : "warning";
      this.#report.add("unknown_parameter", [...path, ...inner], [message, { hint, part: "key", severity }]);
    }
  }

  /** Constant parts are validated; of the others, what has to be there is looked for. */
  visit(value: unknown, part: SchemaPart, path: Path): void {
    const { root } = part;
    const node = dereference(part);
    if (node === undefined || isTemplate(value)) return;
    if (isConstant(value)) {
      for (const issue of literalIssues(value, { root, node }, path)) this.#refuse(issue);
      return;
    }
    if (isInvolved(node)) return;
    if (Array.isArray(value)) {
      const { items } = node;
      if (isMap(items))
        for (const [index, item] of value.entries()) this.visit(item, { root, node: items }, [...path, index]);
    } else if (isMap(value)) this.#visitKeys(value, { root, node }, path);
  }

  #visitKeys(value: Readonly<Record<string, unknown>>, { root, node }: SchemaPart, path: Path): void {
    for (const key of missingKeys(value, node)) {
      this.#refuse({ path: [...path, key], code: "required", message: "is required" });
    }
    const { properties } = node;
    if (!isMap(properties)) return;
    for (const [key, item] of Object.entries(value)) {
      const own = Object.hasOwn(properties, key) ? properties[key] : undefined;
      if (isMap(own)) this.visit(item, { root, node: own }, [...path, key]);
    }
  }

  #refuse({ path: inner, code, message, suggestion }: Issue): void {
    const { path, target } = this.#given;
    if (code === "required") {
      if (!this.#meant.has(JSON.stringify(inner))) this.#missing(inner);
    } else if (code !== "unknown") {
      const hint = suggestion === undefined ? this.#hint(inner) : `did you mean ${JSON.stringify(suggestion)}?`;
      const text = message.replace(/; did you mean ".*"\?$/, "");
      this.#report.add("bad_parameter", [...path, ...inner], [`${target}: ${text}`, { hint }]);
    }
  }

  /** What a value of this kind looks like. */
  #hint(inner: Path): string | undefined {
    const value = valueAt(this.#given.params, inner);
    const node = nodeAt(this.#json, inner);
    const wanted = [node?.["type"]].flat();
    if (wanted.includes("string") && (typeof value === "number" || typeof value === "boolean"))
      return "put quotes around it";
    const example = exampleOf(node ?? {});
    return example === undefined ? undefined : `write ${example}, or an expression: \${…}`;
  }

  #missing(inner: Path): void {
    const { params, path, toolPath, target } = this.#given;
    const within = inner.slice(0, -1);
    const place = within.length > 0 ? [...path, ...within] : params === undefined ? toolPath : path;
    const name = String(inner.at(-1));
    const where = within.length > 0 ? ` in "${String(within.at(-1))}"` : "";
    const message = `${target} needs the parameter "${name}"${where}`;
    const part = params === undefined ? "value" : "key";
    this.#report.add("missing_parameter", place, [message, { part, hint: `add "${name}"` }]);
  }
}

/** The schema itself, its reference followed; undefined where nothing is said. */
function dereference({ root, node }: SchemaPart): JsonSchema | undefined {
  let found: JsonSchema = node;
  for (let hops = 0; hops < 16 && typeof found["$ref"] === "string"; hops++) {
    const target = resolveRef(root, found["$ref"]);
    if (!isMap(target)) return undefined;
    found = target;
  }
  return found;
}

const involved = [
  "anyOf",
  "oneOf",
  "allOf",
  "not",
  "if",
  "dependentSchemas",
  "dependentRequired",
  "dependencies",
  "$ref",
];

/** Says more than can be looked at part by part. */
function isInvolved(node: JsonSchema): boolean {
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
        : isMap(properties) && Object.hasOwn(properties, step)
          ? properties[step]
          : undefined;
    node = isMap(below) ? dereference({ root: json, node: below }) : undefined;
  }
  return node;
}

function valueAt(params: unknown, path: Path): unknown {
  let value = params;
  for (const step of path) {
    value = typeof value === "object" && value !== null ? (value as Record<string | number, unknown>)[step] : undefined;
  }
  return value;
}

/** One value that a schema takes, in words. */
function exampleOf({ type, minimum = 1, examples, enum: allowed }: JsonSchema): string | undefined {
  const [example] = [examples, allowed].flatMap((values) => (Array.isArray(values) ? values.slice(0, 1) : []));
  if (example !== undefined) return `something like ${showValue(example)}`;
  if (type === "number" || type === "integer") return `a number such as ${showValue(minimum)}`;
  return typeof type === "string" ? forms.get(type) : undefined;
}

const forms: ReadonlyMap<string, string> = new Map([
  ["boolean", "true or false"],
  ["array", "a list: [ … ]"],
  ["object", "a map: { … }"],
]);

function isClosedAt(json: JsonSchema, path: Path): boolean {
  return nodeAt(json, path)?.["additionalProperties"] === false;
}

function namesAt(json: JsonSchema, path: Path): readonly string[] {
  const properties = nodeAt(json, path)?.["properties"];
  return isMap(properties) ? Object.keys(properties) : [];
}

function listHint(names: readonly string[]): string {
  if (names.length === 0) return "it takes none";
  return `parameters: ${names.slice(0, 12).join(", ")}${names.length > 12 ? ", …" : ""}`;
}
