import type { RunFacts } from "../interpreter/run-facts.ts";
import type { StepState } from "../interpreter/step-state.ts";
import { isRecord } from "../../schema/index.ts";

/** Figures of a run. */
export interface RunMetrics {
  /** Total duration of the calls, without waiting: how long the run would have taken without parallelism. */
  readonly steps_ms: number;
  /** `steps_ms` divided by the duration of the run. */
  readonly parallel_speedup: number;
  /** Steps of which an attempt failed. */
  readonly failures: number;
  /** Those of them that succeeded, by a retry or a fallback. */
  readonly recovered: number;
  /** `recovered` divided by `failures`; 1 if nothing failed. */
  readonly recovery_rate: number;
  /** Processor time of the process while it ran; absent if not measured. */
  readonly cpu_ms?: number;
  /** `cpu_ms` divided by the duration of the run: 1 is one core, all the time. */
  readonly cpu_utilisation?: number;
  readonly peak_rss_mb?: number;
  /** The peak divided by the memory of the machine, or by the memory limit of the container. */
  readonly memory_utilisation?: number;
}

/** The last known moment of a run: its end, or its last outcome. */
export function lastMoment(run: RunFacts): number {
  if (run.endedAt > 0) return run.endedAt;
  let last = run.startedAt;
  for (const { startedAt, endedAt } of allSteps(run.steps)) last = Math.max(last, startedAt, endedAt);
  return last;
}

/** The figures of a run, as far as they are known. */
export function toRunMetrics(run: RunFacts): RunMetrics {
  const until = lastMoment(run);
  const durationMs = until - run.startedAt;
  let stepsMs = 0;
  let failures = 0;
  let recovered = 0;
  for (const state of allSteps(run.steps)) {
    stepsMs += state.workMs;
    const { failures: failed = [], status } = state;
    if (failed.length === 0 && status !== "failed" && status !== "recovered") continue;
    failures++;
    if (endedWell(state)) recovered++;
  }
  return {
    steps_ms: rounded(stepsMs, 3),
    parallel_speedup: durationMs > 0 ? rounded(stepsMs / durationMs, 2) : 1,
    failures,
    recovered,
    recovery_rate: failures === 0 ? 1 : rounded(recovered / failures, 4),
    ...(run.usage && {
      cpu_ms: rounded(run.usage.cpuMs, 1),
      cpu_utilisation: durationMs > 0 ? rounded(run.usage.cpuMs / durationMs, 2) : 0,
      peak_rss_mb: rounded(run.usage.peakRssBytes / 2 ** 20, 1),
      memory_utilisation: rounded(run.usage.peakRssBytes / run.usage.memoryBytes, 4),
    }),
  };
}

/**
 * By a further attempt or a fallback: an item that failed for good, and was tolerated, does not count as a recovery.
 */
function endedWell({ status, items }: StepState): boolean {
  if (status !== "success" && status !== "recovered") return false;
  return items?.some((item) => item.status === "failed") !== true;
}

/** Rounded for reading; a value that is not finite becomes 0, since logs are JSON. */
export function rounded(value: number, digits: number): number {
  return Number.isFinite(value) ? Number(value.toFixed(digits)) : 0;
}

/** Every step of a run; those of sub-chains follow the step that called them. */
export function* allSteps(steps: readonly StepState[]): Generator<StepState> {
  // An explicit stack: sub-chains may be nested a hundred deep.
  const open = steps.toReversed();
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    yield state;
    for (const child of state.children?.toReversed() ?? []) open.push(child);
  }
}

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
