import { type ReasonFailure, failuresFor } from "../../base/index.ts";
import { showUnsafe } from "../../text/index.ts";

/** Every reason for which a tool of time fails. The reference in the docs is generated from it. */
export const timeReasons = {
  not_understood: { code: "validation_error", means: "The words name no range of time that is known.", retry: "never" },
  too_long: { code: "validation_error", means: "The description of a range has too many characters.", retry: "never" },
  empty_range: {
    code: "validation_error",
    means: "The range ends before it begins, or holds no time.",
    retry: "never",
  },
  out_of_range: { code: "validation_error", means: "The time lies outside the years 1000 to 9999.", retry: "never" },
  bad_timezone: { code: "validation_error", means: "There is no time zone of this name.", retry: "never" },
  bad_now: { code: "validation_error", means: "`now` is neither epoch milliseconds nor an ISO time.", retry: "never" },
  timer_running: { code: "execution_error", means: "A timer is running already.", retry: "never" },
  timer_contended: { code: "execution_error", means: "Other processes kept changing the timer.", retry: "safe" },
  timer_unreadable: { code: "execution_error", means: "The file of the timer holds no timer.", retry: "never" },
  timer_store: {
    code: "not_available",
    means: "The timer cannot be read from the disk or written to it.",
    retry: "safe",
  },
} as const;

/** The name of one reason in {@link timeReasons}. */
export type TimeReason = keyof typeof timeReasons;

const failureFor: ReasonFailure<TimeReason> = failuresFor(timeReasons);

/** A failure for this reason; `parameter` is the one to correct. Whatever the message quotes can be seen. */
export const timeFailure: ReasonFailure<TimeReason> = (reason, message, options) =>
  failureFor(reason, showUnsafe(message), options);
