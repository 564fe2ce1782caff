import { type ReasonFailure, failuresFor } from "../../base/index.ts";

/** Every reason for which a choice among tools fails by itself. */
export const chooseReasons = {
  all_failed: {
    code: "execution_error",
    means: "Every tool that could do the work failed; the message says how each.",
  },
  none_fits: {
    code: "not_available",
    means: "Tools have the capability, but none can serve its contract without a mapping.",
    retry: "never",
  },
  broken_contract: {
    code: "not_available",
    means: "The file that describes the capability cannot be used; no tool is called without its mappings.",
    retry: "never",
  },
  contract: { code: "output_invalid", means: "What the tool gave does not fit the contract of the capability." },
} as const;

/** The name of one reason in {@link chooseReasons}. */
export type ChooseReason = keyof typeof chooseReasons;

/** A failure of a choice for this reason. */
export const refuseChoice: ReasonFailure<ChooseReason> = failuresFor(chooseReasons);
