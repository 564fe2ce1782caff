import type { Verification } from "../../verify/verification.ts";

/** How a step came to its result: by the tool that the plan names, by another with the same capability, by thinking. */
export type Means = "tool" | "capability" | "reasoning";

/** What a step gave. */
export interface StepOutcome {
  readonly by: Means;
  /** What was called; absent where nothing was. */
  readonly tool?: string;
  /** As it goes into the answer: short. */
  readonly text: string;
  /** As the steps that build on it read it: more of it, and how to read all of it. */
  readonly view: string;
  /** It went well and gave nothing. */
  readonly isEmpty: boolean;
  readonly verification: Verification;
}
