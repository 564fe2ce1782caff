import { describe, expect, test } from "vitest";
import { heard, runWith, taking } from "../../../test/support/chain-runner.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { type FailureError, type RetryVerdict, fail, failure } from "../../base/index.ts";
import type { Effect } from "../../tool/index.ts";
import { type MockAnswer, mock } from "../../testing/chain/mock-tools.ts";
import type { StepSpec } from "../plan/chain-spec.ts";
import { decideRetry } from "./retry-decision.ts";

const down = (retry: RetryVerdict = "safe"): FailureError => fail("down", { code: "not_available", retry });

describe("retries", () => {
  const retry = { max: 2, delay: 1, jitter: false } as const;

  test("[A11] a failed attempt is retried after delays that double, until one succeeds", async () => {
    const { state, tookMs, calls } = await runWith(
      { name: "c", steps: [{ id: "a", tool: "t", retry: { ...retry, max: 3 } }] },
      { tools: { t: mock({ effect: "read", answers: [down(), down(), down(), "ok"] }) } },
    );
    expect(state("a")).toMatchObject({ status: "success", output: "ok", attempts: 4, error: undefined });
    expect(state("a").failures?.map(({ delayMs }) => delayMs)).toEqual([1000, 2000, 4000]);
    expect(tookMs).toBe(7000);
    expect(calls).toHaveLength(4);
  });

  test("[F13] ctx.attempt counts the attempts of a step, of each item, round and fallback", async () => {
    const attempts: string[] = [];
    const failing = (times: number, effect: Effect = "read"): MockAnswer => {
      const counts = new Map<string, number>();
      return mock({
        effect,
        answer: (args, { attempt, idempotencyKey }) => {
          attempts.push(`${idempotencyKey.slice(idempotencyKey.indexOf("/") + 1)} ${attempt}`);
          const count = (counts.get(idempotencyKey) ?? 0) + 1;
          counts.set(idempotencyKey, count);
          if (count <= times) throw down();
          return count;
        },
      });
    };
    const ordered = (id: string, tool: string, after: string[], more: Partial<StepSpec>): StepSpec => ({
      id,
      tool,
      depends_on: after,
      retry,
      ...more,
    });
    const { result } = await runWith(
      {
        name: "c",
        steps: [
          ordered("a", "twice", [], {}),
          ordered("each", "once_each", ["a"], { for_each: [1, 2], concurrency: 1, params: {} }),
          ordered("poll", "once_each", ["each"], { repeat: { until: "${steps.poll.output > 9}", max: 2 } }),
          { ...ordered("last", "always", ["each"], {}), error_handling: { fallback: [{ tool: "fine" }] } },
        ],
        error_handling: { strategy: "continue" },
      },
      { tools: { twice: failing(2), once_each: failing(1, "idempotent"), always: failing(9), fine: failing(0) } },
    );
    expect(result.status).toBe("success");
    expect(attempts.filter((line) => !line.startsWith("last") && !line.startsWith("poll"))).toEqual([
      "a 1",
      "a 2",
      "a 3",
      "each[0] 1",
      "each[0] 2",
      "each[1] 1",
      "each[1] 2",
    ]);
    expect(attempts.filter((line) => line.startsWith("poll"))).toEqual(["poll 1", "poll 2", "poll~1 1", "poll~1 2"]);
    expect(attempts.filter((line) => line.startsWith("last"))).toEqual(["last 1", "last 2", "last 3", "last!1 1"]);
  });

  test("[N05] every attempt of the same work has the same idempotency key", async () => {
    const { calls, result } = await runWith(
      {
        name: "c",
        steps: [
          { id: "a", tool: "t", retry },
          { id: "each", tool: "u", for_each: [1, 2], retry },
        ],
      },
      {
        tools: {
          t: mock({ effect: "idempotent", answers: [down(), down(), "ok"] }),
          u: mock({ effect: "idempotent", answers: [down(), 1, 1] }),
        },
      },
    );
    const keys = calls.map(({ tool, idempotencyKey }) => `${tool} ${idempotencyKey.slice(result.runId.length)}`);
    expect(keys.toSorted()).toEqual(["t /a", "t /a", "t /a", "u /each[0]", "u /each[0]", "u /each[1]"]);
  });

  test("backoff is linear or fixed if configured, never longer than max_delay, and jitter keeps at least half of it", async () => {
    const delays = async (more: object): Promise<(number | undefined)[] | undefined> => {
      const { state } = await runWith(
        { name: "c", steps: [{ id: "a", tool: "t", retry: { ...retry, max: 3, ...more } }] },
        { tools: { t: mock({ effect: "read", answers: [down(), down(), down(), 1] }) } },
      );
      return state("a").failures?.map(({ delayMs }) => delayMs);
    };
    expect(await delays({ backoff: "linear" })).toEqual([1000, 2000, 3000]);
    expect(await delays({ backoff: "fixed" })).toEqual([1000, 1000, 1000]);
    expect(await delays({ max_delay: 1.5 })).toEqual([1000, 1500, 1500]);
    const random = (await delays({ jitter: true, backoff: "fixed" })) ?? [];
    for (const ms of random) expect(ms).toSatisfy((x: number) => x >= 500 && x <= 1000);
  });

  test("a service that requests a delay gets one", async () => {
    const busy = fail("busy", { code: "not_available", retry: "safe", retryAfterMs: 9000 });
    const { tookMs } = await runWith(
      { name: "c", steps: [{ id: "a", tool: "t", retry }] },
      { tools: { t: mock({ effect: "read", answers: [busy, 1] }) } },
    );
    expect(tookMs).toBe(9000);
  });

  test("[N02] the effect and the retry verdict decide: what must not happen twice is not retried", async () => {
    const attempts = async (effect: Effect, verdict: RetryVerdict): Promise<unknown> => {
      const { state, calls } = await runWith(
        { name: "c", error_handling: { strategy: "continue" }, steps: [{ id: "a", tool: "t", retry }] },
        { tools: { t: mock({ effect, answer: down(verdict) }) } },
      );
      expect(state("a").attempts).toBe(calls.length);
      return [calls.length, state("a").failures?.at(-1)?.notRetried];
    };
    expect(await attempts("read", "safe")).toEqual([3, { code: "retries_failed", params: { max: 2 } }]);
    expect(await attempts("idempotent", "safe")).toEqual([3, { code: "retries_failed", params: { max: 2 } }]);
    expect(await attempts("once", "safe")).toEqual([1, { code: "effect_once", params: {} }]);
    expect(await attempts("read", "never")).toEqual([
      1,
      { code: "would_fail_again", params: { code: "not_available" } },
    ]);
    expect(await attempts("idempotent", "unsafe")).toEqual([1, { code: "verdict_unsafe", params: {} }]);
  });

  test("a once tool that never started may be retried", () => {
    const retry = { max: 1, delayMs: 10, backoff: "fixed", maxDelayMs: 10, jitter: false } as const;
    const failed = {
      error: failure("queue_timeout", "full"),
      attempt: 1,
      retry,
      isRetryRequested: () => true,
      seed: "s",
    };
    expect(decideRetry({ ...failed, effect: undefined })).toEqual({ delayMs: 10 });
    expect(decideRetry({ ...failed, effect: "once" })).toHaveProperty("not");
  });

  test("retry.when sees the error; if it does not hold or cannot be evaluated there is no retry", async () => {
    const withWhen = async (when: string): Promise<unknown> => {
      const { state, calls } = await runWith(
        {
          name: "c",
          error_handling: { strategy: "continue" },
          steps: [{ id: "a", tool: "t", retry: { ...retry, when } }],
        },
        { tools: { t: mock({ effect: "read", answer: down() }) } },
      );
      return [calls.length, state("a").failures?.at(-1)?.notRetried];
    };
    expect(await withWhen("${error.code == 'not_available' && error.retry == 'safe'}")).toEqual([
      3,
      { code: "retries_failed", params: { max: 2 } },
    ]);
    expect(await withWhen("${error.code == 'timeout'}")).toEqual([1, { code: "condition_false", params: {} }]);
    expect(await withWhen("${error.message > 3}")).toEqual([
      1,
      { code: "condition_failed", params: { message: expect.stringContaining("retry.when") } },
    ]);
  });

  test("the chain's retry strategy applies to steps without their own, and a step's own wins", async () => {
    const { calls } = await runWith(
      {
        name: "c",
        error_handling: { strategy: "retry|continue", max_retries: 1 },
        steps: [
          { id: "a", tool: "t" },
          { id: "b", tool: "u", error_handling: { strategy: "continue" } },
        ],
      },
      { tools: { "*": mock({ effect: "read", answer: down() }) } },
    );
    expect(calls.map(({ tool }) => tool).toSorted()).toEqual(["t", "t", "u"]);
  });
});

