import { type Issue, formatPath, isFailureError } from "../../../base/index.ts";
import { type JsonSchema, type SyncSchema, fromJsonSchema } from "../../../schema/index.ts";
import { dataFailure } from "../data-reasons.ts";
import { isObject } from "./change-value.ts";

/** Result of a validation, and the issues. */
export interface ValueCheck {
  readonly valid: boolean;
  readonly issues: readonly { readonly path: string; readonly code: string; readonly message: string }[];
}

/** Compiling a schema takes long for its size. */
const maxSchemaSize = 64 * 1024;
const maxIssues = 100;

/** Validates a value against a JSON Schema (2020-12, or draft-07 if declared). */
export function checkValue(value: unknown, schema: unknown): ValueCheck {
  const checked = schemaFrom(schema).validate(value);
  const issues: readonly Issue[] = checked.issues ?? [];
  const unusable = issues.find(({ code }) => code === "schema_invalid");
  if (unusable !== undefined) throw badSchema(unusable.message);
  const costly = issues.find(({ code }) => code === "too_costly");
  // A validation that was not completed is neither valid nor invalid.
  if (costly !== undefined) throw dataFailure("too_costly", costly.message, { parameter: "data" });
  return {
    valid: issues.length === 0,
    issues: issues.slice(0, maxIssues).map(({ path, code, message }) => ({ path: formatPath(path), code, message })),
  };
}

function schemaFrom(schema: unknown): SyncSchema {
  if (!isObject(schema)) throw badSchema("`schema` must be a JSON Schema, an object");
  if (JSON.stringify(schema).length > maxSchemaSize) {
    throw badSchema(`\`schema\` is larger than ${maxSchemaSize / 1024} KiB`);
  }
  try {
    return fromJsonSchema(schema satisfies JsonSchema);
  } catch (error) {
    if (!isFailureError(error)) throw error;
    throw badSchema(error.message, error);
  }
}

function badSchema(message: string, cause?: unknown): Error {
  return dataFailure("bad_schema", message, { parameter: "schema", cause });
}
