import type { ChainTargets } from "../plan/chain-table.ts";
import { type FinishedRun, nearestRank, successRate } from "../../store/index.ts";
import { type StoredMetrics, parseMetrics } from "./run-metrics.ts";

/** A metric of several runs, compared with its target. */
export interface ComparedMetric {
  /** Absent if no run has the metric. */
  readonly value?: number;
  readonly target: number;
  readonly result: "met" | "missed" | "no_data";
  /** Number of runs that have the metric. */
  readonly runs: number;
}

/** Metrics of several runs. Cancelled runs are only counted. */
export interface ChainStatistics {
  /** Runs that succeeded or failed. */
  readonly runs: number;
  readonly successfulRuns: number;
  readonly failedRuns: number;
  readonly cancelledRuns: number;
  /** Percentage of the runs that succeeded; absent without runs. */
  readonly successRate?: number;
  readonly p50Ms?: number;
  readonly metrics: {
    /** 95th percentile, from the start to the end of a run; includes the time that it waited for approvals. */
    readonly durationP95Ms: ComparedMetric;
    /** Average of the runs in which steps or items ran in parallel, without those that were resumed. */
    readonly parallelSpeedup: ComparedMetric;
    /** Recovered steps of all runs divided by failed steps of all runs. */
    readonly recoveryRate: ComparedMetric;
    /** Average of the runs that were not resumed. */
    readonly cpuUtilisation: ComparedMetric;
    /** Average of the runs that were not resumed. */
    readonly memoryUtilisation: ComparedMetric;
  };
}

/** Statistics of each chain, most runs first, and of all chains together. */
export interface AllChainStatistics {
  readonly chains: readonly (ChainStatistics & { readonly chain: string })[];
  readonly all: ChainStatistics;
}

/** Summarizes finished runs of chains, and compares their metrics with targets. */
export function summarizeChainRuns(finished: readonly FinishedRun[], targets: ChainTargets): AllChainStatistics {
  const runs = finished.map((run) => ({ ...run, metrics: parseMetrics(run.metrics) }));
  const byChain = Map.groupBy(runs, ({ chain }) => chain);
  return {
    chains: [...byChain]
      .map(([chain, those]) => ({ chain, ...summarize(those, targets) }))
      .sort((a, b) => b.runs - a.runs || (a.chain < b.chain ? -1 : 1)),
    all: summarize(runs, targets),
  };
}

type MeasuredRun = Omit<FinishedRun, "metrics"> & { readonly metrics: StoredMetrics };

function summarize(all: readonly MeasuredRun[], targets: ChainTargets): ChainStatistics {
  const runs = all.filter(({ status }) => status !== "cancelled");
  const failedRuns = runs.filter(({ status }) => status === "failed").length;
  const durations = Float64Array.from(runs, ({ startedAt, finishedAt }) => Math.max(0, finishedAt - startedAt)).sort();
  const averageOf = (key: "parallel_speedup" | "cpu_utilisation" | "memory_utilisation", target: number) =>
    compared(average(runs.flatMap(({ metrics }) => metrics[key] ?? [])), target);
  return {
    runs: runs.length,
    successfulRuns: runs.length - failedRuns,
    failedRuns,
    cancelledRuns: all.length - runs.length,
    ...(runs.length > 0 && {
      successRate: successRate(runs.length, failedRuns),
      p50Ms: nearestRank(durations, 50),
    }),
    metrics: {
      durationP95Ms: compared({ value: nearestRank(durations, 95), runs: runs.length }, targets.durationMs, "below"),
      parallelSpeedup: averageOf("parallel_speedup", targets.parallelSpeedup),
      recoveryRate: compared(recovery(runs), targets.recoveryRate),
      cpuUtilisation: averageOf("cpu_utilisation", targets.cpuUtilisation),
      memoryUtilisation: averageOf("memory_utilisation", targets.memoryUtilisation),
    },
  };
}

interface Measured {
  readonly value: number;
  readonly runs: number;
}

function average(values: readonly number[]): Measured {
  return { value: values.reduce((sum, each) => sum + each, 0) / Math.max(1, values.length), runs: values.length };
}

/** Over all failed steps: a run with one failed step counts less than one with ten. */
function recovery(runs: readonly MeasuredRun[]): Measured {
  let failures = 0;
  let recovered = 0;
  let count = 0;
  for (const { metrics } of runs) {
    if (metrics.failures === undefined || metrics.failures === 0) continue;
    failures += metrics.failures;
    recovered += metrics.recovered ?? 0;
    count++;
  }
  return { value: recovered / Math.max(1, failures), runs: count };
}

function compared({ value, runs }: Measured, target: number, side: "above" | "below" = "above"): ComparedMetric {
  if (runs === 0) return { target, result: "no_data", runs };
  const isMet = side === "above" ? value > target : value < target;
  return { value, target, result: isMet ? "met" : "missed", runs };
}