describe("fallbacks", () => {
  test("[A11] the first fallback whose condition holds replaces the step, with its own select and params, and the error is gone", async () => {
    const { result, state, calls } = await runWith(
      {
        name: "c",
        steps: [
          {
            id: "search",
            tool: "web",
            output: { select: "$.results[*]", as: "found" },
            error_handling: {
              strategy: "fallback",
              fallback: [
                { condition: "${steps.search.error.code == 'timeout'}", tool: "never" },
                {
                  condition: "${steps.search.error}",
                  tool: "recall",
                  params: { why: "${error.message}", code: "${steps.search.error.code}" },
                  output: { select: "$.memories[*].text" },
                },
              ],
            },
          },
          { id: "after", tool: "echo", params: { x: "${context.found}", error: "${steps.search.error}" } },
        ],
      },
      {
        tools: {
          web: mock({ effect: "read", answer: down() }),
          recall: { memories: [{ text: "m1" }, { text: "m2" }] },
          echo: (args: unknown) => args,
        },
      },
    );
    expect(result.output).toEqual({ search: ["m1", "m2"], after: { x: ["m1", "m2"] } });
    expect(state("search")).toMatchObject({
      status: "recovered",
      error: undefined,
      fallbackTool: "recall",
      attempts: 2,
    });
    expect(calls[1]).toMatchObject({ tool: "recall", args: { why: "down", code: "not_available" } });
  });

  test("fallbacks are tried in order until one succeeds; each once; the first error stays if none does", async () => {
    const fallback = [{ tool: "f1" }, { tool: "f2" }, { tool: "f3", condition: "${false}" }];
    const spec = {
      name: "c",
      steps: [
        { id: "a", tool: "t", retry: { max: 1, delay: 0 }, error_handling: { strategy: "retry|fallback", fallback } },
      ],
    };
    const read = (answer: MockAnswer): MockAnswer => mock({ effect: "read", answer });
    const tools = { t: read(down()), f1: read(fail("f1 broke", { retry: "safe" })), f3: 3 };
    const helped = await runWith(spec, { tools: { ...tools, f2: read(2) } });
    expect(helped.result.output).toEqual({ a: 2 });
    expect(helped.calls.map(({ tool }) => tool)).toEqual(["t", "t", "f1", "f2"]);
    const failed = await runWith(spec, { tools: { ...tools, f2: read(fail("f2 broke")) } });
    expect(failed.result).toMatchObject({ status: "failed", error: { code: "not_available", message: "a: down" } });
    expect(failed.state("a")).toMatchObject({ status: "failed", error: { message: "down" }, attempts: 4 });
  });

  test("a chain can be a fallback, and a fallback whose expressions fail is skipped", async () => {
    const { result, state } = await runWith(
      {
        name: "c",
        steps: [
          {
            id: "a",
            tool: "t",
            error_handling: {
              strategy: "fallback",
              fallback: [
                { tool: "t", params: { x: "${'a' - 1}" } },
                { tool: "sub", params: { why: "${error.code}" } },
              ],
            },
          },
        ],
      },
      {
        tools: { t: mock({ effect: "read", answer: down() }), u: (args: unknown) => args },
        others: [{ name: "sub", steps: [{ id: "x", tool: "u", params: { why: "${input.why}" } }] }],
      },
    );
    expect(result.output).toEqual({ a: { x: { why: "not_available" } } });
    expect(state("a/x").status).toBe("success");
  });
});

