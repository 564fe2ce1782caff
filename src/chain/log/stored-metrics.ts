import { isRecord } from "../../schema/index.ts";
import type { RunFacts } from "../interpreter/run-facts.ts";
import { ranInParallel } from "./ran-in-parallel.ts";
import { type RunMetrics, toRunMetrics } from "./run-metrics.ts";

/** The metrics of a run that its journal stores; those that do not apply to the run are absent. */
export type StoredMetrics = Partial<RunMetrics>;

/** The metrics of a finished run as JSON, without a speed-up if nothing could run in parallel. */
export function serializeMetrics(run: RunFacts): string {
  const { parallel_speedup, recovery_rate, ...metrics } = toRunMetrics(run);
  const stored: StoredMetrics = {
    ...metrics,
    ...(ranInParallel(run) && { parallel_speedup }),
    ...(metrics.failures > 0 && { recovery_rate }),
  };
  return JSON.stringify(stored);
}

/** Parses stored metrics; empty if there are none. */
export function parseMetrics(json: string | undefined): StoredMetrics {
  if (json === undefined) return {};
  const parsed: unknown = JSON.parse(json);
  // Written by `serializeMetrics`.
  return isRecord(parsed) ? parsed : {};
}
