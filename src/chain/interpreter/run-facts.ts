import type { Failure, ProcessUsage } from "../../base/index.ts";
import type { RunStatus } from "../../store/index.ts";
import type { Plan } from "../plan/plan.ts";
import type { StepState } from "./step-state.ts";

/** State of a run at one moment; logs and explanations are derived from it alone. */
export interface RunFacts {
  readonly runId: string;
  readonly plan: Plan;
  readonly status: RunStatus;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** Epoch milliseconds; 0 while it is running. */
  readonly endedAt: number;
  readonly input: unknown;
  /** Context values of the caller besides the input; `${context.NAME}` reads them. */
  readonly context?: Readonly<Record<string, unknown>>;
  readonly output: unknown;
  readonly error: Failure | undefined;
  /** In the order of the plan; the steps of a sub-chain are `children` of the step that called it. */
  readonly steps: readonly StepState[];
  /**
   * Resource usage of this process for the run; undefined if not measured, and after a replay, whose cost is not the
   * run's.
   */
  readonly usage: ProcessUsage | undefined;
}
