import { type ReasonFailure, failuresFor } from "../../base/index.ts";

/** Every reason for which a search gives no answer. The reference in the docs is generated from it. */
export const searchReasons = {
  empty_query: { code: "validation_error", means: "There is nothing to search for." },
  not_configured: {
    code: "not_available",
    means: "No provider of search results is set up; the message names what to set.",
    retry: "never",
  },
  blocked: {
    code: "not_available",
    means: "The provider refuses to answer: too many requests, a captcha, or a ban. This is never an empty list.",
  },
  bad_key: { code: "not_available", means: "The provider does not accept the key.", retry: "never" },
  bad_answer: { code: "execution_error", means: "The provider answered with something that is no list of results." },
  provider_slow: { code: "timeout", means: "The provider did not answer in time.", retry: "safe" },
  provider_error: { code: "not_available", means: "The provider failed or cannot be reached." },
  rate_limited: { code: "not_available", means: "Our own limit for this provider is reached for now." },
  resting: {
    code: "not_available",
    means: "The provider failed several times and is left alone for a while; the message has its last failure.",
  },
  all_failed: { code: "not_available", means: "Every provider failed; the message lists the reason of each." },
  aborted: { code: "cancelled", means: "The caller cancelled the search." },
} as const;

/** The name of one reason in {@link searchReasons}. */
export type SearchReason = keyof typeof searchReasons;

/** A search's failure for this reason. */
export const searchFailure: ReasonFailure<SearchReason> = failuresFor(searchReasons);
