import type { Verification } from "../../verify/verification.ts";

/** Method of a step: the tool that the plan names, another tool with the same capability, or reasoning. */
export type StepMethod = "tool" | "capability" | "reasoning";

/** Outcome of a step. */
export interface StepOutcome {
  readonly by: StepMethod;
  /** Name of the called tool; absent if there was no call. */
  readonly tool?: string;
  /** Short form for the answer. */
  readonly text: string;
  /** Form for dependent steps: longer, and with instructions to read all of it. */
  readonly view: string;
  /** It succeeded with an empty result. */
  readonly isEmpty: boolean;
  readonly verification: Verification;
}
