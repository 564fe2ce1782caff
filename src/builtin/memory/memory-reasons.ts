import { type ReasonFailure, type ReasonTable, createReasonTable, createReasonFailures } from "../../base/index.ts";

const memoryGroups = {
  validation_error: {
    empty_content: "The content is empty.",
    not_json: "The content or the metadata is not plain JSON.",
    too_large: "The content or the metadata is too large.",
    bad_namespace: "The namespace is not a valid name.",
    missing_selector: "Neither an id nor a query selects the memories to forget.",
    matches_differ: "The query matches other memories than those confirmed.",
    no_conversation: "No conversation is named.",
  },
  "execution_error, never": { nothing_found: "No memory matches, and the caller set `must_find`." },
  permission_denied: { other_conversation: "A conversation may read its own history only." },
} as const;

/** Every reason for which memory refuses or fails. The reference in the docs is generated from it. */
export const memoryReasons: ReasonTable<typeof memoryGroups> = createReasonTable(memoryGroups);

/** A failure of memory for this reason. */
export const memoryFailure: ReasonFailure<keyof typeof memoryReasons> = createReasonFailures(memoryReasons);
