import { type ReasonFailure, failuresFor } from "../../base/index.ts";

/** Reasons of the file tools themselves; those of the file door are in `fileReasons`. */
export const fileToolReasons = {
  no_match: { code: "execution_error", means: "The text to be replaced is not in the file.", retry: "never" },
  many_matches: {
    code: "execution_error",
    means: "The text to be replaced is in the file more than once.",
    retry: "never",
  },
  no_change: { code: "validation_error", means: "The old and the new text are the same.", retry: "never" },
  bad_content: { code: "validation_error", means: "The content is not what its encoding says.", retry: "never" },
  bad_range: {
    code: "validation_error",
    means: "The range to read is none, or lies behind the end.",
    retry: "never",
  },
  bad_pattern: { code: "validation_error", means: "The pattern to search for cannot be used.", retry: "never" },
} as const;

/** The name of one reason in {@link fileToolReasons}. */
export type FileToolReason = keyof typeof fileToolReasons;

/** A failure of a file tool for this reason; the same call would fail again. */
export const refuseEdit: ReasonFailure<FileToolReason> = failuresFor(fileToolReasons);
