import { type ReasonFailure, type ReasonTable, createReasonTable, createReasonFailures } from "../../base/index.ts";

const webGroups = {
  execution_error: {
    http_status: "The server answered with an error status.",
    no_page: "None of the pages could be read; the issues of the failure list the reason for each address.",
  },
  "execution_error, never": {
    page_too_large: "One page of a batch is larger than the limit of a page.",
    no_text: "The page contains no text, for example because scripts render it.",
    unknown_address: "Nothing is stored under an address such as `memory:<id>`.",
  },
  permission_denied: { robots_denied: "The site's robots.txt does not allow programs to fetch this page." },
  not_available: {
    robots_unreachable: "The site's robots.txt cannot be read for now, so it is unknown what the site allows.",
  },
  "timeout, safe": {
    timeout: "The page did not load in time.",
    batch_timeout: "The time for the whole batch was up before this page was there.",
  },
  cancelled: { aborted: "The caller cancelled the fetching." },
} as const;

/** Reasons for which a page is not fetched, in addition to those of the HTTP client and of the extraction. */
export const webReasons: ReasonTable<typeof webGroups> = createReasonTable(webGroups);

/** A fetch's failure for this reason. */
export const webFailure: ReasonFailure<keyof typeof webReasons> = createReasonFailures(webReasons);
