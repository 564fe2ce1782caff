import { type ReasonFailure, failuresFor } from "../../base/index.ts";

/** Every reason for which memory refuses or fails. The reference in the docs is generated from it. */
export const memoryReasons = {
  empty_content: { code: "validation_error", means: "There is nothing to remember.", retry: "never" },
  not_json: { code: "validation_error", means: "The content or the metadata is no plain JSON.", retry: "never" },
  too_large: { code: "validation_error", means: "The content or the metadata is too large.", retry: "never" },
  bad_namespace: { code: "validation_error", means: "The namespace is no name.", retry: "never" },
  nothing_named: { code: "validation_error", means: "Neither an id nor a query says what to forget.", retry: "never" },
  matches_differ: {
    code: "validation_error",
    means: "Other memories fit the query than were confirmed.",
    retry: "never",
  },
  nothing_found: {
    code: "execution_error",
    means: "Nothing is remembered about it, and the caller said `must_find`.",
    retry: "never",
  },
  no_conversation: { code: "validation_error", means: "No conversation is named.", retry: "never" },
  other_conversation: {
    code: "permission_denied",
    means: "A conversation may read its own history only.",
    retry: "never",
  },
} as const;

/** The name of one reason in {@link memoryReasons}. */
export type MemoryReason = keyof typeof memoryReasons;

/** A failure of memory for this reason. */
export const memoryFailure: ReasonFailure<MemoryReason> = failuresFor(memoryReasons);
