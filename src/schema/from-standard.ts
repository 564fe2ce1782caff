import { type Issue, FailureError, formatPath, isFailureError } from "../base/index.ts";
import { type BrokenRule, toIssues } from "./broken-rule.ts";
import { valueAt, isImpossible, isRecord, subSchemas } from "./subschemas.ts";
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
import { issuePath, toBrokenRule } from "./zod-issues.ts";
import { type Revive, zodRevival } from "./zod-revival.ts";
import { copyFrozenJson } from "./copy-json.ts";
import { zodJsonOptions } from "./zod-json-schema.ts";

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
  const why = error instanceof Error ? error.message : String(error);
  return { path: [], code: "custom", message: `the value could not be checked: ${why}` };
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
    const why = error instanceof Error ? error.message : String(error);
    throw invalid(`the ${props.vendor} schema cannot be converted to JSON Schema: ${why}`, "not_json");
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
