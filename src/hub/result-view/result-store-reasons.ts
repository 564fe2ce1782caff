import { type ReasonFailure, createReasonFailures } from "../../base/index.ts";

/** Reasons for which a part of a stored result cannot be read. */
export const resultStoreReasons = {
  bad_handle: { code: "validation_error", meaning: "This is not a handle of a result." },
  unknown_result: {
    code: "not_available",
    meaning: "No result is stored under this handle for this caller and conversation.",
    retry: "never",
  },
  result_expired: { code: "not_available", meaning: "The stored result has expired.", retry: "never" },
  bad_path: { code: "validation_error", meaning: "The JSONPath cannot be read, or takes too much work." },
  not_json: { code: "validation_error", meaning: "The result is text: a JSONPath leads nowhere in it." },
  out_of_bounds: { code: "validation_error", meaning: "The path, the offset or the lines lead beyond the result." },
  bad_lines: {
    code: "validation_error",
    meaning: "The lines are not written as `10-20`, or cannot be combined with the other arguments.",
  },
} as const;

/** The name of one reason in {@link resultStoreReasons}. */
export type ResultStoreReason = keyof typeof resultStoreReasons;

/** A failure to read a stored result, for this reason. */
export const resultStoreFailure: ReasonFailure<ResultStoreReason> = createReasonFailures(resultStoreReasons);
