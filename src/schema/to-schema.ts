import { FailureError } from "../base/index.ts";
import { fromJsonSchema } from "./from-json-schema.ts";
import { fromStandard } from "./from-standard.ts";
import type { JsonInput, JsonOutput } from "./json-type.ts";
import type { JsonSchema, Schema } from "./schema.ts";
import { type StandardInput, type StandardOutput, type StandardSchema, isStandardSchema } from "./standard-schema.ts";
import { isRecord } from "./subschemas.ts";

/** A JSON Schema as plain data, recognized by its `type`. */
export interface PlainJsonSchema extends JsonSchema {
  readonly type: string | readonly string[];
}

/** Anything that can describe a tool's input or output. */
export type AnySchema = StandardSchema | Schema | PlainJsonSchema;

/**
 * The type that callers pass to a schema of any dialect; `Plain` is the type of values of a JSON Schema that is not a
 * literal.
 */
export type SchemaInput<S, Plain = unknown> = S extends StandardSchema
  ? StandardInput<S>
  : S extends Schema<infer _Out, infer In>
    ? In
    : Known<JsonInput<S>, Plain>;

/** The type that a schema of any dialect outputs; `Plain` as in {@link SchemaInput}. */
export type SchemaOutput<S, Plain = unknown> = S extends StandardSchema
  ? StandardOutput<S>
  : S extends Schema<infer Out, infer _In>
    ? Out
    : Known<JsonOutput<S>, Plain>;

type Known<T, Plain> = unknown extends T ? Plain : T;

/**
 * The schema itself, or a Standard Schema or JSON Schema converted to one.
 *
 * @example
 * ```ts
 * toSchema(z.object({ url: z.url() })).validate({ url: "x" }); // { issues: [{ path: ["url"], code: "format", … }] }
 * ```
 */
export function toSchema<const S extends AnySchema>(schema: S): Schema<SchemaOutput<S>, SchemaInput<S>> {
  // SchemaInput and SchemaOutput branch on the same test, which the compiler cannot see.
  if (isStandardSchema(schema)) return fromStandard(schema) as Schema<SchemaOutput<S>, SchemaInput<S>>;
  if (isSchema(schema)) return schema as Schema<SchemaOutput<S>, SchemaInput<S>>;
  if (isPlainJsonSchema(schema)) return fromJsonSchema(schema);
  throw new FailureError(
    "expected a Standard Schema (zod, valibot, arktype, …), a JSON Schema with `type`, or the result of fromJsonSchema()",
    { code: "tool_invalid" },
  );
}

function isPlainJsonSchema(value: unknown): value is PlainJsonSchema {
  return isRecord(value) && (typeof value["type"] === "string" || Array.isArray(value["type"]));
}

function isSchema(value: unknown): value is Schema {
  return (
    typeof value === "object" &&
    value !== null &&
    "json" in value &&
    "validate" in value &&
    typeof value.validate === "function"
  );
}
