import { describe, expect, test } from "vitest";
import { heard, runWith, taking } from "../../../test/support/chain-runner.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { type FailureError, fail } from "../../base/index.ts";
import type { ToolContext } from "../../tool/index.ts";
import { type MockAnswer, mock } from "../../testing/chain/mock-tools.ts";

type Args = Readonly<Record<string, unknown>>;
const down = (): FailureError => fail("down", { code: "not_available", retry: "safe" });
const read = (answer: MockAnswer): MockAnswer => mock({ effect: "read", answer });
/** Fails for these items. */
const failsFor = (...bad: unknown[]): MockAnswer => read(({ x }: Args) => (bad.includes(x) ? down() : x));

describe("for_each", () => {
  test("results keep the order of the list, regardless of which item ends first; item and index are available", async () => {
    const clock = new FakeClock();
    const { result, state, tookMs } = await runWith(
      {
        name: "c",
        steps: [
          {
            id: "e",
            tool: "t",
            for_each: "${input.list}",
            params: { x: "${item.n}", i: "${index}" },
            output: { select: "$.v" },
          },
        ],
        output: "${steps.e.output}",
      },
      {
        clock,
        input: { list: [{ n: 30 }, { n: 10 }, { n: 20 }] },
        tools: { t: ({ x, i }: Args, context: ToolContext) => taking(clock, Number(x), { v: [x, i] })({}, context) },
      },
    );
    expect(result.output).toEqual([
      [30, 0],
      [10, 1],
      [20, 2],
    ]);
    expect(tookMs).toBe(30);
    expect(state("e").items?.map(({ status, durationMs }) => [status, durationMs])).toEqual([
      ["success", 30],
      ["success", 10],
      ["success", 20],
    ]);
  });

  test("at most `concurrency` items run at once; the default is five", async () => {
    for (const concurrency of [undefined, 1, 7]) {
      const clock = new FakeClock();
      let [now, peak] = [0, 0];
      const { tookMs } = await runWith(
        {
          name: "c",
          steps: [
            {
              id: "e",
              tool: "t",
              for_each: Array.from({ length: 14 }, (_, i) => i),
              ...(concurrency && { concurrency }),
            },
          ],
        },
        {
          clock,
          tools: {
            t: async (_: unknown, context: ToolContext) => {
              peak = Math.max(peak, ++now);
              await taking(clock, 100)({}, context);
              now--;
            },
          },
        },
      );
      expect([peak, tookMs]).toEqual([concurrency ?? 5, Math.ceil(14 / (concurrency ?? 5)) * 100]);
    }
  });

  test.each([
    { tolerate: 0, bad: [], status: "success" },
    { tolerate: 0, bad: [2], status: "failed" },
    { tolerate: 1, bad: [2], status: "success" },
    { tolerate: 1, bad: [2, 4], status: "failed" },
    { tolerate: "50%", bad: [1, 2], status: "success" },
    { tolerate: "50%", bad: [1, 2, 3], status: "failed" },
    { tolerate: "49%", bad: [1, 2], status: "failed" },
    { tolerate: "100%", bad: [1, 2, 3, 4], status: "success" },
  ])(
    "with tolerate $tolerate and the failures $bad of four, the status of the step is $status",
    async ({ tolerate, bad, status }) => {
      const { statuses, state } = await runWith(
        {
          name: "c",
          error_handling: { strategy: "continue" },
          steps: [{ id: "e", tool: "t", for_each: [1, 2, 3, 4], params: { x: "${item}" }, tolerate }],
        },
        { tools: { t: failsFor(...bad) } },
      );
      expect(statuses).toEqual({ e: status });
      const expected = [1, 2, 3, 4].map((x) => (bad.includes(x) ? null : x));
      const { output, error } = state("e");
      expect(output).toEqual(status === "success" ? expected : undefined);
      expect(error?.code).toBe(status === "success" ? undefined : "items_failed");
    },
  );

  test("one failed item too many stops the others, and with continue the run proceeds once", async () => {
    const clock = new FakeClock();
    let aborts = 0;
    const { state, result, tookMs } = await runWith(
      {
        name: "c",
        steps: [
          {
            id: "e",
            tool: "t",
            for_each: [0, 1, 2, 3, 4, 5],
            concurrency: 3,
            params: { x: "${item}" },
            error_handling: { strategy: "continue" },
          },
          { id: "after", tool: "u", condition: "${steps.e.error.code == 'items_failed'}" },
        ],
      },
      {
        clock,
        tools: {
          t: ({ x }: Args, context: ToolContext) =>
            x === 1 ? Promise.reject(new Error("no")) : heard(taking(clock, 1000, x), () => aborts++)({}, context),
          u: 1,
        },
      },
    );
    expect(state("e").items?.map(({ status }) => status)).toEqual([
      "cancelled",
      "failed",
      "cancelled",
      "cancelled",
      "cancelled",
      "cancelled",
    ]);
    expect([aborts, tookMs, result.status, state("after").status]).toEqual([2, 0, "success", "success"]);
  });

  test("each item has its own retries and fallbacks", async () => {
    const tries = new Map<unknown, number>();
    const { state, calls } = await runWith(
      {
        name: "c",
        steps: [
          {
            id: "e",
            tool: "t",
            for_each: ["ok", "once-bad", "bad"],
            params: { x: "${item}" },
            retry: { max: 1, delay: 1 },
            error_handling: {
              strategy: "fallback",
              fallback: [{ tool: "f", params: { x: "${item}", i: "${index}" } }],
            },
          },
        ],
      },
      {
        tools: {
          t: read(({ x }: Args) => {
            tries.set(x, (tries.get(x) ?? 0) + 1);
            return x === "bad" || (x === "once-bad" && tries.get(x) === 1) ? down() : x;
          }),
          f: ({ x, i }: Args) => `${String(x)} ${String(i)}`,
        },
      },
    );
    expect(state("e")).toMatchObject({ status: "recovered", output: ["ok", "once-bad", "bad 2"] });
    expect(state("e").items?.map(({ status, attempts }) => [status, attempts])).toEqual([
      ["success", 1],
      ["success", 2],
      ["recovered", 3],
    ]);
    expect(calls).toHaveLength(6);
  });

  test("an empty list gives an empty list; a value that is not a list fails the step", async () => {
    const over = async (list: unknown): Promise<unknown> => {
      const { state } = await runWith(
        {
          name: "c",
          input: { list: "any?" },
          error_handling: { strategy: "continue" },
          steps: [{ id: "e", tool: "t", for_each: "${input.list}" }],
        },
        { tools: { t: 1 }, input: { list } },
      );
      return state("e").output ?? state("e").error?.message;
    };
    expect(await over([])).toEqual([]);
    expect(await over("text")).toContain("for_each needs a list, got string");
    expect(await over(null)).toContain("got null");
    expect(await over(undefined)).toContain("got missing");
  });

  test("ten thousand items, at once and one after the other, also when all of them fail at once", async () => {
    const list = Array.from({ length: 10_000 }, (_, i) => i);
    for (const concurrency of [1, 10_000]) {
      const { state } = await runWith(
        {
          name: "c",
          steps: [{ id: "e", tool: "t", for_each: "${input.list}", concurrency, params: { x: "${item}" } }],
        },
        { tools: { t: ({ x }: Args) => x }, input: { list } },
      );
      expect(state("e").output).toEqual(list);
    }
    const { state } = await runWith(
      {
        name: "c",
        error_handling: { strategy: "continue" },
        steps: [{ id: "e", tool: "t", for_each: "${input.list}", tolerate: "100%", params: { x: "${item - 'a'}" } }],
      },
      { tools: { t: 1 }, input: { list } },
    );
    expect(state("e")).toMatchObject({ status: "success" });
    expect(state("e").items?.every(({ status }) => status === "failed")).toBe(true);
  });

  test("items whose parameters fail immediately end the step once", async () => {
    const { statuses, result } = await runWith(
      {
        name: "c",
        steps: [
          {
            id: "e",
            tool: "t",
            for_each: [1, 2, 3],
            params: { x: "${item - 'a'}" },
            error_handling: { strategy: "continue" },
          },
          { id: "other", tool: "t" },
        ],
      },
      { tools: { t: 1 } },
    );
    expect([statuses, result.status]).toEqual([{ e: "failed", other: "success" }, "success"]);
  });
});

