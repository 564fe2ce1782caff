import { type ReasonFailure, createReasonFailures } from "../../base/index.ts";

/** Reasons for which a search fails. The reference in the docs is generated from it. */
export const searchReasons = {
  empty_query: { code: "validation_error", meaning: "There is nothing to search for." },
  not_configured: {
    code: "not_available",
    meaning: "No search provider is configured; the message lists the settings to set.",
    retry: "never",
  },
  blocked: {
    code: "not_available",
    meaning: "The provider refuses to answer: too many requests, a captcha, or a ban. This is never an empty list.",
  },
  bad_key: { code: "not_available", meaning: "The provider does not accept the key.", retry: "never" },
  bad_answer: { code: "execution_error", meaning: "The response of the provider is not a list of results." },
  provider_slow: { code: "timeout", meaning: "The provider did not answer in time.", retry: "safe" },
  provider_error: { code: "not_available", meaning: "The provider failed or cannot be reached." },
  rate_limited: { code: "not_available", meaning: "Our own limit for this provider is reached for now." },
  cooling_down: {
    code: "not_available",
    meaning: "The provider failed repeatedly and is cooling down; the message has its last failure.",
  },
  all_failed: { code: "not_available", meaning: "Every provider failed; the message lists the reason of each." },
  aborted: { code: "cancelled", meaning: "The caller cancelled the search." },
} as const;

/** The name of one reason in {@link searchReasons}. */
export type SearchReason = keyof typeof searchReasons;

/** A search's failure for this reason. */
export const searchFailure: ReasonFailure<SearchReason> = createReasonFailures(searchReasons);
