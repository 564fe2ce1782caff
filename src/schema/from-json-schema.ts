import { errorMessage } from "../base/index.ts";
import type { ErrorObject } from "ajv";
import type { Issue } from "../base/index.ts";
import { type BrokenRule, toIssues, explainUnion } from "./broken-rule.ts";
import { checkJsonSchema } from "./check-json-schema.ts";
import {
  type CompiledSchema,
  ValidationBudget,
  compileJsonSchema,
  hasDefaults,
  isValidationBudgetExceeded,
} from "./compile-json-schema.ts";
import { type PlainCheck, plainCheck } from "./plain-check.ts";
import type { JsonSchema, SyncSchema, Validation } from "./schema.ts";
import { isRecord, setOwn, propertiesOf, resolveRef, valueAt } from "./subschemas.ts";
import { withUnknownKeyIssues } from "./unknown-keys.ts";
import { type ValueLocation, type Rule, maxSchemaIssues } from "./rule.ts";

/**
 * Creates a schema from JSON Schema (2020-12; draft-07 if `$schema` or the tuple form says so). Defaults are filled
 * into a copy, patterns match in linear time, `format` is checked for known formats. An unusable schema throws a
 * `tool_invalid` failure here; the validator itself is compiled on first use.
 *
 * @example
 * ```ts
 * const schema = fromJsonSchema<{ url: string }>({ type: "object", properties: { url: { type: "string" } } });
 * schema.validate({ url: 1 }); // { issues: [{ path: ["url"], code: "type", message: "url must be a string, got 1" }] }
 * ```
 *
 * @see docs/guide/tools.md
 */
export function fromJsonSchema<Out = unknown, In = unknown>(json: JsonSchema): SyncSchema<Out, In> {
  return new JsonSchemaSchema(checkJsonSchema(json));
}

class JsonSchemaSchema<Out, In> implements SyncSchema<Out, In> {
  readonly json: JsonSchema;
  readonly #writes: boolean;
  readonly #work = new ValidationBudget();
  #compiled: CompiledSchema | undefined;
  /** Null for a schema that needs the compiled validator. */
  #plain: PlainCheck | null | undefined;
  #uses = 0;

  constructor(json: JsonSchema) {
    this.json = json;
    this.#writes = hasDefaults(json);
  }

  validate(value: unknown): Validation<Out> {
    try {
      this.#work.start(checkingSteps);
      const plain = this.#compiled === undefined ? this.#plainly(value) : undefined;
      if (plain !== undefined) return plain;
      const compiled = (this.#compiled ??= compileJsonSchema(this.json, this.#work));
      const own = this.#writes ? copyContainers(value) : value;
      // The schema has just validated the value.
      if (compiled.accepts(own)) return { value: own as Out };
      return { issues: this.#explain(own, compiled) };
    } catch (error) {
      return { issues: [notValidated(error)] };
    }
  }

  /** Accepts a value without the compiler, or leaves it to the compiled validator. */
  #plainly(value: unknown): Validation<Out> | undefined {
    if (this.#plain === undefined) this.#plain = plainCheck(this.json, this.#work) ?? null;
    if (this.#plain === null || ++this.#uses > fewUses) return undefined;
    const own = this.#writes ? copyContainers(value) : value;
    // The schema has just validated the value.
    if (this.#plain(own)) return { value: own as Out };
    this.#work.start(checkingSteps);
    return undefined;
  }

  #explain(value: unknown, compiled: CompiledSchema): readonly Issue[] {
    const issues = new JsonIssues(this.json, compiled);
    const broken =
      (isLarge(value) ? undefined : this.#attempt(() => issues.explain(value))) ??
      this.#attempt(() => issues.explainFirst(value)) ??
      [];
    return broken.length === 0 ? [unexplained] : withUnknownKeyIssues(toIssues(broken), { json: this.json, value });
  }

  /**
   * Explaining collects details that checking skips, so it gets a smaller budget, and falls back to a simpler
   * explanation.
   */
  #attempt(explain: () => BrokenRule[]): BrokenRule[] | undefined {
    try {
      this.#work.start(explainingSteps);
      return explain();
    } catch (error) {
      if (isValidationBudgetExceeded(error)) return undefined;
      throw error;
    }
  }
}

/** A schema that is used more often is worth compiling: then a check takes a quarter of the time. */
const fewUses = 64;
const checkingSteps = 30_000_000;
const explainingSteps = 1_000_000;
const unexplained: Issue = { path: [], code: "custom", message: "the value does not match the schema" };

/** All errors of a large value would be too many; the first is enough. */
function isLarge(value: unknown, max: number = 10_000): boolean {
  let count = 0;
  const open = [value];
  while (open.length > 0) {
    const node = open.pop();
    if (++count > max) return true;
    if (typeof node !== "object" || node === null) continue;
    for (const item of Object.values(node)) open.push(item);
    if (open.length > max) return true;
  }
  return false;
}

/** Copies the containers that defaults may be written into; everything else is shared. */
function copyContainers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyContainers);
  if (!isRecord(value)) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) setOwn(copy, key, copyContainers(value[key]));
  return copy;
}

function notValidated(error: unknown): Issue {
  if (isValidationBudgetExceeded(error)) {
    return {
      path: [],
      code: "too_costly",
      message: "the value needs too much work to check; send shorter text or fewer items",
    };
  }
  if (error instanceof RangeError) {
    return { path: [], code: "too_deep", message: "the value is nested too deeply; flatten it" };
  }
  return { path: [], code: "schema_invalid", message: `the tool's schema is unusable: ${errorMessage(error)}` };
}

/** Maximum depth at which nested unions are explained. */
const maxUnionDepth = 4;

/** Translates the errors of a compiled JSON Schema into broken rules. */
class JsonIssues {
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
