import { type FailureCode, FailureError, type FailureOptions, type RetryVerdict } from "./failure.ts";

/** What a reason stands for, in the table of an area. */
export interface ReasonInfo {
  readonly code: FailureCode;
  /** What happened, for the generated reference. */
  readonly means: string;
  /** The verdict where it differs from the code's own. */
  readonly retry?: RetryVerdict;
}

/** What a failure says besides its reason; `parameter` is the one to correct. */
export type ReasonOptions = Omit<FailureOptions, "code" | "reason"> & { readonly parameter?: string };

/** Makes a failure for a reason of one table. */
export type ReasonFailure<Reason extends string> = (
  reason: Reason,
  message: string,
  options?: ReasonOptions,
) => FailureError;

/**
 * How an area makes its failures: from the table of its reasons.
 *
 * @example
 * ```ts
 * const reasons = { no_page: { code: "execution_error", means: "There is no such page." } } as const;
 * throw failuresFor(reasons)("no_page", "there is no page 3; the last is 2");
 * ```
 */
export function failuresFor<Reason extends string>(
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
