import { type ReasonFailure, createReasonFailures } from "../../base/index.ts";

/** Reasons of the file tools themselves; those of the file access are in `fileReasons`. */
export const fileToolReasons = {
  no_match: { code: "execution_error", meaning: "The text to be replaced is not in the file.", retry: "never" },
  many_matches: {
    code: "execution_error",
    meaning: "The text to be replaced is in the file more than once.",
    retry: "never",
  },
  no_change: { code: "validation_error", meaning: "The old and the new text are the same.", retry: "never" },
  bad_content: { code: "validation_error", meaning: "The content does not match its encoding.", retry: "never" },
  bad_range: {
    code: "validation_error",
    meaning: "The range to read is invalid, or lies behind the end.",
    retry: "never",
  },
  bad_pattern: { code: "validation_error", meaning: "The pattern to search for cannot be used.", retry: "never" },
} as const;

/** Creates a failure of a file tool with this reason; a retry would fail again. */
export const fileToolFailure: ReasonFailure<keyof typeof fileToolReasons> = createReasonFailures(fileToolReasons);
