import { describe, expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { recordRun, taking } from "../../../test/support/record-run.ts";
import type { FinishedRun } from "../../store/index.ts";
import type { ChainSpec } from "../plan/chain-spec.ts";
import { toOptions } from "../../schema/index.ts";
import { chainTargetTable } from "../plan/chain-table.ts";
import { summarizeChainRuns } from "./chain-statistics.ts";
import { type StoredMetrics, parseMetrics, serializeMetrics } from "./run-metrics.ts";

function finishedRun(durationMs: number, metrics?: StoredMetrics, status: FinishedRun["status"] = "success") {
  return {
    chain: "c",
    status,
    startedAt: 1000,
    finishedAt: 1000 + durationMs,
    ...(metrics && { metrics: JSON.stringify(metrics) }),
  };
}

const defaultChainTargets = toOptions(chainTargetTable);
const summarize = (...runs: readonly FinishedRun[]) => summarizeChainRuns(runs, defaultChainTargets).all;

describe("[H24] statistics of chains", () => {
  test("[H24] a value equal to its target does not meet it", () => {
    const exact = { parallel_speedup: 2, failures: 10, recovered: 8, cpu_utilisation: 0.6, memory_utilisation: 0.6 };
    const missed = Object.values(summarize(finishedRun(30_000, exact)).metrics);
    expect(missed.map(({ result }) => result)).toEqual(["missed", "missed", "missed", "missed", "missed"]);
    const better = {
      parallel_speedup: 2.01,
      failures: 10,
      recovered: 9,
      cpu_utilisation: 0.7,
      memory_utilisation: 0.7,
    };
    const met = Object.values(summarize(finishedRun(29_999, better)).metrics);
    expect(met.map(({ result }) => result)).toEqual(["met", "met", "met", "met", "met"]);
  });

  test("[H24] a metric that no run has is reported as no data", () => {
    const { metrics } = summarize(
      finishedRun(10),
      finishedRun(20, { cpu_utilisation: 0.9, failures: 0, recovered: 0 }),
    );
    expect(metrics).toEqual({
      durationP95Ms: { value: 20, target: 30_000, result: "met", runs: 2 },
      parallelSpeedup: { target: 2, result: "no_data", runs: 0 },
      recoveryRate: { target: 0.8, result: "no_data", runs: 0 },
      cpuUtilisation: { value: 0.9, target: 0.6, result: "met", runs: 1 },
      memoryUtilisation: { target: 0.6, result: "no_data", runs: 0 },
    });
  });

  test("[H24] the recovery rate counts steps, the duration is the 95th percentile, and cancelled runs are only counted", () => {
    const runs = Array.from({ length: 20 }, (_, index) => finishedRun(index + 1));
    const all = summarize(
      ...runs,
      finishedRun(1, { failures: 9, recovered: 9 }, "failed"),
      finishedRun(1, { failures: 1, recovered: 0 }),
      finishedRun(99_000, { failures: 90, recovered: 0 }, "cancelled"),
    );
    expect(all).toMatchObject({ runs: 22, successfulRuns: 21, failedRuns: 1, cancelledRuns: 1, p50Ms: 9 });
    expect(all.metrics.recoveryRate).toEqual({ value: 0.9, target: 0.8, result: "met", runs: 2 });
    expect(all.metrics.durationP95Ms.value).toBe(19);
  });

  test("[H24] chains are sorted by their number of runs, then by name", () => {
    const runs = ["b", "c", "a", "c"].map((chain) => ({ ...finishedRun(1), chain }));
    const { chains } = summarizeChainRuns(runs, defaultChainTargets);
    expect(chains.map(({ chain }) => chain)).toEqual(["c", "a", "b"]);
  });
});

/** The speed-up that the journal stores for a chain of tools that take a second each. */
async function storedSpeedup(spec: Omit<ChainSpec, "name">, chains: readonly ChainSpec[] = []) {
  const clock = new FakeClock();
  const running = recordRun({ name: "c", ...spec }, { clock, chains, tools: { work: taking(clock, 1000, "done") } });
  await clock.pass(10_000);
  const { facts } = await running;
  return parseMetrics(serializeMetrics(facts)).parallel_speedup;
}

describe("[H24] the stored speed-up", () => {
  const work = (id: string, more: object = {}) => ({ id, tool: "work", ...more });

  test("[H24] is that of steps and items which run in parallel", async () => {
    expect(await storedSpeedup({ steps: [work("a"), work("b"), work("c")] })).toBe(3);
    expect(await storedSpeedup({ steps: [work("each", { for_each: [1, 2], params: {} })] })).toBe(2);
    const child = { name: "child", steps: [work("a"), work("b")] };
    expect(await storedSpeedup({ steps: [{ id: "call", tool: "child" }] }, [child])).toBe(2);
  });

  test("[H24] is absent if steps run one after another", async () => {
    const line = [work("a"), work("b", { depends_on: ["a"] })];
    expect(await storedSpeedup({ steps: line })).toBeUndefined();
    expect(await storedSpeedup({ steps: [...line, work("skipped", { condition: "false" })] })).toBeUndefined();
    expect(
      await storedSpeedup({ steps: [{ id: "call", tool: "child" }] }, [{ name: "child", steps: line }]),
    ).toBeUndefined();
    expect(
      await storedSpeedup({ steps: [work("each", { for_each: [1, 2], concurrency: 1, params: {} })] }),
    ).toBeUndefined();
  });

  test("[H24] is absent for a run that was resumed", async () => {
    const clock = new FakeClock();
    const running = recordRun(
      { name: "c", steps: [work("a"), work("b")] },
      { clock, tools: { work: taking(clock, 1000, "done") } },
    );
    await clock.pass(10_000);
    const { facts } = await running;
    expect(parseMetrics(serializeMetrics({ ...facts, usage: undefined }))).toEqual({
      steps_ms: 2000,
      failures: 0,
      recovered: 0,
      recovery_rate: 1,
    });
  });
});
