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

/** A run that is about to be executed, from its start or resumed. */
export interface ObservedRun {
  readonly runId: string;
  readonly chain: string;
  /** Some of it was done in an earlier process. */
  readonly resumed: boolean;
}

/** Wraps runs of chains, to observe them and to have something in effect while they run, such as a trace. */
export interface RunObserver {
  /** Must execute the run, and return the result. */
  run<T extends { readonly facts: RunFacts }>(run: ObservedRun, execute: () => Promise<T>): Promise<T>;
}
