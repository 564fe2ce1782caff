import { type FailureError, type ReasonFailure, failuresFor } from "../../base/index.ts";

/** Every reason for which a document cannot be read. The reference in the docs is generated from it. */
export const extractReasons = {
  unsupported_type: {
    code: "execution_error",
    means: "The document is of a type that holds no text this can read, such as PDF, images or archives.",
    retry: "never",
  },
  aborted: { code: "cancelled", means: "The caller cancelled the reading." },
  closed: { code: "not_available", means: "The extractor was closed.", retry: "never" },
} as const;

/** The name of one reason in {@link extractReasons}. */
export type ExtractReason = keyof typeof extractReasons;

/** A reading's failure for this reason. */
export const unreadable: ReasonFailure<ExtractReason> = failuresFor(extractReasons);

/** Throws where the caller no longer wants the result. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw aborted(signal);
}

/** The failure that says that the caller cancelled. */
export function aborted(signal: AbortSignal): FailureError {
  return unreadable("aborted", "the reading was cancelled", { cause: signal.reason });
}
