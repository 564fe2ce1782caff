import { type ReasonFailure, failuresFor } from "../../base/index.ts";
import { showUnsafe } from "../../text/index.ts";

/** Every reason for which `text_process` or `json_process` fails. The reference in the docs is generated from it. */
export const dataReasons = {
  missing_parameter: { code: "validation_error", means: "The operation needs a parameter that is not there." },
  bad_parameter: { code: "validation_error", means: "A parameter has a value that the operation cannot use." },
  too_large: { code: "validation_error", means: "The input, or what the operation makes of it, is too large." },
  too_deep: { code: "validation_error", means: "The data nests too deep." },
  too_costly: { code: "validation_error", means: "The operation takes more work than is allowed." },
  bad_pattern: { code: "validation_error", means: "The pattern cannot be read, or needs to backtrack." },
  bad_encoding: { code: "validation_error", means: "The text is not in the encoding that it should be decoded from." },
  not_text: { code: "validation_error", means: "What was decoded is binary, not text." },
  not_json: { code: "validation_error", means: "The text is not JSON, or the value cannot be written as JSON." },
  forbidden_key: { code: "validation_error", means: "The data has a key that reaches prototypes." },
  wrong_type: { code: "validation_error", means: "The operation does not work on data of this type." },
  bad_path: { code: "validation_error", means: "The path cannot be read, or cannot be followed in this data." },
  bad_csv: { code: "validation_error", means: "The text is not CSV." },
  bad_patch: { code: "validation_error", means: "The list of changes is not a JSON Patch." },
  bad_schema: { code: "validation_error", means: "The schema is not a JSON Schema that can be used." },
  aborted: { code: "cancelled", means: "The caller cancelled the work." },
  patch_failed: { code: "execution_error", means: "A change of a JSON Patch does not fit the data.", retry: "never" },
} as const;

/** The name of one reason in {@link dataReasons}. */
export type DataReason = keyof typeof dataReasons;

const failureFor: ReasonFailure<DataReason> = failuresFor(dataReasons);

/** A failure for this reason. Whatever the message quotes of the data can be seen, also what a parser says of it. */
export const dataFailure: ReasonFailure<DataReason> = (reason, message, options) =>
  failureFor(reason, showUnsafe(message), options);

/** A parameter that the operation cannot do without. */
export function needed<T>(value: T | undefined, parameter: string, operation: string): T {
  if (value !== undefined) return value;
  throw dataFailure("missing_parameter", `the operation ${operation} needs \`${parameter}\``, { parameter });
}
