import { type FailureCode, type FailureError, fail } from "../../base/index.ts";

/** Reasons of the writing tools' own, besides `modelReasons`. The reference in the docs is generated from it. */
export const writingReasons = {
  empty_content: { code: "validation_error", means: "An input that the work is about holds nothing." },
  bad_prompt: { code: "file_invalid", means: "A prompt of the workspace cannot be used." },
} as const;

writingReasons satisfies Record<string, { code: FailureCode; means: string }>;

/** The failure of a call whose input `name` holds nothing to work on. */
export function emptyContent(name: string): FailureError {
  const message = `there is nothing to work on: \`${name}\` holds no text`;
  return fail(message, {
    code: "validation_error",
    reason: "empty_content",
    retry: "never",
    issues: [{ path: [name], code: "empty_content", message }],
  });
}
