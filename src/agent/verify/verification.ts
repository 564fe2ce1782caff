/** A problem of a result. */
export interface VerificationIssue {
  /**
   * - `empty`: it contains no text;
   * - `contradiction`: an earlier result says the opposite, or another number of the same thing;
   * - `unrelated`: it shares no word with the results that it builds on;
   * - `range`: an impossible percentage, probability or count;
   * - `arithmetic`: a wrong calculation;
   * - `time`: an impossible date or time, or none where one was requested.
   */
  readonly kind: "empty" | "contradiction" | "unrelated" | "range" | "arithmetic" | "time";
  /** A result with an error is not verified; a warning only lowers the confidence. */
  readonly severity: "error" | "warning";
  readonly message: string;
  /** The text that it is about. */
  readonly quote: string;
  /** The earlier result that disagrees. */
  readonly against?: string;
}

/** Summary of {@link VerificationIssue}s. */
export interface Verification {
  /** There is no error among the issues. */
  readonly verified: boolean;
  /** 1 without issues; each error takes 0.3, each warning 0.1; never below 0. */
  readonly confidence: number;
  readonly issues: readonly VerificationIssue[];
}

/** Confidence subtracted for an error and for a warning. */
const cost = { error: 0.3, warning: 0.1 } as const;

/** Summarizes issues. */
export function toVerification(issues: readonly VerificationIssue[]): Verification {
  const lost = issues.reduce((sum, { severity }) => sum + cost[severity], 0);
  return {
    verified: issues.every(({ severity }) => severity !== "error"),
    confidence: Math.max(0, Math.round((1 - lost) * 100) / 100),
    issues,
  };
}
