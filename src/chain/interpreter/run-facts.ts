import type { Failure, Usage } from "../../base/index.ts";
import type { RunStatus } from "../../store/index.ts";
import type { Plan } from "../plan/plan.ts";
import type { StepState } from "./step-state.ts";

/** All that is known of a run at one moment; logs and explanations are made of nothing else. */
export interface RunFacts {
  readonly runId: string;
  readonly plan: Plan;
  readonly status: RunStatus;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** Epoch milliseconds; 0 while it goes on. */
  readonly endedAt: number;
  readonly input: unknown;
  /** What the caller gave besides the input; `${context.NAME}` reads it. */
  readonly context?: Readonly<Record<string, unknown>>;
  readonly output: unknown;
  readonly error: Failure | undefined;
  /** In the order of the plan; the steps of a sub-chain are `children` of the step that called it. */
  readonly steps: readonly StepState[];
  /** What it cost this process; absent where nobody measured, and after a replay, whose cost is not the run's. */
  readonly usage: Usage | undefined;
}
