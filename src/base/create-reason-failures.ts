import { type FailureCode, FailureError, type FailureOptions, type RetryVerdict } from "./failure.ts";

/** Meaning of a reason, in the table of an area. */
export interface ReasonInfo {
  readonly code: FailureCode;
  /** Description of the failure, for the generated reference. */
  readonly meaning: string;
  /** The verdict, if it differs from the code's own. */
  readonly retry?: RetryVerdict;
}

/** Options of a failure besides its reason; `parameter` is the one to correct. */
export type ReasonOptions = Omit<FailureOptions, "code" | "reason"> & { readonly parameter?: string };

/** Creates a failure for a reason of one table. */
export type ReasonFailure<Reason extends string> = (
  reason: Reason,
  message: string,
  options?: ReasonOptions,
) => FailureError;

/**
 * Creates the failure function of an area from the table of its reasons.
 *
 * @example
 * ```ts
 * const reasons = { no_page: { code: "execution_error", meaning: "There is no such page." } } as const;
 * throw createReasonFailures(reasons)("no_page", "there is no page 3; the last is 2");
 * ```
 */
export function createReasonFailures<Reason extends string>(
  reasons: Readonly<Record<Reason, ReasonInfo>>,
): ReasonFailure<Reason> {
  return (reason, message, { parameter, ...options } = {}) => {
    const { code, retry } = reasons[reason];
    return new FailureError(message, {
      code,
      reason,
      ...(retry !== undefined && { retry }),
      ...(parameter !== undefined && { issues: [{ path: [parameter], code: reason, message }] }),
      ...options,
    });
  };
}
