import { type ReasonFailure, type ReasonTable, createReasonTable, createReasonFailures } from "../../base/index.ts";
import { showUnsafe } from "../../text/index.ts";

const timeGroups = {
  validation_error: {
    not_understood: "The words do not describe a known range of time.",
    too_long: "The description of a range has too many characters.",
    empty_range: "The range ends before it begins, or contains no time.",
    out_of_range: "The time lies outside the years 1000 to 9999.",
    bad_timezone: "There is no time zone of this name.",
    bad_now: "`now` is neither epoch milliseconds nor an ISO time.",
  },
  "execution_error, never": {
    timer_running: "A timer is running already.",
    timer_unreadable: "The timer file does not contain a timer.",
  },
  "execution_error, safe": {
    timer_contended: "Other processes changed the timer at the same time, repeatedly.",
  },
  not_available: { timer_store: "The timer cannot be read from the disk or written to it." },
} as const;

/** Reasons for which a time tool fails. The reference in the docs is generated from it. */
export const timeReasons: ReasonTable<typeof timeGroups> = createReasonTable(timeGroups);

/** The name of one reason in {@link timeReasons}. */
export type TimeReason = keyof typeof timeReasons;

const failureFor: ReasonFailure<TimeReason> = createReasonFailures(timeReasons);

/**
 * Creates a failure with this reason; `parameter` is the one to correct. Invisible characters in the message are shown
 * escaped.
 */
export const timeFailure: ReasonFailure<TimeReason> = (reason, message, options) =>
  failureFor(reason, showUnsafe(message), options);