describe("abort, continue and compensation", () => {
  test("[A11] abort is the default: nothing new starts, running steps are cancelled, the failure names the step", async () => {
    const clock = new FakeClock();
    const aborted: string[] = [];
    const { result, statuses, tookMs } = await runWith(
      {
        name: "c",
        steps: [
          { id: "slow", tool: "slow" },
          { id: "bad", tool: "bad" },
          { id: "late", tool: "slow", depends_on: ["bad"] },
        ],
      },
      {
        clock,
        tools: {
          slow: heard(taking(clock, 60_000, 1), () => aborted.push("slow")),
          bad: async () => {
            await taking(clock, 100)({}, { signal: new AbortController().signal } as never);
            throw down();
          },
        },
      },
    );
    expect(statuses).toEqual({ slow: "cancelled", bad: "failed", late: "cancelled" });
    expect(result).toMatchObject({
      success: false,
      status: "failed",
      error: { message: "bad: down" },
      output: undefined,
    });
    expect([aborted, tookMs]).toEqual([["slow"], 100]);
  });

  test("continue proceeds without the step, and skips its dependents", async () => {
    const { result, statuses, state } = await runWith(
      {
        name: "c",
        steps: [
          { id: "bad", tool: "bad", error_handling: { strategy: "continue" } },
          { id: "reads", tool: "t", params: { x: "${steps.bad.output}" } },
          { id: "ordered", tool: "t", depends_on: ["bad"] },
          { id: "copes", tool: "t", params: { x: "${steps.bad.output ?? 1}" } },
          { id: "inspects", tool: "t", params: { e: "${steps.bad.error.code}", s: "${steps.bad.status}" } },
          { id: "other", tool: "t" },
        ],
        output: { copes: "${steps.copes.output}", inspects: "${steps.inspects.output}" },
      },
      { tools: { bad: mock({ effect: "read", answer: down() }), t: (args: unknown) => args } },
    );
    expect(statuses).toEqual({
      bad: "failed",
      reads: "skipped",
      ordered: "skipped",
      copes: "success",
      inspects: "success",
      other: "success",
    });
    expect(state("reads").skip).toEqual({ kind: "needs", step: "bad", status: "failed" });
    expect(result.output).toEqual({ copes: { x: 1 }, inspects: { e: "not_available", s: "failed" } });
  });

  const undoable = (id: string, more: object = {}): StepSpec => ({
    id,
    tool: "do",
    compensate: { tool: "undo", params: { what: `\${steps.${id}.output}` } },
    ...more,
  });
  const doing = {
    do: mock({ effect: "idempotent", answer: (args: Record<string, unknown>) => args["name"] ?? "it" }),
    undo: mock({ effect: "idempotent", answer: 1 }),
    bad: mock({ effect: "read", answer: down() }),
  };

  test("[N06] completed steps are compensated in reverse order when the run fails, and a failed compensation does not stop the others", async () => {
    const { result, tools, state } = await runWith(
      {
        name: "c",
        steps: [
          undoable("a", { params: { name: "A" } }),
          undoable("b", { params: { name: "B" }, depends_on: ["a"] }),
          undoable("c", { params: { name: "C" }, depends_on: ["b"] }),
          undoable("never", { depends_on: ["d"] }),
          { id: "d", tool: "bad", depends_on: ["c"] },
        ],
      },
      {
        tools: {
          ...doing,
          undo: mock({
            effect: "idempotent",
            answer: ({ what }: Record<string, unknown>) => (what === "B" ? down("never") : "undone"),
          }),
        },
      },
    );
    expect(result.status).toBe("failed");
    expect(tools.argsOf("undo").map(({ what }) => what)).toEqual(["C", "B", "A"]);
    expect(state("a").compensation).toEqual({ status: "success" });
    expect(state("b").compensation).toMatchObject({ status: "failed", error: { message: "down" } });
    expect(state("never").compensation).toBeUndefined();
  });

  test("[N06] a sub-chain that fails compensates itself; one that succeeded is compensated with its caller, in the order of the whole run", async () => {
    const sub = {
      name: "sub",
      input: { p: "string", bad: "boolean=false" },
      steps: [
        undoable("x", { params: { name: "${input.p}x" } }),
        undoable("y", { params: { name: "${input.p}y" }, depends_on: ["x"] }),
        { id: "z", tool: "bad", condition: "${input.bad}", depends_on: ["y"] },
      ],
    };
    const recovered = await runWith(
      {
        name: "c",
        steps: [
          undoable("a", { params: { name: "A" } }),
          {
            id: "s",
            tool: "sub",
            depends_on: ["a"],
            params: { p: "1", bad: true },
            error_handling: { strategy: "continue" },
          },
        ],
      },
      { tools: doing, others: [sub] },
    );
    expect(recovered.result.status).toBe("success");
    expect(recovered.tools.argsOf("undo").map(({ what }) => what)).toEqual(["1y", "1x"]);
    const whole = await runWith(
      {
        name: "c",
        steps: [
          { id: "s", tool: "sub", params: { p: "1" } },
          undoable("b", { params: { name: "B" }, depends_on: ["s"] }),
          { id: "t", tool: "sub", params: { p: "2" }, depends_on: ["b"] },
          { id: "d", tool: "bad", depends_on: ["t"] },
        ],
      },
      { tools: doing, others: [sub] },
    );
    expect(whole.tools.argsOf("undo").map(({ what }) => what)).toEqual(["2y", "2x", "B", "1y", "1x"]);
  });

  test("[N06] a cancelled run and one that times out are compensated too, running sub-chains in the order of the whole run", async () => {
    const clock = new FakeClock();
    const sub = {
      name: "sub",
      steps: [undoable("x", { params: { name: "x" } }), { id: "wait", tool: "slow", depends_on: ["x"] }],
    };
    const spec = {
      name: "c",
      timeout: 5,
      steps: [
        { id: "s", tool: "sub" },
        { id: "later", tool: "short" },
        undoable("b", { params: { name: "B" }, depends_on: ["later"] }),
      ],
    };
    const slow = taking(clock, 60_000);
    const timedOut = await runWith(spec, {
      clock,
      others: [sub],
      tools: { ...doing, slow, short: taking(clock, 1000) },
    });
    expect(timedOut.result).toMatchObject({ status: "failed", error: { code: "timeout" } });
    expect(timedOut.tookMs).toBe(5000);
    expect(timedOut.tools.argsOf("undo").map(({ what }) => what)).toEqual(["B", "x"]);
    const stop = new AbortController();
    clock.after(3000, () => stop.abort());
    const cancelled = await runWith(spec, {
      clock,
      others: [sub],
      tools: { ...doing, slow, short: taking(clock, 1000) },
      signal: stop.signal,
    });
    expect(cancelled.result.status).toBe("cancelled");
    expect(cancelled.tookMs).toBe(3000);
    expect(cancelled.tools.argsOf("undo").map(({ what }) => what)).toEqual(["B", "x"]);
  });

  test("[N06] the same work repeated after its compensation has another key", async () => {
    const sub = {
      name: "sub",
      steps: [undoable("x"), { id: "z", tool: "flaky", depends_on: ["x"] }],
    };
    const { calls, result } = await runWith(
      {
        name: "c",
        steps: [
          { id: "a", tool: "do", compensate: { tool: "undo" } },
          { id: "s", tool: "sub", depends_on: ["a"], retry: { max: 1, delay: 0 } },
          { id: "d", tool: "bad", depends_on: ["s"] },
        ],
      },
      {
        tools: { ...doing, flaky: mock({ effect: "read", answers: [down(), 1] }) },
        others: [sub],
      },
    );
    const keys = calls.map(({ tool, idempotencyKey }) => `${tool} ${idempotencyKey.slice(result.runId.length + 1)}`);
    expect(keys).toEqual([
      "do a",
      "do s/x",
      "flaky s/z",
      "undo s/x^",
      "do s+1/x",
      "flaky s+1/z",
      "bad d",
      "undo s+1/x^",
      "undo a^",
    ]);
  });

  test("a step that had succeeded when the run was cancelled is compensated, although its outcome arrived afterwards", async () => {
    const { statuses, tools } = await runWith(
      { name: "c", steps: [{ id: "bad", tool: "bad" }, undoable("quick", { params: { name: "Q" } })] },
      { tools: doing },
    );
    expect(statuses).toEqual({ bad: "failed", quick: "success" });
    expect(tools.argsOf("undo")).toEqual([{ what: "Q" }]);
  });
});

