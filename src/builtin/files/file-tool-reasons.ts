import { type ReasonFailure, type ReasonTable, createReasonTable, createReasonFailures } from "../../base/index.ts";

const fileToolGroups = {
  "execution_error, never": {
    no_match: "The text to be replaced is not in the file.",
    many_matches: "The text to be replaced is in the file more than once.",
  },
  validation_error: {
    no_change: "The old and the new text are the same.",
    bad_content: "The content does not match its encoding.",
    bad_range: "The range to read is invalid, or lies behind the end.",
    bad_pattern: "The pattern to search for cannot be used.",
  },
} as const;

/** Reasons of the file tools themselves; those of the file access are in `fileReasons`. */
export const fileToolReasons: ReasonTable<typeof fileToolGroups> = createReasonTable(fileToolGroups);

/** Creates a failure of a file tool with this reason; a retry would fail again. */
export const fileToolFailure: ReasonFailure<keyof typeof fileToolReasons> = createReasonFailures(fileToolReasons);
