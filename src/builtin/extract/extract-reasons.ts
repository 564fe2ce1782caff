import { type FailureError, type ReasonFailure, createReasonFailures } from "../../base/index.ts";

/** Reasons why a document cannot be read. The reference in the docs is generated from it. */
export const extractReasons = {
  unsupported_type: {
    code: "execution_error",
    meaning: "The document is of a type without readable text, such as PDF, images or archives.",
    retry: "never",
  },
  aborted: { code: "cancelled", meaning: "The caller cancelled the extraction." },
  closed: { code: "not_available", meaning: "The extractor was closed.", retry: "never" },
} as const;

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
