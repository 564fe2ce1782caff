import { type Issue, FailureError, formatPath, isFailureError, errorMessage } from "../base/index.ts";
import { type BrokenRule, toIssues, explainUnion } from "./broken-rule.ts";
import { valueAt, isImpossible, isRecord, subSchemas, listOf } from "./subschemas.ts";
import { checkJsonSchema } from "./check-json-schema.ts";
import type { JsonSchema, Schema, Validation } from "./schema.ts";
import type {
  StandardInput,
  StandardIssue,
  StandardOutput,
  StandardProps,
  StandardResult,
  StandardSchema,
  JsonSchemaConverter,
} from "./standard-schema.ts";
import { withUnknownKeyIssues } from "./unknown-keys.ts";
import { type AsyncCheck, asyncZodCheck, isAsyncZod, isZodNode } from "./zod-node.ts";
import { type Revive, zodRevival } from "./zod-revival.ts";
import { copyFrozenJson } from "./copy-json.ts";
import { zodJsonOptions } from "./zod-json-schema.ts";
import type { ValueLocation, Rule } from "./rule.ts";

/** Options of {@link fromStandard} for obtaining the JSON Schema. */
export interface FromStandardOptions {
  /** The JSON Schema, for a library that cannot produce one. */
  readonly json?: JsonSchema;
  /** The side that the JSON Schema describes: input (default) or output. */
  readonly side?: "input" | "output";
}

/**
 * Creates a schema from any Standard Schema: Zod, Valibot, ArkType and others. If Zod expects a type that JSON
 * cannot carry, text is revived first: date-times into `Date`, digits into `bigint`.
 *
 * @example
 * ```ts
 * const schema = fromStandard(z.object({ when: z.date() }));
 * schema.json; // { type: "object", properties: { when: { type: "string", format: "date-time" } }, … }
 * schema.validate({ when: "2026-01-31T10:00:00Z" }); // { value: { when: Date } }
 * ```
 */
export function fromStandard<S extends StandardSchema>(
  schema: S,
  options: FromStandardOptions = {},
): Schema<StandardOutput<S>, StandardInput<S>> {
  const side = options.side ?? "input";
  const json =
    options.json === undefined
      ? standardJsonSchema(schema["~standard"], side)
      : checkJsonSchema(options.json, { patterns: false });
  const revive = side === "input" && isZodNode(schema) ? zodRevival(schema) : undefined;
  return new StandardSchemaSchema(schema, json, revive);
}

class StandardSchemaSchema implements Schema {
  readonly json: JsonSchema;
  readonly #vendor: string;
  readonly #revive: Revive | undefined;
  readonly #asyncCheck: AsyncCheck | undefined;
  #check: StandardProps["validate"];

  constructor(schema: StandardSchema, json: JsonSchema, revive: Revive | undefined) {
    // Read once: some libraries create these at every access.
    const { vendor, validate } = schema["~standard"];
    this.json = json;
    this.#vendor = vendor;
    this.#revive = revive;
    this.#asyncCheck = asyncZodCheck(schema);
    this.#check = isZodNode(schema) && isAsyncZod(schema) ? (this.#asyncCheck ?? validate) : validate;
  }

  validate(value: unknown): Validation<unknown> | Promise<Validation<unknown>> {
    try {
      const result = this.#check(this.#revive === undefined ? value : this.#revive(value));
      if (result instanceof Promise) return this.#settle(result, value);
      // The library's own result object is a Validation already.
      return result.issues === undefined ? result : { issues: this.#explain(result.issues, value) };
    } catch (error) {
      return { issues: [thrown(error)] };
    }
  }

  async #settle(pending: Promise<StandardResult<unknown>>, value: unknown): Promise<Validation<unknown>> {
    // Once asynchronous, always asynchronous: the synchronous path is skipped from now on.
    this.#check = this.#asyncCheck ?? this.#check;
    try {
      const result = await pending;
      return result.issues === undefined ? result : { issues: this.#explain(result.issues, value) };
    } catch (error) {
      return { issues: [thrown(error)] };
    }
  }

  #explain(issues: readonly StandardIssue[], value: unknown): readonly Issue[] {
    const at = { path: [], value };
    const broken = issues.flatMap((issue) =>
      this.#vendor === "zod" ? toBrokenRule({ ...issue }, at) : [plainBroken(issue, value)],
    );
    return withUnknownKeyIssues(toIssues(broken), { json: this.json, value });
  }
}

