import { describe, expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { type RecordOptions, recordRun, taking } from "../../../test/support/record-run.ts";
import { fail } from "../../base/index.ts";
import { createRedactor } from "../../secrets/index.ts";
import { ok } from "../../tool/index.ts";
import type { ChainSpec } from "../plan/chain-spec.ts";
import type { RunFacts } from "../interpreter/run-facts.ts";
import { mock } from "../../testing/chain/mock-tools.ts";
import { toExecutionLog } from "./execution-log.ts";

const down = (): never => {
  throw fail("the service is down", { code: "not_available" });
};

/** A run on a fake clock that advances by itself. */
async function runIn(ms: number, spec: ChainSpec, options: (clock: FakeClock) => RecordOptions): Promise<RunFacts> {
  const clock = new FakeClock();
  const running = recordRun(spec, { ...options(clock), clock });
  await clock.pass(ms);
  return (await running).facts;
}

const logOf = (facts: RunFacts) => toExecutionLog(facts, { utcOffset: 480 });
const stepOf = (facts: RunFacts, id: string) => logOf(facts).steps.find((step) => step.id === id);

describe("the execution log", () => {
  const research: ChainSpec = {
    name: "research",
    input: { topic: "string" },
    steps: [
      { id: "search", tool: "web_search", params: { query: "${input.topic}" } },
      { id: "fetch", tool: "fetch_all", params: { urls: "${steps.search.output[*].url}" } },
      { id: "sum", tool: "summarize", params: { pages: "${steps.fetch.output}" } },
      { id: "store", tool: "remember", params: { text: "${steps.sum.output}" } },
    ],
    output: { summary: "${steps.sum.output}" },
  };
  const tools = (clock: FakeClock) => ({
    web_search: taking(clock, 2000, { results: [{ url: "u1" }, { url: "u2" }] }),
    fetch_all: taking(clock, 8000, ok(["p1", "p2"], { meta: { parallelCount: 5 } })),
    summarize: taking(clock, 4000, ok("short", { meta: { tokensUsed: 500 } })),
    remember: taking(clock, 1000, { memory_id: "mem-1" }),
  });

  test("[A14] has the documented shape, key by key", async () => {
    const facts = await runIn(20_000, research, (clock) => ({ input: { topic: "tea" }, tools: tools(clock) }));
    const log = logOf({ ...facts, usage: { cpuMs: 7500, peakRssBytes: 90 * 2 ** 20, memoryBytes: 900 * 2 ** 20 } });
    expect(log).toEqual({
      chain_id: "run-1",
      name: "research",
      started_at: "2026-01-01T08:00:00.000+08:00",
      completed_at: "2026-01-01T08:00:15.000+08:00",
      duration_ms: 15_000,
      steps: [
        {
          id: "search",
          tool: "web_search",
          started_at: "2026-01-01T08:00:00.000+08:00",
          duration_ms: 2000,
          status: "success",
          input: { query: "tea" },
          output: { results: [{ url: "u1" }, { url: "u2" }] },
          attempts: 1,
        },
        {
          id: "fetch",
          tool: "fetch_all",
          started_at: "2026-01-01T08:00:02.000+08:00",
          duration_ms: 8000,
          status: "success",
          input: { urls: ["u1", "u2"] },
          output: ["p1", "p2"],
          attempts: 1,
          parallel_count: 5,
        },
        {
          id: "sum",
          tool: "summarize",
          started_at: "2026-01-01T08:00:10.000+08:00",
          duration_ms: 4000,
          status: "success",
          input: { pages: ["p1", "p2"] },
          output: "short",
          attempts: 1,
          tokens_used: 500,
        },
        {
          id: "store",
          tool: "remember",
          started_at: "2026-01-01T08:00:14.000+08:00",
          duration_ms: 1000,
          status: "success",
          input: { text: "short" },
          output: { memory_id: "mem-1" },
          attempts: 1,
          memory_id: "mem-1",
        },
      ],
      total_tokens: 500,
      success: true,
      status: "success",
      input: { topic: "tea" },
      output: { summary: "short" },
      metrics: {
        steps_ms: 15_000,
        parallel_speedup: 1,
        failures: 0,
        recovered: 0,
        recovery_rate: 1,
        cpu_ms: 7500,
        cpu_utilisation: 0.5,
        peak_rss_mb: 90,
        memory_utilisation: 0.1,
      },
    });
    expect(Object.keys(log).join(" ")).toBe(
      "chain_id name started_at completed_at duration_ms steps total_tokens success status input output metrics",
    );
    expect(Object.keys(log.steps[0] ?? {}).join(" ")).toBe(
      "id tool started_at duration_ms status input output attempts",
    );
  });

  test("[A15] counts parallel work, failures and recoveries", async () => {
    const spec: ChainSpec = {
      name: "wide",
      steps: [
        { id: "a", tool: "slow" },
        { id: "b", tool: "slow" },
        { id: "c", tool: "flaky", retry: { max: 2, delay: 1, jitter: false } },
        { id: "d", tool: "broken", error_handling: { fallback: [{ tool: "backup" }] } },
        { id: "e", tool: "broken", error_handling: { strategy: "continue" } },
        { id: "f", tool: "slow", params: { x: "${steps.e.output}" } },
      ],
    };
    const facts = await runIn(60_000, spec, (clock) => ({
      tools: {
        slow: taking(clock, 3000, 1),
        flaky: mock({ effect: "read", answers: [down, "fine"] }),
        broken: down,
        backup: taking(clock, 2000, 2),
      },
    }));
    const { metrics, duration_ms, success, steps } = logOf({ ...facts, usage: undefined });
    expect(success).toBe(true);
    expect(duration_ms).toBe(3000);
    expect(metrics).toEqual({
      steps_ms: 8000,
      parallel_speedup: 2.67,
      failures: 3,
      recovered: 2,
      recovery_rate: 0.6667,
    });
    expect(steps.map(({ id, status, attempts }) => [id, status, attempts])).toEqual([
      ["a", "success", 1],
      ["b", "success", 1],
      ["c", "success", 2],
      ["d", "recovered", 2],
      ["e", "failed", 1],
      ["f", "skipped", 0],
    ]);
    expect(stepOf(facts, "d")).toMatchObject({ fallback_tool: "backup", output: 2 });
    expect(stepOf(facts, "e")?.error).toEqual({ code: "not_available", message: "the service is down" });
    expect(stepOf(facts, "e")?.not_retried).toBe("no retries are configured");
    expect(stepOf(facts, "f")?.skip_reason).toBe("it needs e, which failed");
  });

  test("[A15] an item that failed for good and was tolerated does not count as a recovery", async () => {
    const facts = await runIn(
      1000,
      {
        name: "tolerant",
        steps: [{ id: "each", tool: "picky", for_each: [1, 2], tolerate: 1, params: { n: "${item}" } }],
      },
      () => ({
        tools: {
          picky: ({ n }) => (n === 1 ? 1 : down()),
        },
      }),
    );
    const { metrics, steps } = logOf(facts);
    expect(steps[0]?.status).toBe("success");
    expect(metrics).toMatchObject({ failures: 1, recovered: 0, recovery_rate: 0 });
  });

  test("the reason why a step was not retried is reported for the step, not for its fallback", async () => {
    const facts = await runIn(
      1000,
      {
        name: "both",
        steps: [{ id: "a", tool: "broken", error_handling: { fallback: [{ tool: "broken", params: { n: 2 } }] } }],
      },
      () => ({ tools: { broken: down } }),
    );
    expect(stepOf(facts, "a")).toMatchObject({
      not_retried: "no retries are configured",
      failures: [{ not_retried: "no retries are configured" }, { not_retried: "a fallback is not retried" }],
    });
  });

  test("[A15] waiting does not count as work: pauses, approvals, and items that wait for their turn", async () => {
    const spec: ChainSpec = {
      name: "waits",
      steps: [
        { id: "each", tool: "work", for_each: [1, 2, 3, 4], concurrency: 4 },
        { id: "asked", tool: "work", approval: "?", depends_on: ["each"] },
        { id: "again", tool: "flaky", retry: { max: 1, delay: 5, jitter: false }, depends_on: ["asked"] },
      ],
    };
    const facts = await runIn(3_700_000, spec, (clock) => ({
      tools: {
        // Synchronous: all four start at once, and run one after the other.
        work: () => {
          clock.advance(1000);
          return 1;
        },
        flaky: mock({ effect: "read", answers: [down, "fine"] }),
      },
      requestApproval: () => new Promise((resolve) => clock.after(3_600_000, () => resolve({ approved: true }))),
    }));
    const { steps } = facts;
    expect(steps.map(({ workMs }) => workMs)).toEqual([4000, 1000, 0]);
    expect(logOf(facts).metrics.steps_ms).toBe(5000);
  });

  test("[A14] lists every failed attempt, including those of fallbacks and of their expressions", async () => {
    const spec: ChainSpec = {
      name: "fails",
      steps: [
        {
          id: "s",
          tool: "broken",
          retry: { max: 1, delay: 2, jitter: false },
          error_handling: {
            strategy: "continue",
            fallback: [
              { tool: "odd", params: { x: "${error.message * 2}" } },
              { tool: "backup" },
              { condition: "${error.code == 'timeout'}", tool: "late" },
            ],
          },
        },
        { id: "fine", tool: "fine" },
      ],
    };
    const facts = await runIn(60_000, spec, () => ({
      tools: { broken: mock({ effect: "read", answer: down }), odd: 1, backup: down, late: 1, fine: 1 },
    }));
    const at = (seconds: string): object => {
      const time = `2026-01-01T08:00:${seconds}.000+08:00`;
      return { started_at: time, failed_at: time };
    };
    const broken = { tool: "broken", code: "not_available", message: "the service is down" };
    expect(stepOf(facts, "s")?.failures).toEqual([
      { ...broken, ...at("00"), retry_in_ms: 2000 },
      { ...broken, ...at("02"), not_retried: "all 1 retries failed" },
      {
        tool: "odd",
        ...at("02"),
        code: "expression_error",
        reason: expect.any(String),
        message: expect.stringContaining("fallback 1 of s"),
        not_retried: "the expressions of the fallback failed",
      },
      { ...broken, tool: "backup", ...at("02"), not_retried: "a fallback is not retried" },
    ]);
    expect(stepOf(facts, "fine")).not.toHaveProperty("failures");
  });

  test("[A14] shows items, rounds, missing values and compensations", async () => {
    const spec: ChainSpec = {
      name: "parts",
      input: { maybe: "string?" },
      steps: [
        { id: "each", tool: "work", for_each: [1, 2, 3], concurrency: 2, tolerate: 1, params: { n: "${item}" } },
        { id: "poll", tool: "count", repeat: { until: "${steps.poll.output >= 2}", max: 5 }, depends_on: ["each"] },
        {
          id: "done",
          tool: "keep",
          condition: "${input.maybe == null}",
          compensate: { tool: "undo" },
          depends_on: ["poll"],
        },
        { id: "end", tool: "broken", depends_on: ["done"] },
      ],
    };
    const facts = await runIn(10_000, spec, (clock) => ({
      tools: {
        work: ({ n }) => (n === 2 ? down() : taking(clock, 100, n)()),
        count: mock({ answers: [1, 2] }),
        keep: "kept",
        undo: null,
        broken: down,
      },
    }));
    expect(stepOf(facts, "each")).toMatchObject({
      status: "success",
      input: [{ n: 1 }, { n: 2 }, { n: 3 }],
      output: [1, null, 3],
      parallel_count: 2,
      items: [
        { status: "success", attempts: 1, duration_ms: 100 },
        { status: "failed", attempts: 1, duration_ms: 0, error: { code: "not_available" } },
        { status: "success", attempts: 1, duration_ms: 100 },
      ],
    });
    expect(stepOf(facts, "poll")).toMatchObject({ iterations: 2, output: 2 });
    expect(stepOf(facts, "done")).toMatchObject({ missing: ["input.maybe"], compensation: { status: "success" } });
    expect(logOf(facts)).toMatchObject({
      success: false,
      status: "failed",
      output: null,
      error: { code: "not_available", message: expect.stringContaining("the service is down") },
    });
  });

  test("[A14] the steps of a sub-chain follow the step that called it, and count once", async () => {
    const spec: ChainSpec = {
      name: "outer",
      steps: [
        { id: "sub", tool: "inner" },
        { id: "own", tool: "t" },
      ],
    };
    const inner: ChainSpec = {
      name: "inner",
      steps: [
        { id: "x", tool: "t" },
        { id: "y", tool: "t" },
      ],
    };
    const facts = await runIn(10_000, spec, (clock) => ({
      chains: [inner],
      tools: { t: taking(clock, 1000, ok(1, { meta: { tokensUsed: 10 } })) },
    }));
    const log = logOf(facts);
    expect(log.steps.map(({ id }) => id)).toEqual(["sub", "sub/x", "sub/y", "own"]);
    expect(log).toMatchObject({ total_tokens: 30, metrics: { steps_ms: 3000, parallel_speedup: 3 } });
  });

  test("[A14] the tokens of all items and attempts add up", async () => {
    const spec: ChainSpec = {
      name: "c",
      steps: [{ id: "a", tool: "t", for_each: [1, 2, 3], params: { n: "${item}" }, retry: { max: 1, delay: 0 } }],
    };
    const spent = mock({
      effect: "read",
      answer: ({ n }, context) => {
        context.report({ tokensUsed: 10 });
        return n === 2 ? down() : n;
      },
    });
    const { facts } = await recordRun(spec, { tools: { t: spent } });
    expect(logOf(facts)).toMatchObject({ status: "failed", total_tokens: 40, steps: [{ tokens_used: 40 }] });
  });

  test("secrets never appear: handles show their name, values and secret-like names are redacted", async () => {
    const spec: ChainSpec = {
      name: "c",
      steps: [{ id: "a", tool: "t", params: { api_key: "${secret.KEY}", password: "hunter2", note: "${input.note}" } }],
    };
    const { facts } = await recordRun(spec, {
      input: { note: "it is s3cr3t-value" },
      secrets: { KEY: "s3cr3t-value" },
      tools: { t: ({ api_key }) => ({ echo: `got ${String(api_key)}` }) },
    });
    const log = toExecutionLog(facts, { redactor: createRedactor(["s3cr3t-value"]) });
    expect(log.steps[0]).toMatchObject({
      input: { api_key: "[secret KEY]", password: "[redacted]", note: "it is [redacted]" },
      output: { echo: "got [redacted]" },
    });
    expect(JSON.stringify(log)).not.toContain("s3cr3t-value");
  });

  test("a run that waits for approval has that status, and no end", async () => {
    const spec: ChainSpec = {
      name: "c",
      steps: [
        { id: "a", tool: "t", approval: "Really?" },
        { id: "b", tool: "t", params: { x: "${steps.a.output}" } },
      ],
    };
    const { facts } = await recordRun(spec, { tools: { t: 1 } });
    expect(toExecutionLog(facts)).toMatchObject({
      completed_at: null,
      success: false,
      status: "waiting",
      steps: [{ id: "a", status: "waiting", approval_id: expect.any(String) }],
    });
  });

  test("times are local, for any offset", async () => {
    const { facts } = await recordRun({ name: "c", steps: [{ id: "a", tool: "t" }] }, { tools: { t: 1 } });
    const at = (utcOffset: number) => toExecutionLog(facts, { utcOffset }).started_at;
    expect(at(0)).toBe("2026-01-01T00:00:00.000+00:00");
    expect(at(-210)).toBe("2025-12-31T20:30:00.000-03:30");
    expect(at(345)).toBe("2026-01-01T05:45:00.000+05:45");
    expect(Date.parse(toExecutionLog(facts).started_at)).toBe(facts.startedAt);
  });

  test("a log is plain JSON", async () => {
    const facts = await runIn(20_000, research, (clock) => ({ input: { topic: "tea" }, tools: tools(clock) }));
    const log = logOf(facts);
    expect(JSON.parse(JSON.stringify(log))).toEqual(log);
  });
});