describe("a for_each that did some of its work can be compensated", () => {
  const each = (more: object = {}): StepSpec => ({
    id: "e",
    tool: "do",
    for_each: [1, 2, 3, 4],
    concurrency: 1,
    params: { x: "${item}" },
    output: { as: "made" },
    compensate: { tool: "undo", params: { made: "${steps.e.output}", also: "${context.made}" } },
    ...more,
  });
  const undo = mock({ effect: "idempotent", answer: "undone" });
  const failsFor = (bad: number): MockAnswer =>
    mock({
      effect: "once",
      answer: ({ x }: Readonly<Record<string, unknown>>) => (x === bad ? down("never") : `made ${String(x)}`),
    });

  test("if one item too many failed: null stands for items that were not done", async () => {
    const { result, tools, state } = await runWith(
      { name: "c", steps: [each()] },
      { tools: { do: failsFor(3), undo } },
    );
    expect(result.status).toBe("failed");
    const made = ["made 1", "made 2", null, null];
    expect(tools.argsOf("undo")).toEqual([{ made, also: made }]);
    expect(state("e")).toMatchObject({ status: "failed", output: undefined, compensation: { status: "success" } });
  });

  test("if it was cancelled", async () => {
    const clock = new FakeClock();
    const { tools, state } = await runWith(
      { name: "c", steps: [each(), { id: "bad", tool: "bad" }] },
      {
        clock,
        tools: {
          do: mock({ effect: "idempotent", answer: taking(clock, 1000, "made") }),
          bad: mock({
            effect: "read",
            answer: async (args, context) => {
              await taking(clock, 2500)(args, context);
              throw down();
            },
          }),
          undo,
        },
      },
    );
    expect(state("e").status).toBe("cancelled");
    expect(tools.argsOf("undo")).toMatchObject([{ made: ["made", "made", null, null] }]);
  });

  test("it is compensated when the run continued without it and then failed", async () => {
    const { tools } = await runWith(
      {
        name: "c",
        steps: [
          each({ error_handling: { strategy: "continue" } }),
          { id: "bad", tool: "bad", condition: "${steps.e.status == 'failed'}" },
        ],
      },
      { tools: { do: failsFor(2), bad: down(), undo } },
    );
    expect(tools.argsOf("undo")).toMatchObject([{ made: ["made 1", null, null, null] }]);
  });

  test("it is not compensated if nothing was done", async () => {
    const { tools } = await runWith({ name: "c", steps: [each()] }, { tools: { do: failsFor(1), undo } });
    expect(tools.argsOf("undo")).toEqual([]);
  });
});
