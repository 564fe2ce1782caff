import type { JournalEvent, RunLease, StoredRun } from "../store/index.ts";
import type { Plan } from "./plan/plan.ts";
import { type RunEnvironment, parseRunEnvironment } from "./run-environment.ts";

/** A run that is about to be created. */
export interface NewChainRun {
  readonly plan: Plan;
  /** File that the chain was read from; undefined if the chain is found by its name. */
  readonly file: string | undefined;
  readonly runId: string;
  readonly input: unknown;
  /** Events reused from an earlier run. */
  readonly events: readonly JournalEvent[];
  readonly rerunOf: string | undefined;
  /** Steps whose results are reused from an earlier run. */
  readonly reused?: readonly string[];
}

/** A run that this process holds. */
export interface OwnedRun extends RunEnvironment {
  readonly plan: Plan;
  readonly input: unknown;
  readonly lease: RunLease;
  readonly startedAt: number;
  readonly events: readonly JournalEvent[];
  /** Name of the person who cancelled the run, null if no name was given; undefined if it is not cancelled. */
  readonly cancelledBy?: string | null | undefined;
  /** Tools that must no longer be called. */
  readonly refused?: ReadonlySet<string>;
}

/** Restores the input and the environment that a run was started with. */
export function restoreRunInput(run: StoredRun): RunEnvironment & Pick<OwnedRun, "input" | "startedAt"> {
  const input: unknown = JSON.parse(run.input);
  return { input, startedAt: run.startedAt, ...parseRunEnvironment(run.context) };
}
