import { describe, expect, test } from "vitest";
import { heard, runWith, taking, withTime } from "../../../test/support/chain-runner.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { fail } from "../../base/index.ts";
import { createEngine } from "../../engine/index.ts";
import { chainTool } from "../chain-tool.ts";
import { ChainLibrary } from "../chain-library.ts";
import { type MockAnswer, mock, mockTools } from "../../testing/chain/mock-tools.ts";
import { runChain } from "../run-chain.ts";

const echo = (args: unknown): unknown => args;

describe("chains that call chains", () => {
  test("[A12] a chain is a tool of another chain; its steps are in the caller's log", async () => {
    const { result, state, calls } = await runWith(
      { name: "c", steps: [{ id: "s", tool: "sub", params: { topic: "tea" } }], output: "${steps.s.output.found}" },
      {
        tools: { t: echo },
        others: [
          {
            name: "sub",
            input: { topic: "string", depth: "number=3" },
            steps: [{ id: "x", tool: "t", params: { q: "${input.topic}", d: "${input.depth}" } }],
            output: { found: "${steps.x.output}" },
          },
        ],
      },
    );
    expect(result.output).toEqual({ q: "tea", d: 3 });
    expect(state("s/x")).toMatchObject({ status: "success", path: "s/x" });
    expect(calls[0]?.idempotencyKey).toBe(`${result.runId}/s/x`);
    expect(result.log().steps.map(({ id }) => id)).toEqual(["s", "s/x"]);
  });

  test("invalid input fails the step, with the reason", async () => {
    const { result, calls } = await runWith(
      { name: "c", input: { n: "any" }, steps: [{ id: "s", tool: "sub", params: { n: "${input.n}" } }] },
      {
        tools: { t: 1 },
        input: { n: "text" },
        others: [{ name: "sub", input: { n: "number" }, steps: [{ id: "x", tool: "t" }] }],
      },
    );
    expect(result).toMatchObject({ status: "failed", error: { code: "validation_error" } });
    expect(result.error?.message).toContain("s: input of sub");
    expect(calls).toHaveLength(0);
  });

  test("a failure inside names the step inside; retries and fallbacks of the caller apply to the whole", async () => {
    const sub = { name: "sub", steps: [{ id: "x", tool: "t" }] };
    const tools = { t: mock({ effect: "read", answers: [fail("down", { retry: "safe" }), "ok"] }) };
    const failed = await runWith({ name: "c", steps: [{ id: "s", tool: "sub" }] }, { tools, others: [sub] });
    expect(failed.result.error?.message).toBe("s/x: down");
    const again = await runWith(
      { name: "c", steps: [{ id: "s", tool: "sub", retry: { max: 1, delay: 1 } }] },
      { tools, others: [sub] },
    );
    expect(again.state("s")).toMatchObject({ status: "success", attempts: 2, output: { x: "ok" } });
  });

  test("for_each can call a chain; the steps of all items are in the log", async () => {
    const { state, result } = await runWith(
      { name: "c", steps: [{ id: "e", tool: "sub", for_each: "${input.list}", params: { x: "${item}" } }] },
      {
        tools: { t: echo },
        input: { list: Array.from({ length: 1000 }, (_, i) => i) },
        others: [{ name: "sub", steps: [{ id: "x", tool: "t", params: { x: "${input.x}" } }] }],
      },
    );
    expect(result.status).toBe("success");
    expect(state("e").children).toHaveLength(1000);
    expect(state("e[999]/x").output).toEqual({ x: 999 });
  });

  test("a hundred chains deep works", async () => {
    const others = Array.from({ length: 100 }, (_, i) => ({
      name: `c${i}`,
      steps: [{ id: "s", tool: i === 99 ? "t" : `c${i + 1}`, params: { n: "${input.n + 1}" } }],
      output: "${steps.s.output}",
    }));
    const { result } = await runWith(
      { name: "c", steps: [{ id: "s", tool: "c0", params: { n: 0 } }], output: "${steps.s.output}" },
      { tools: { t: ({ n }: Record<string, unknown>) => n }, others },
    );
    expect(result.output).toBe(100);
  });

  test("a chain that calls itself without end stops with a clear failure, even if it calls itself twice in each call", async () => {
    const itself = { name: "itself", steps: [{ id: "s", tool: "itself", condition: "${input.go ?? true}" }] };
    const deep = await runWith({ name: "c", steps: [{ id: "s", tool: "itself" }] }, { others: [itself] });
    expect(deep.result).toMatchObject({ status: "failed", error: { code: "rejected", reason: "too_deep" } });
    expect(deep.result.error?.message).toContain("does it call itself without end?");
    const twice = {
      name: "twice",
      error_handling: { strategy: "continue" },
      steps: [
        { id: "a", tool: "twice", condition: "${input.go ?? true}" },
        { id: "b", tool: "twice", condition: "${steps.a.status != 'x'}" },
      ],
    };
    // Without a listener, a hundred thousand failures are reported quickly, but not for free.
    const engine = createEngine({});
    const chains = new ChainLibrary({ tools: engine.tools });
    chains.add({ name: "twice", spec: twice });
    expect((await runChain(chains.plan("twice"), { engine, chains })).status).toBe("success");
  });

  test("finite recursion ends", async () => {
    const down = {
      name: "down",
      input: { n: "number" },
      steps: [
        { id: "more", tool: "down", params: { n: "${input.n - 1}" }, condition: "${input.n > 0}" },
        { id: "t", tool: "t", params: { n: "${input.n}", below: "${steps.more.output ?? 'bottom'}" } },
      ],
      output: "${steps.t.output}",
    };
    const { result } = await runWith(
      { name: "c", steps: [{ id: "s", tool: "down", params: { n: 3 } }], output: "${steps.s.output}" },
      { others: [down], tools: { t: echo } },
    );
    expect(result.output).toEqual({ n: 3, below: { n: 2, below: { n: 1, below: { n: 0, below: "bottom" } } } });
  });
});

