import { type ReasonFailure, createReasonFailures } from "../../base/index.ts";

/** Every reason for which memory refuses or fails. The reference in the docs is generated from it. */
export const memoryReasons = {
  empty_content: { code: "validation_error", meaning: "The content is empty.", retry: "never" },
  not_json: { code: "validation_error", meaning: "The content or the metadata is not plain JSON.", retry: "never" },
  too_large: { code: "validation_error", meaning: "The content or the metadata is too large.", retry: "never" },
  bad_namespace: { code: "validation_error", meaning: "The namespace is not a valid name.", retry: "never" },
  missing_selector: {
    code: "validation_error",
    meaning: "Neither an id nor a query selects the memories to forget.",
    retry: "never",
  },
  matches_differ: {
    code: "validation_error",
    meaning: "The query matches other memories than those confirmed.",
    retry: "never",
  },
  nothing_found: {
    code: "execution_error",
    meaning: "No memory matches, and the caller set `must_find`.",
    retry: "never",
  },
  no_conversation: { code: "validation_error", meaning: "No conversation is named.", retry: "never" },
  other_conversation: {
    code: "permission_denied",
    meaning: "A conversation may read its own history only.",
    retry: "never",
  },
} as const;

/** A failure of memory for this reason. */
export const memoryFailure: ReasonFailure<keyof typeof memoryReasons> = createReasonFailures(memoryReasons);