/** An issue of a library whose vocabulary is unknown here: its own text, which often names the location already. */
function plainBroken(issue: StandardIssue, value: unknown): BrokenRule {
  const path = issuePath(issue);
  const location = { path, value: valueAt(value, path) };
  const missing = location.value === undefined && path.length > 0;
  return {
    rule: missing ? { code: "required" } : { code: "custom", message: "" },
    location,
    message: issue.message,
  };
}

/** A check that throws is a bug of the schema, yet the call must end in a value. */
function thrown(error: unknown): Issue {
  return { path: [], code: "custom", message: `the value could not be checked: ${errorMessage(error)}` };
}

/** The JSON Schema that a Standard Schema provides for itself, frozen; throws `tool_invalid` if it cannot. */
function standardJsonSchema(props: StandardProps, side: "input" | "output"): JsonSchema {
  const { $schema: _dialect, ...json } = convert(props, side);
  const copy = copyFrozenJson(json, { maxDepth: 192, maxChars: 1024 * 1024 });
  if (!copy.ok) throw invalid(`the JSON Schema of the ${props.vendor} schema ${copy.fault}`, copy.reason);
  // A copy of an object is an object.
  const schema = copy.value as JsonSchema;
  if (side === "input") refuseImpossible(schema, []);
  return schema;
}

function convert(props: StandardProps, side: "input" | "output"): Record<string, unknown> {
  const converter = converterOf(props);
  // The output schema is optional: outputs need no description in advance.
  if (converter === undefined && side === "output") return {};
  if (converter === undefined) {
    const remedy = "pass `inputJsonSchema` with it, or use a version of the library that can";
    throw invalid(`this ${props.vendor} schema cannot describe itself as JSON Schema; ${remedy}`, "no_json_schema");
  }
  const libraryOptions = optionsFor(props.vendor, side);
  try {
    return converter[side]({ target: "draft-2020-12", ...(libraryOptions !== undefined && { libraryOptions }) });
  } catch (error) {
    if (isFailureError(error)) throw error;
    throw invalid(`the ${props.vendor} schema cannot be converted to JSON Schema: ${errorMessage(error)}`, "not_json");
  }
}

function converterOf(props: object): JsonSchemaConverter | undefined {
  const converter: unknown = Reflect.get(props, "jsonSchema");
  // By the specification a converter has both methods.
  return isRecord(converter) && typeof converter["input"] === "function" ? (converter as never) : undefined;
}

/** ArkType silently drops types that JSON cannot carry, and the tool could then never be called. */
function refuseArkType(feature: string): () => never {
  return () => {
    throw invalid(`JSON cannot carry ${feature}; accept text and morph it, as in "string.date.parse"`, "not_json");
  };
}

const arkTypeOptions = {
  fallback: {
    date: refuseArkType("a Date"),
    domain: refuseArkType("a bigint or a symbol"),
    proto: refuseArkType("an instance of a class"),
  },
};

function optionsFor(vendor: string, side: "input" | "output"): Record<string, unknown> | undefined {
  if (vendor === "zod") return zodJsonOptions(side);
  return vendor === "arktype" && side === "input" ? arkTypeOptions : undefined;
}

/** A required key that accepts no JSON value, such as `z.undefined()`, makes every call fail. */
function refuseImpossible(schema: JsonSchema, path: readonly (string | number)[]): void {
  const { properties, required } = schema;
  for (const key of Array.isArray(required) ? required : []) {
    if (!isRecord(properties) || !isImpossible(properties[String(key)])) continue;
    const name = formatPath([...path, String(key)]);
    throw invalid(`no JSON value matches ${name}, yet it is required; make it optional or remove it`, "not_json");
  }
  for (const inner of subSchemas(schema)) {
    const [keyword, key] = inner.path;
    // An impossible form of a union only means that another one is used.
    if (!isRecord(inner.schema) || (keyword !== "properties" && keyword !== "items" && keyword !== "allOf")) continue;
    refuseImpossible(inner.schema, keyword === "properties" && key !== undefined ? [...path, key] : path);
  }
}

function invalid(message: string, reason: string): FailureError {
  return new FailureError(message, { code: "tool_invalid", reason });
}

/** A Zod issue, with the fields of its `code`. */
type ZodIssue = StandardIssue & Readonly<Record<string, unknown>>;

/** Translates a Zod issue; `at` is the location of the schema that reported it. */
function toBrokenRule(issue: ZodIssue, at: ValueLocation): readonly BrokenRule[] {
  const inner = issuePath(issue);
  const location: ValueLocation = { path: [...at.path, ...inner], value: valueAt(at.value, inner) };
  if (issue["code"] === "unrecognized_keys")
    return listOf(issue["keys"]).map((key) => unknownKey(String(key), location));
  if (issue["code"] === "invalid_union") return union(issue, location);
  const rule = ruleOf(issue, location);
  // A message that is not Zod's own was written by the tool's author; a missing value needs no custom message.
  const ours = defaultZodMessage.test(issue.message) || rule.code === "custom" || rule.code === "required";
  return [ours ? { rule, location } : { rule, location, message: issue.message }];
}

