import { type ReasonFailure, type ReasonTable, createReasonTable, createReasonFailures } from "../../base/index.ts";
import { showUnsafe } from "../../text/index.ts";

const dataGroups = {
  validation_error: {
    missing_parameter: "The operation needs a parameter that is missing.",
    bad_parameter: "A parameter has a value that the operation cannot use.",
    too_large: "The input or the output of the operation is too large.",
    too_deep: "The data nests too deep.",
    too_costly: "The operation takes more work than is allowed.",
    bad_pattern: "The pattern cannot be read, or needs to backtrack.",
    bad_encoding: "The text is not in the encoding that it should be decoded from.",
    not_text: "The decoded data is binary, not text.",
    not_json: "The text is not JSON, or the value cannot be written as JSON.",
    forbidden_key: "The data has a key that reaches prototypes.",
    wrong_type: "The operation does not work on data of this type.",
    bad_path: "The path cannot be read, or cannot be followed in this data.",
    bad_csv: "The text is not CSV.",
    bad_patch: "The list of changes is not a JSON Patch.",
    bad_schema: "The schema is not a JSON Schema that can be used.",
  },
  cancelled: { aborted: "The caller cancelled the work." },
  "execution_error, never": { patch_failed: "A change of a JSON Patch does not fit the data." },
} as const;

/** Reasons for which `text_process` or `json_process` fails. The reference in the docs is generated from it. */
export const dataReasons: ReasonTable<typeof dataGroups> = createReasonTable(dataGroups);

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
