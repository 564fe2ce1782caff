import { type ReasonFailure, createReasonFailures } from "../../base/index.ts";

/** Reasons for which a page is not fetched, in addition to those of the HTTP client and of the extraction. */
export const webReasons = {
  http_status: { code: "execution_error", meaning: "The server answered with an error status." },
  page_too_large: {
    code: "execution_error",
    meaning: "One page of a batch is larger than the limit of a page.",
    retry: "never",
  },
  no_text: {
    code: "execution_error",
    meaning: "The page contains no text, for example because scripts render it.",
    retry: "never",
  },
  robots_denied: {
    code: "permission_denied",
    meaning: "The site's robots.txt does not allow programs to fetch this page.",
  },
  robots_unreachable: {
    code: "not_available",
    meaning: "The site's robots.txt cannot be read for now, so it is unknown what the site allows.",
  },
  unknown_address: {
    code: "execution_error",
    meaning: "Nothing is stored under an address such as `memory:<id>`.",
    retry: "never",
  },
  timeout: { code: "timeout", meaning: "The page did not load in time.", retry: "safe" },
  batch_timeout: {
    code: "timeout",
    meaning: "The time for the whole batch was up before this page was there.",
    retry: "safe",
  },
  no_page: {
    code: "execution_error",
    meaning: "None of the pages could be read; the issues of the failure list the reason for each address.",
  },
  aborted: { code: "cancelled", meaning: "The caller cancelled the fetching." },
} as const;

/** A fetch's failure for this reason. */
export const webFailure: ReasonFailure<keyof typeof webReasons> = createReasonFailures(webReasons);
