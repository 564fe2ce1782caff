import { type ReasonFailure, failuresFor } from "../../base/index.ts";

/** Every reason for which a part of a kept result cannot be read. */
export const shelfReasons = {
  bad_handle: { code: "validation_error", means: "This is no handle of a result." },
  unknown_result: {
    code: "not_available",
    means: "No result is kept under this handle for this caller and conversation.",
    retry: "never",
  },
  result_expired: { code: "not_available", means: "The result was kept and its time is up.", retry: "never" },
  bad_path: { code: "validation_error", means: "The JSONPath cannot be read, or takes too much work." },
  not_json: { code: "validation_error", means: "The result is text: a JSONPath leads nowhere in it." },
  nothing_there: { code: "validation_error", means: "The path, the offset or the lines lead beyond the result." },
  bad_lines: { code: "validation_error", means: "The lines are not written as `10-20`, or do not go with the rest." },
} as const;

/** The name of one reason in {@link shelfReasons}. */
export type ShelfReason = keyof typeof shelfReasons;

/** A failure to read a kept result, for this reason. */
export const refuseResult: ReasonFailure<ShelfReason> = failuresFor(shelfReasons);