const defaultZodMessage = /^(?:Invalid |Too big: |Too small: |Unrecognized key)/;

/** The path of a Standard Schema issue, whose parts may be keys or objects with a key. */
function issuePath(issue: StandardIssue): (string | number)[] {
  // Some libraries return a list of a custom class.
  return Array.from(issue.path ?? [], (part) => {
    const key = typeof part === "object" ? part.key : part;
    return typeof key === "symbol" ? String(key) : key;
  });
}

function unknownKey(key: string, location: ValueLocation): BrokenRule {
  return { rule: { code: "unknown", known: [] }, location: { path: [...location.path, key], value: undefined } };
}

function union(issue: ZodIssue, location: ValueLocation): readonly BrokenRule[] {
  const options = listOf(issue["options"]);
  if (options.length > 0) {
    const rule: Rule = location.value === undefined ? { code: "required" } : { code: "enum", allowed: options };
    return [{ rule, location }];
  }
  if (issue["inclusive"] === false) {
    return [
      { rule: { code: "union", message: "matches more than one of several mutually exclusive forms" }, location },
    ];
  }
  if (location.value === undefined && location.path.length > 0) return [{ rule: { code: "required" }, location }];
  const forms = listOf(issue["errors"]).map((form) =>
    listOf(form).flatMap((inner) => toBrokenRule(inner as ZodIssue, location)),
  );
  return explainUnion(forms, location);
}

function ruleOf(issue: ZodIssue, location: ValueLocation): Rule {
  switch (issue["code"]) {
    case "invalid_type":
      return typeRule(String(issue["expected"]), location);
    case "invalid_value":
      return location.value === undefined && location.path.length > 0
        ? { code: "required" }
        : { code: "enum", allowed: listOf(issue["values"]) };
    case "too_small":
      return boundRule("min", String(issue["origin"]), { limit: issue["minimum"], inclusive: issue["inclusive"] });
    case "too_big":
      return boundRule("max", String(issue["origin"]), { limit: issue["maximum"], inclusive: issue["inclusive"] });
    case "not_multiple_of":
      return { code: "multiple_of", divisor: issue["divisor"] };
    case "invalid_format":
      return formatRule(issue);
    case "invalid_key":
      return { code: "custom", message: "is not an allowed key" };
    default:
      return { code: "custom", message: customMessage(issue.message) };
  }
}

function typeRule(expected: string, location: ValueLocation): Rule {
  if (location.value === undefined && location.path.length > 0) return { code: "required" };
  return expected === "never"
    ? { code: "custom", message: "is not allowed here" }
    : { code: "type", expected: [expected] };
}

function boundRule(
  bound: "min" | "max",
  origin: string,
  { limit, inclusive }: { limit: unknown; inclusive: unknown },
): Rule {
  if (origin === "string") return { code: `${bound}_length`, limit };
  if (origin === "array" || origin === "set" || origin === "tuple") return { code: `${bound}_items`, limit };
  if (origin === "object" || origin === "record" || origin === "map") return { code: `${bound}_properties`, limit };
  const shown = origin === "date" ? new Date(Number(limit)) : limit;
  return { code: bound, limit: shown, exclusive: inclusive === false };
}

/** Zod's names of formats that differ from those of JSON Schema. */
const formatNames: ReadonlyMap<string, string> = new Map([
  ["datetime", "date-time"],
  ["guid", "uuid"],
]);

function formatRule(issue: ZodIssue): Rule {
  const format = String(issue["format"]);
  if ((format === "regex" || format === "template_literal") && typeof issue["pattern"] === "string") {
    return { code: "pattern", pattern: issue["pattern"].replace(/^\/(.*)\/[a-z]*$/s, "$1") };
  }
  if (format === "starts_with")
    return { code: "custom", message: `must start with ${JSON.stringify(issue["prefix"])}` };
  if (format === "ends_with") return { code: "custom", message: `must end with ${JSON.stringify(issue["suffix"])}` };
  if (format === "includes") return { code: "custom", message: `must include ${JSON.stringify(issue["includes"])}` };
  return { code: "format", format: formatNames.get(format) ?? format };
}

function customMessage(message: string): string {
  return message === "Invalid input" ? "is not valid" : `is not valid: ${message}`;
}
