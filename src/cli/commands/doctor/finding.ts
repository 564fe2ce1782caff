/** One check of `windlass doctor`. */
export interface Finding {
  /** Stable name of the checked subject. */
  readonly about: string;
  /** `off`: optional, and not configured. */
  readonly status: "ok" | "off" | "warn" | "fail";
  readonly message: string;
  /** Suggested fix, if it is not ok. */
  readonly todo?: string;
}
