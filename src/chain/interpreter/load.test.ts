import { describe, expect, test } from "vitest";
import { runWith } from "../../../test/support/chain-runner.ts";
import { largeRuns } from "../../../test/support/large-runs.ts";
import { fail } from "../../base/index.ts";
import type { Effect } from "../../tool/index.ts";
import { type MockAnswer, mock } from "../../testing/chain/mock-tools.ts";
import type { ChainSpec } from "../plan/chain-spec.ts";

describe("very large runs", () => {
  for (const [name, { expected, run }] of Object.entries(largeRuns)) {
    test(`${name}: done`, async () => {
      expect(await run()).toBe(expected);
    });
  }
});

/** Numbers between 0 and 1, the same every time. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test("[A15] with faults in 30 % of the calls of 200 runs, more than 80 % recover, and no once tool runs twice", async () => {
  const random = randomFrom(42);
  const onceRuns: string[] = [];
  const faulty = (effect: Effect): MockAnswer =>
    mock({
      effect,
      answer: (args, { idempotencyKey }) => {
        if (effect === "once") onceRuns.push(idempotencyKey);
        if (random() < 0.3) return fail("injected", { code: "not_available", retry: "safe" });
        return args;
      },
    });
  const retry = { max: 3, delay: 0.1 };
  const fallback = {
    error_handling: { strategy: "fallback|continue", fallback: [{ tool: "stand_in" }, { tool: "stand_in" }] },
  };
  const spec: ChainSpec = {
    name: "faulty",
    error_handling: { strategy: "retry|fallback|continue", max_retries: 3, fallback: [{ tool: "stand_in" }] },
    steps: [
      { id: "search", tool: "find" },
      { id: "each", tool: "store", for_each: [1, 2, 3, 4], params: { n: "${item}" }, retry, tolerate: 1, ...fallback },
      { id: "send", tool: "send", depends_on: ["search"], ...fallback },
      { id: "each-once", tool: "send", for_each: [1, 2, 3], ...fallback, tolerate: 1 },
      { id: "last", tool: "store", depends_on: ["send", "each"], params: { x: "${steps.search.output ?? 0}" } },
    ],
  };
  let [failures, recovered] = [0, 0];
  for (let run = 0; run < 200; run++) {
    const { result } = await runWith(spec, {
      runId: `run-${run}`,
      tools: { find: faulty("read"), store: faulty("idempotent"), send: faulty("once"), stand_in: faulty("read") },
    });
    expect(result.status).toBe("success");
    const { metrics } = result.log();
    failures += metrics.failures;
    recovered += metrics.recovered;
  }
  const rate = recovered / failures;
  console.log(
    `200 runs with faults in 30 % of calls: ${failures} steps with failures, recovery rate ${rate.toFixed(3)}`,
  );
  expect(failures).toBeGreaterThan(200);
  expect(rate).toBeGreaterThan(0.8);
  expect(new Set(onceRuns).size).toBe(onceRuns.length);
});
