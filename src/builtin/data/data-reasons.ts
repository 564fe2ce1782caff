import { type ReasonFailure, createReasonFailures } from "../../base/index.ts";
import { showUnsafe } from "../../text/index.ts";

/** Reasons for which `text_process` or `json_process` fails. The reference in the docs is generated from it. */
export const dataReasons = {
  missing_parameter: { code: "validation_error", meaning: "The operation needs a parameter that is missing." },
  bad_parameter: { code: "validation_error", meaning: "A parameter has a value that the operation cannot use." },
  too_large: { code: "validation_error", meaning: "The input or the output of the operation is too large." },
  too_deep: { code: "validation_error", meaning: "The data nests too deep." },
  too_costly: { code: "validation_error", meaning: "The operation takes more work than is allowed." },
  bad_pattern: { code: "validation_error", meaning: "The pattern cannot be read, or needs to backtrack." },
  bad_encoding: {
    code: "validation_error",
    meaning: "The text is not in the encoding that it should be decoded from.",
  },
  not_text: { code: "validation_error", meaning: "The decoded data is binary, not text." },
  not_json: { code: "validation_error", meaning: "The text is not JSON, or the value cannot be written as JSON." },
  forbidden_key: { code: "validation_error", meaning: "The data has a key that reaches prototypes." },
  wrong_type: { code: "validation_error", meaning: "The operation does not work on data of this type." },
  bad_path: { code: "validation_error", meaning: "The path cannot be read, or cannot be followed in this data." },
  bad_csv: { code: "validation_error", meaning: "The text is not CSV." },
  bad_patch: { code: "validation_error", meaning: "The list of changes is not a JSON Patch." },
  bad_schema: { code: "validation_error", meaning: "The schema is not a JSON Schema that can be used." },
  aborted: { code: "cancelled", meaning: "The caller cancelled the work." },
  patch_failed: { code: "execution_error", meaning: "A change of a JSON Patch does not fit the data.", retry: "never" },
} as const;

/** The name of one reason in {@link dataReasons}. */
export type DataReason = keyof typeof dataReasons;

const failureFor: ReasonFailure<DataReason> = createReasonFailures(dataReasons);

/**
 * Creates a failure with this reason. Invisible characters in quoted data are shown escaped, also in messages of a
 * parser.
 */
export const dataFailure: ReasonFailure<DataReason> = (reason, message, options) =>
  failureFor(reason, showUnsafe(message), options);

/** Returns a required parameter, or throws. */
export function requireParameter<T>(value: T | undefined, parameter: string, operation: string): T {
  if (value !== undefined) return value;
  throw dataFailure("missing_parameter", `the operation ${operation} needs \`${parameter}\``, { parameter });
}
