import {
  type FailureError,
  type ReasonFailure,
  type ReasonTable,
  createReasonTable,
  createReasonFailures,
} from "../../base/index.ts";

const extractGroups = {
  "execution_error, never": {
    unsupported_type: "The document is of a type without readable text, such as PDF, images or archives.",
  },
  cancelled: { aborted: "The caller cancelled the extraction." },
  "not_available, never": { closed: "The extractor was closed." },
} as const;

/** Reasons why a document cannot be read. The reference in the docs is generated from it. */
export const extractReasons: ReasonTable<typeof extractGroups> = createReasonTable(extractGroups);

/** Creates an extraction failure with this reason. */
export const extractFailure: ReasonFailure<keyof typeof extractReasons> = createReasonFailures(extractReasons);

/** Throws if the caller has cancelled. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw aborted(signal);
}

/** Returns the failure for a cancellation by the caller. */
export function aborted(signal: AbortSignal): FailureError {
  return extractFailure("aborted", "the reading was cancelled", { cause: signal.reason });
}
