/** One thing that `windlass doctor` looked at. */
export interface Finding {
  /** A stable word for what was looked at. */
  readonly about: string;
  /** `off`: not set up, and nothing that must be. */
  readonly status: "ok" | "off" | "warn" | "fail";
  readonly message: string;
  /** What to do where it is not ok. */
  readonly todo?: string;
}