describe("repeat", () => {
  test("continues until the condition holds, and sees the output of the previous round", async () => {
    let n = 0;
    const { state, calls, tookMs } = await runWith(
      {
        name: "c",
        steps: [
          {
            id: "r",
            tool: "t",
            params: { before: "${steps.r.output.n ?? 0}", round: "${index}" },
            repeat: { until: "${steps.r.output.n >= 3}", max: 5, delay: 2 },
          },
        ],
      },
      { tools: { t: () => ({ n: ++n }) } },
    );
    expect(calls.map(({ args }) => args)).toEqual([
      { before: 0, round: 0 },
      { before: 1, round: 1 },
      { before: 2, round: 2 },
    ]);
    expect(state("r")).toMatchObject({ status: "success", output: { n: 3 }, iterations: 3, attempts: 3 });
    expect(tookMs).toBe(4000);
  });

  test("is exhausted after the maximum of rounds or time; a fallback can help; it is not retried", async () => {
    const spec = (repeat: object, more: object = {}): Parameters<typeof runWith>[0] => ({
      name: "c",
      steps: [{ id: "r", tool: "t", retry: { max: 2, delay: 1 }, repeat: { until: "${false}", ...repeat }, ...more }],
    });
    const rounds = await runWith(spec({ max: 4 }), { tools: { t: 1 } });
    expect(rounds.state("r")).toMatchObject({ status: "failed", error: { code: "loop_exhausted" }, iterations: 4 });
    const time = await runWith(spec({ max_duration: 10, delay: 3 }), { tools: { t: 1 } });
    expect([time.state("r").error?.message, time.tookMs]).toEqual([expect.stringContaining("10000 ms"), 9000]);
    const fallback = { error_handling: { strategy: "fallback", fallback: [{ tool: "f" }] } };
    const helped = await runWith(spec({ max: 2 }, fallback), { tools: { t: 1, f: "instead" } });
    expect(helped.state("r")).toMatchObject({ status: "recovered", output: "instead" });
  });

  test("every round has its own retries, and another idempotency key", async () => {
    const { calls, state, result } = await runWith(
      {
        name: "c",
        steps: [
          { id: "r", tool: "t", retry: { max: 1, delay: 1 }, repeat: { until: "${steps.r.output == 2}", max: 3 } },
        ],
      },
      { tools: { t: mock({ effect: "read", answers: [down(), 1, down(), 2] }) } },
    );
    expect(state("r")).toMatchObject({ status: "success", attempts: 4 });
    expect(calls.map(({ idempotencyKey }) => idempotencyKey.slice(result.runId.length + 1))).toEqual([
      "r",
      "r",
      "r~1",
      "r~1",
    ]);
  });

  test("until that cannot be evaluated fails the step", async () => {
    const { state } = await runWith(
      { name: "c", steps: [{ id: "r", tool: "t", repeat: { until: "${steps.r.output > 'x'}", max: 3 } }] },
      { tools: { t: 1 } },
    );
    expect(state("r")).toMatchObject({ status: "failed", error: { code: "expression_error" }, attempts: 1 });
  });

  test("each item has its own rounds", async () => {
    const seen = new Map<unknown, number>();
    const { state } = await runWith(
      {
        name: "c",
        steps: [
          {
            id: "r",
            tool: "t",
            for_each: ["a", "b"],
            params: { x: "${item}" },
            repeat: { until: "${steps.r.output.n > index + 1}", max: 9 },
          },
        ],
      },
      {
        tools: {
          t: ({ x }: Args) => {
            seen.set(x, (seen.get(x) ?? 0) + 1);
            return { n: seen.get(x) };
          },
        },
      },
    );
    expect(state("r").output).toEqual([{ n: 2 }, { n: 3 }]);
  });

  test("thousands of rounds of a chain that does nothing do not overflow the stack", async () => {
    const { state } = await runWith(
      { name: "c", steps: [{ id: "r", tool: "sub", repeat: { until: "${index >= 5000}", max: 20000 } }] },
      { tools: { t: 1 }, others: [{ name: "sub", steps: [{ id: "x", tool: "t", condition: "${false}" }] }] },
    );
    expect(state("r")).toMatchObject({ status: "success", iterations: 5001 });
  });
});