describe("a chain as a tool of the engine", () => {
  const setup = (tools: Record<string, MockAnswer>, spec: object, clock = new FakeClock()) => {
    const mocks = mockTools(Object.keys(tools), tools);
    const engine = createEngine({ tools: mocks, clock });
    const chains = new ChainLibrary({ tools: engine.tools });
    chains.add({ name: "chain", spec: { name: "chain", ...spec } as never });
    engine.tools.register(chainTool(chains.plan("chain"), { env: { A: "1", B: "2" } }), { source: "chains" });
    return { engine, mocks, clock };
  };

  test("[A12] is called like any tool, with its input validated and the variables it declares", async () => {
    const { engine } = setup(
      { t: echo },
      {
        input: { x: "number=5" },
        env: ["A"],
        steps: [{ id: "s", tool: "t", params: { x: "${input.x}", a: "${env.A}" } }],
        output: "${steps.s.output}",
      },
    );
    expect(await engine.call("chain", {})).toMatchObject({ success: true, output: { x: 5, a: "1" } });
    expect(await engine.call("chain", { x: "no" })).toMatchObject({
      success: false,
      error: { code: "validation_error" },
    });
  });

  test("[N05] its steps have the same idempotency keys in every attempt of the call", async () => {
    const { engine, mocks, clock } = setup(
      { t: mock({ effect: "read", answers: [fail("down", { retry: "safe" }), 1] }) },
      { steps: [{ id: "s", tool: "t" }] },
    );
    const result = await withTime(engine.call("chain", {}, { idempotencyKey: "K", maxRetries: 2 }), clock);
    expect(result.success).toBe(true);
    expect(mocks.calls.map(({ idempotencyKey }) => idempotencyKey)).toEqual(["K/s", "K/s"]);
  });

  test("is cancelled with its call", async () => {
    const clock = new FakeClock();
    let aborts = 0;
    const stop = new AbortController();
    const { engine } = setup(
      { t: heard(taking(clock, 60_000, 1), () => aborts++) },
      { steps: [{ id: "s", tool: "t" }] },
      clock,
    );
    clock.after(100, () => stop.abort());
    const result = await withTime(engine.call("chain", {}, { signal: stop.signal }), clock);
    expect([result.success, aborts]).toEqual([false, 1]);
  });
});
