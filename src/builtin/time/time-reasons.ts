import { type ReasonFailure, createReasonFailures } from "../../base/index.ts";
import { showUnsafe } from "../../text/index.ts";

/** Reasons for which a time tool fails. The reference in the docs is generated from it. */
export const timeReasons = {
  not_understood: {
    code: "validation_error",
    meaning: "The words do not describe a known range of time.",
    retry: "never",
  },
  too_long: {
    code: "validation_error",
    meaning: "The description of a range has too many characters.",
    retry: "never",
  },
  empty_range: {
    code: "validation_error",
    meaning: "The range ends before it begins, or contains no time.",
    retry: "never",
  },
  out_of_range: { code: "validation_error", meaning: "The time lies outside the years 1000 to 9999.", retry: "never" },
  bad_timezone: { code: "validation_error", meaning: "There is no time zone of this name.", retry: "never" },
  bad_now: {
    code: "validation_error",
    meaning: "`now` is neither epoch milliseconds nor an ISO time.",
    retry: "never",
  },
  timer_running: { code: "execution_error", meaning: "A timer is running already.", retry: "never" },
  timer_contended: {
    code: "execution_error",
    meaning: "Other processes changed the timer at the same time, repeatedly.",
    retry: "safe",
  },
  timer_unreadable: { code: "execution_error", meaning: "The timer file does not contain a timer.", retry: "never" },
  timer_store: {
    code: "not_available",
    meaning: "The timer cannot be read from the disk or written to it.",
    retry: "safe",
  },
} as const;

/** The name of one reason in {@link timeReasons}. */
export type TimeReason = keyof typeof timeReasons;

const failureFor: ReasonFailure<TimeReason> = createReasonFailures(timeReasons);

/**
 * Creates a failure with this reason; `parameter` is the one to correct. Invisible characters in the message are shown
 * escaped.
 */
export const timeFailure: ReasonFailure<TimeReason> = (reason, message, options) =>
  failureFor(reason, showUnsafe(message), options);
