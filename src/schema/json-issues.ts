import type { ErrorObject } from "ajv";
import { type BrokenRule, explainUnion } from "./broken-rule.ts";
import type { CompiledSchema } from "./compile-json-schema.ts";
import { isRecord, propertiesOf, resolveRef, valueAt } from "./subschemas.ts";
import { type ValueLocation, type Rule, maxSchemaIssues } from "./rule.ts";
import type { JsonSchema } from "./schema.ts";

/** Maximum depth at which nested unions are explained. */
const maxUnionDepth = 4;

/** Translates the errors of a compiled JSON Schema into broken rules. */
export class JsonIssues {
  readonly #json: JsonSchema;
  readonly #compiled: CompiledSchema;

  constructor(json: JsonSchema, compiled: CompiledSchema) {
    this.#json = json;
    this.#compiled = compiled;
  }

  /** The broken rules of a value that was not accepted. */
  explain(value: unknown): BrokenRule[] {
    return this.#translate(this.#compiled.errors(value), { path: [], value }, 0);
  }

  /** Explains only one error, if listing all would be too much work. */
  explainFirst(value: unknown): BrokenRule[] {
    return this.#translate((this.#compiled.accepts.errors ?? []).slice(-1), { path: [], value }, 0);
  }

  #translate(errors: readonly ErrorObject[], at: ValueLocation, depth: number): BrokenRule[] {
    const retained: ErrorObject[] = [];
    for (const error of errors) {
      // The errors of a union's forms directly precede the union's own, in one flat list.
      if (isUnion(error)) while (isInside(retained.at(-1), error)) retained.pop();
      retained.push(error);
    }
    return retained.slice(0, maxSchemaIssues).flatMap((error) => this.#broken(error, at, depth));
  }

  #broken(error: ErrorObject, at: ValueLocation, depth: number): readonly BrokenRule[] {
    const inner = readPointer(error.instancePath, at.value);
    const location: ValueLocation = { path: [...at.path, ...inner], value: valueAt(at.value, inner) };
    if (isUnion(error)) return this.#union(error, location, depth);
    if (error.propertyName !== undefined) return [badKey(error.propertyName, location)];
    const key = keyOf(error);
    if (key !== undefined) return [{ rule: this.#keyRule(error), location: below(location, key) }];
    const rule = valueRule(error);
    return rule === undefined ? [] : [{ rule, location }];
  }

  #union(error: ErrorObject, location: ValueLocation, depth: number): readonly BrokenRule[] {
    if (Array.isArray(error.params["passingSchemas"])) {
      return [
        { rule: { code: "union", message: "matches more than one of several mutually exclusive forms" }, location },
      ];
    }
    const holder = resolveRef(this.#json, parentOf(error.schemaPath));
    const forms = isRecord(holder) ? holder[error.keyword] : undefined;
    const count = Array.isArray(forms) ? forms.length : 0;
    if (count === 0 || depth >= maxUnionDepth) {
      return [{ rule: { code: "union", message: "has none of the allowed forms" }, location }];
    }
    const broken = Array.from({ length: count }, (_, index) =>
      this.#translate(this.#compiled.errors(location.value, `${error.schemaPath}/${index}`), location, depth + 1),
    );
    return explainUnion(broken, location);
  }

  #keyRule(error: ErrorObject): Rule {
    if (!error.keyword.endsWith("Properties")) return { code: "required" };
    const holder = resolveRef(this.#json, parentOf(error.schemaPath));
    return { code: "unknown", known: isRecord(holder) ? Object.keys(propertiesOf(holder)) : [] };
  }
}

function isUnion(error: ErrorObject): boolean {
  return error.keyword === "anyOf" || error.keyword === "oneOf";
}

function isInside(error: ErrorObject | undefined, union: ErrorObject): boolean {
  if (error === undefined || !isBelow(error.instancePath, union.instancePath)) return false;
  if (error.schemaPath.startsWith(`${union.schemaPath}/`)) return true;
  // An error behind a reference has a separate path.
  return !error.schemaPath.startsWith(parentOf(union.schemaPath));
}

function isBelow(path: string, parent: string): boolean {
  return path === parent || path.startsWith(`${parent}/`);
}

/** The missing or surplus key, if the error is about a key. */
function keyOf(error: ErrorObject): string | undefined {
  const { missingProperty, additionalProperty, unevaluatedProperty }: Record<string, unknown> = error.params;
  const key = missingProperty ?? additionalProperty ?? unevaluatedProperty;
  return typeof key === "string" ? key : undefined;
}

function below(location: ValueLocation, key: string): ValueLocation {
  return { path: [...location.path, key], value: valueAt(location.value, [key]) };
}

function badKey(name: string, location: ValueLocation): BrokenRule {
  return {
    rule: { code: "custom", message: `must not have the key ${JSON.stringify(name.slice(0, 80))}` },
    location,
  };
}

type Params = Readonly<Record<string, unknown>>;

const ruleOf: ReadonlyMap<string, (params: Params) => Rule | undefined> = new Map<
  string,
  (params: Params) => Rule | undefined
>([
  ["type", ({ type }) => ({ code: "type", expected: [type].flat().map(String) })],
  ["pattern", ({ pattern }) => ({ code: "pattern", pattern: String(pattern) })],
  ["enum", ({ allowedValues }) => ({ code: "enum", allowed: Array.isArray(allowedValues) ? allowedValues : [] })],
  ["const", ({ allowedValue }) => ({ code: "enum", allowed: [allowedValue] })],
  ["minimum", ({ limit }) => ({ code: "min", limit })],
  ["maximum", ({ limit }) => ({ code: "max", limit })],
  ["exclusiveMinimum", ({ limit }) => ({ code: "min", limit, exclusive: true })],
  ["exclusiveMaximum", ({ limit }) => ({ code: "max", limit, exclusive: true })],
  ["multipleOf", ({ multipleOf }) => ({ code: "multiple_of", divisor: multipleOf })],
  ["minLength", ({ limit }) => ({ code: "min_length", limit })],
  ["maxLength", ({ limit }) => ({ code: "max_length", limit })],
  ["minItems", ({ limit }) => ({ code: "min_items", limit })],
  ["maxItems", ({ limit }) => ({ code: "max_items", limit })],
  ["items", ({ limit }) => ({ code: "max_items", limit })],
  ["additionalItems", ({ limit }) => ({ code: "max_items", limit })],
  ["minProperties", ({ limit }) => ({ code: "min_properties", limit })],
  ["maxProperties", ({ limit }) => ({ code: "max_properties", limit })],
  ["uniqueItems", () => ({ code: "unique_items" })],
  ["format", ({ format }) => ({ code: "format", format: String(format) })],
  ["contains", () => ({ code: "custom", message: "does not contain a required item" })],
  // The accompanying errors already report the cause of these two.
  ["if", () => undefined],
  ["propertyNames", () => undefined],
]);

function valueRule(error: ErrorObject): Rule | undefined {
  const rule = ruleOf.get(error.keyword);
  return rule === undefined ? { code: "custom", message: "is not allowed here" } : rule(error.params);
}

function readPointer(pointer: string, value: unknown): (string | number)[] {
  const path: (string | number)[] = [];
  let node = value;
  for (const part of pointer.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    path.push(Array.isArray(node) && /^\d+$/.test(key) ? Number(key) : key);
    node = valueAt(node, [key]);
  }
  return path;
}

function parentOf(pointer: string): string {
  return pointer.slice(0, pointer.lastIndexOf("/"));
}
