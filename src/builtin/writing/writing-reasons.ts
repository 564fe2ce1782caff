import { type ReasonFailure, createReasonFailures } from "../../base/index.ts";

/** Reasons of the writing tools, besides `modelReasons`. The reference in the docs is generated from it. */
export const writingReasons = {
  empty_content: { code: "validation_error", meaning: "An input that the work is about is empty." },
  bad_prompt: { code: "file_invalid", meaning: "A prompt of the workspace cannot be used." },
} as const;

/** Creates a failure of a writing tool with this reason. */
export const writingFailure: ReasonFailure<keyof typeof writingReasons> = createReasonFailures(writingReasons);
