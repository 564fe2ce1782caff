/** What is wrong with a result. */
export interface VerificationIssue {
  /**
   * - `empty`: it says nothing;
   * - `contradiction`: an earlier result says the opposite, or another number of the same thing;
   * - `unrelated`: it shares no word with the results that it builds on;
   * - `range`: a percentage, a probability or a count that there cannot be;
   * - `arithmetic`: a calculation that does not come out;
   * - `time`: a date or a time that there cannot be, or none where one was asked for.
   */
  readonly kind: "empty" | "contradiction" | "unrelated" | "range" | "arithmetic" | "time";
  /** A result with an error is not verified; a warning only lowers the confidence. */
  readonly severity: "error" | "warning";
  readonly message: string;
  /** The words that it is about. */
  readonly quote: string;
  /** The earlier result that disagrees. */
  readonly against?: string;
}

/** What {@link VerificationIssue}s come to. */
export interface Verification {
  /** There is no error among the issues. */
  readonly verified: boolean;
  /** 1 without issues; each error takes 0.3, each warning 0.1; never below 0. */
  readonly confidence: number;
  readonly issues: readonly VerificationIssue[];
}

/** What an error and a warning take from the confidence. */
const cost = { error: 0.3, warning: 0.1 } as const;

/** What issues come to. */
export function verdict(issues: readonly VerificationIssue[]): Verification {
  const lost = issues.reduce((sum, { severity }) => sum + cost[severity], 0);
  return {
    verified: issues.every(({ severity }) => severity !== "error"),
    confidence: Math.max(0, Math.round((1 - lost) * 100) / 100),
    issues,
  };
}
