import { type ReasonFailure, createReasonFailures } from "../../base/index.ts";

/** Reasons for which a choice among tools itself fails. */
export const chooseReasons = {
  all_failed: {
    code: "execution_error",
    meaning: "Every tool that could do the work failed; the message has the failure of each.",
  },
  no_matching_tool: {
    code: "not_available",
    meaning: "Tools have the capability, but none can serve its contract without a mapping.",
    retry: "never",
  },
  broken_contract: {
    code: "not_available",
    meaning: "The file that describes the capability cannot be used; no tool is called without its mappings.",
    retry: "never",
  },
  contract: {
    code: "output_invalid",
    meaning: "The output of the tool does not match the contract of the capability.",
  },
} as const;

/** The name of one reason in {@link chooseReasons}. */
export type ChooseReason = keyof typeof chooseReasons;

/** A failure of a choice for this reason. */
export const choiceFailure: ReasonFailure<ChooseReason> = createReasonFailures(chooseReasons);
