import { type ReasonFailure, failuresFor } from "../../base/index.ts";

/** Reasons of the writing tools' own, besides `modelReasons`. The reference in the docs is generated from it. */
export const writingReasons = {
  empty_content: { code: "validation_error", means: "An input that the work is about holds nothing." },
  bad_prompt: { code: "file_invalid", means: "A prompt of the workspace cannot be used." },
} as const;

/** The name of one reason in {@link writingReasons}. */
export type WritingReason = keyof typeof writingReasons;

/** The failure of a writing tool for this reason. */
export const writingFailure: ReasonFailure<WritingReason> = failuresFor(writingReasons);
