import { FailureError } from "../base/index.ts";
import { fromStandard } from "./from-standard.ts";
import type { Schema } from "./schema.ts";
import { type StandardInput, type StandardOutput, type StandardSchema, isStandardSchema } from "./standard-schema.ts";

/** Anything that can describe a tool's input or output. */
export type AnySchema = StandardSchema | Schema;

/** What callers pass to a schema of any dialect. */
export type SchemaInput<S> = S extends StandardSchema
  ? StandardInput<S>
  : S extends Schema<infer _Out, infer In>
    ? In
    : never;

/** What a schema of any dialect gives. */
export type SchemaOutput<S> = S extends StandardSchema
  ? StandardOutput<S>
  : S extends Schema<infer Out, infer _In>
    ? Out
    : never;

/**
 * The schema itself, or a Standard Schema seen as one.
 *
 * @example
 * ```ts
 * toSchema(z.object({ url: z.url() })).validate({ url: "x" }); // { issues: [{ path: ["url"], code: "format", … }] }
 * ```
 */
export function toSchema<S extends AnySchema>(schema: S): Schema<SchemaOutput<S>, SchemaInput<S>> {
  // The branches of SchemaInput and SchemaOutput follow the same test, which the compiler cannot see.
  if (isStandardSchema(schema)) return fromStandard(schema) as Schema<SchemaOutput<S>, SchemaInput<S>>;
  if (isSchema(schema)) return schema as Schema<SchemaOutput<S>, SchemaInput<S>>;
  throw new FailureError("expected a Standard Schema (zod, valibot, arktype, …) or the result of fromJsonSchema()", {
    code: "tool_invalid",
  });
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
