import { type ReasonFailure, failuresFor } from "../../base/index.ts";

/** Every reason for which a page is not fetched, besides those of the door and of the reading of it. */
export const webReasons = {
  http_status: { code: "execution_error", means: "The server answered with a status that stands for no page." },
  page_too_large: {
    code: "execution_error",
    means: "One page of a batch is larger than the limit of a page.",
    retry: "never",
  },
  no_text: { code: "execution_error", means: "The page holds no text, such as one that scripts draw.", retry: "never" },
  robots_denied: { code: "permission_denied", means: "The site's robots.txt asks programs not to fetch this page." },
  robots_unreachable: {
    code: "not_available",
    means: "The site's robots.txt cannot be read for now, so nobody knows what the site allows.",
  },
  unknown_address: {
    code: "execution_error",
    means: "Nothing is kept under an address such as `memory:<id>`.",
    retry: "never",
  },
  timeout: { code: "timeout", means: "The page was not there in the time that it was given.", retry: "safe" },
  not_done: {
    code: "timeout",
    means: "The time for the whole batch was up before this page was there.",
    retry: "safe",
  },
  no_page: {
    code: "execution_error",
    means: "None of the pages could be read; the issues of the failure say why, address by address.",
  },
  aborted: { code: "cancelled", means: "The caller cancelled the fetching." },
} as const;

/** The name of one reason in {@link webReasons}. */
export type WebReason = keyof typeof webReasons;

/** A fetch's failure for this reason. */
export const webFailure: ReasonFailure<WebReason> = failuresFor(webReasons);
