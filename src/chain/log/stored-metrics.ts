import { isRecord } from "../../schema/index.ts";
import type { RunFacts } from "../interpreter/run-facts.ts";
import type { StepState } from "../interpreter/step-state.ts";
import { allSteps } from "./all-steps.ts";
import { type RunMetrics, toRunMetrics } from "./run-metrics.ts";

/** The metrics of a finished run in its journal; those that do not apply to the run are absent. */
export type StoredMetrics = Partial<RunMetrics>;

/**
 * The metrics of a finished run as JSON. The speed-up is omitted if nothing ran in parallel, and if the run was resumed:
 * its duration then includes the time in which no process executed it.
 */
export function serializeMetrics(run: RunFacts): string {
  const { parallel_speedup, ...metrics } = toRunMetrics(run);
  const isComparable = run.usage !== undefined && ranInParallel(run.steps);
  return JSON.stringify({ ...metrics, ...(isComparable && { parallel_speedup }) } satisfies StoredMetrics);
}

/** Parses stored metrics; empty if there are none. */
export function parseMetrics(json: string | undefined): StoredMetrics {
  if (json === undefined) return {};
  const parsed: unknown = JSON.parse(json);
  // Written by `serializeMetrics`.
  return isRecord(parsed) ? parsed : {};
}

/** True if two steps, or two items of a step, were running at the same time; one of them may have waited for a slot. */
function ranInParallel(steps: readonly StepState[]): boolean {
  const called: StepState[] = [];
  for (const state of allSteps(steps)) {
    if ((state.items ?? []).length > 1 && (state.step.forEach?.concurrency ?? 1) > 1) return true;
    // The steps of a sub-chain stand for the step that called it.
    if (state.attempts > 0 && (state.children ?? []).length === 0) called.push(state);
  }
  called.sort((a, b) => a.startedAt - b.startedAt);
  let busyUntil = 0;
  for (const { startedAt, endedAt } of called) {
    if (startedAt < busyUntil) return true;
    busyUntil = Math.max(busyUntil, endedAt);
  }
  return false;
}
