import { type ReasonFailure, type ReasonTable, createReasonTable, createReasonFailures } from "../../base/index.ts";

const searchGroups = {
  validation_error: { empty_query: "There is nothing to search for." },
  "not_available, never": {
    not_configured: "No search provider is configured; the message lists the settings to set.",
    bad_key: "The provider does not accept the key.",
  },
  not_available: {
    blocked: "The provider refuses to answer: too many requests, a captcha, or a ban. This is never an empty list.",
    provider_error: "The provider failed or cannot be reached.",
    rate_limited: "Our own limit for this provider is reached for now.",
    cooling_down: "The provider failed repeatedly and is cooling down; the message has its last failure.",
    all_failed: "Every provider failed; the message lists the reason of each.",
  },
  execution_error: { bad_answer: "The response of the provider is not a list of results." },
  "timeout, safe": { provider_slow: "The provider did not answer in time." },
  cancelled: { aborted: "The caller cancelled the search." },
} as const;

/** Reasons for which a search fails. The reference in the docs is generated from it. */
export const searchReasons: ReasonTable<typeof searchGroups> = createReasonTable(searchGroups);

/** The name of one reason in {@link searchReasons}. */
export type SearchReason = keyof typeof searchReasons;

/** A search's failure for this reason. */
export const searchFailure: ReasonFailure<SearchReason> = createReasonFailures(searchReasons);
