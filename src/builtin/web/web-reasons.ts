import { type FailureCode, FailureError, type FailureOptions, type RetryVerdict } from "../../base/index.ts";

interface WebReasonInfo {
  readonly code: FailureCode;
  /** What happened, for the generated reference. */
  readonly means: string;
  /** The verdict where it differs from the code's own. */
  readonly retry?: RetryVerdict;
}

/** Every reason for which a page is not fetched, besides those of the door and of the reading of it. */
export const webReasons = {
  http_status: { code: "execution_error", means: "The server answered with a status that stands for no page." },
  page_too_large: {
    code: "execution_error",
    means: "One page of a batch is larger than the limit of a page.",
    retry: "never",
  },
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
  not_done: {
    code: "timeout",
    means: "The time for the whole batch was up before this page was there.",
    retry: "safe",
  },
  no_page: { code: "execution_error", means: "None of the pages could be fetched." },
  aborted: { code: "cancelled", means: "The caller cancelled the fetching." },
} as const;

webReasons satisfies Record<string, WebReasonInfo>;

/** The name of one reason in {@link webReasons}. */
export type WebReason = keyof typeof webReasons;

/** A fetch's failure for this reason. */
export function webFailure(
  reason: WebReason,
  message: string,
  options: Omit<FailureOptions, "code" | "reason"> = {},
): FailureError {
  const info: WebReasonInfo = webReasons[reason];
  return new FailureError(message, {
    code: info.code,
    reason,
    ...(info.retry !== undefined && { retry: info.retry }),
    ...options,
  });
}
