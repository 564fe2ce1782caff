import { describe, expect, test } from "vitest";
import { runWith, taking } from "../../../test/support/chain-runner.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { fail } from "../../base/index.ts";
import { mock } from "../../testing/chain/mock-tools.ts";

const echo = (args: unknown): unknown => args;

describe("data flow between steps", () => {
  test("[A02] references keep the type of the value, and become text inside of text", async () => {
    const { calls } = await runWith(
      {
        name: "c",
        input: { n: "number", tags: "string[]?" },
        env: ["HOME"],
        steps: [
          { id: "first-step", tool: "a" },
          {
            id: "b",
            tool: "b",
            params: {
              n: "${input.n}",
              list: "${steps.first-step.output.list}",
              text: "n=${input.n} list=${steps.first-step.output.list}",
              home: "${env.HOME}",
              who: "${context.who}",
              tags: "${input.tags}",
              run: "${run.chain}",
              literal: "$${input.n}",
            },
          },
        ],
      },
      {
        tools: { a: { list: [1, { x: true }] }, b: echo },
        input: { n: 3 },
        env: { HOME: "/home/ann", PATH: "/bin" },
        context: { who: "ann" },
      },
    );
    expect(calls[1]?.args).toEqual({
      n: 3,
      list: [1, { x: true }],
      text: 'n=3 list=[1,{"x":true}]',
      home: "/home/ann",
      who: "ann",
      run: "c",
      literal: "${input.n}",
    });
  });

  test("[A03] parameters are resolved through nested maps and lists; a missing value becomes null in a list", async () => {
    const params = { deep: { list: [["${input.a}"], { "${input.a}": "${input.b}" }], none: "${input.c}" } };
    const { calls } = await runWith(
      { name: "c", input: { a: "any", b: "any", c: "any?" }, steps: [{ id: "s", tool: "t", params }] },
      { tools: { t: echo }, input: { a: 1, b: "two" } },
    );
    expect(calls[0]?.args).toEqual({ deep: { list: [[1], { "${input.a}": "two" }] } });
  });

  test("[A04] select gives one value for a path to one node and a list for any other; `as` names it in the context", async () => {
    const data = { data: { items: [{ name: "x" }, { name: "y" }, {}] } };
    const { result, state } = await runWith(
      {
        name: "c",
        steps: [
          { id: "all", tool: "t", output: { as: "names", select: "$.data.items[*].name" } },
          { id: "one", tool: "t", output: { select: "$.data.items[0].name" } },
          { id: "none", tool: "t", output: { select: "$.data.items[7].name" } },
        ],
        output: { names: "${context.names}", one: "${steps.one.output}", none: "${steps.none.output}" },
      },
      { tools: { t: data } },
    );
    expect(result.output).toEqual({ names: ["x", "y"], one: "x", none: null });
    expect(state("none")).toMatchObject({ status: "success", output: undefined });
  });

  test("[A05] projections, indexes, sizes and the one list inside of an object work on outputs of hyphenated steps", async () => {
    const { result } = await runWith(
      {
        name: "c",
        steps: [{ id: "web-search", tool: "t" }],
        output: {
          urls: "${steps.web-search.output[*].url}",
          first: "${steps.web-search.output[0].url}",
          size: "${steps.web-search.output.size}",
          count: "${steps.web-search.output.results.count}",
        },
      },
      { tools: { t: { results: [{ url: "a" }, { url: "b" }], provider: "p" } } },
    );
    expect(result.output).toEqual({ urls: ["a", "b"], first: "a", size: 2, count: 2 });
  });

  test("[A16] the output is the one that the chain declares; without one, a map of step to output, without skipped steps", async () => {
    const steps = [
      { id: "a", tool: "t" },
      { id: "b", tool: "t", condition: "${false}" },
      { id: "nothing", tool: "n" },
    ];
    const tools = { t: 1, n: null };
    expect((await runWith({ name: "c", steps }, { tools })).result.output).toEqual({ a: 1, nothing: null });
    const mapped = await runWith(
      { name: "c", steps, output: { x: ["${steps.a.output}", "${steps.b.output}"] } },
      { tools },
    );
    expect(mapped.result.output).toEqual({ x: [1, null] });
  });

  test("an output that cannot be evaluated fails the run, and completed steps are compensated", async () => {
    const { result, calls } = await runWith(
      {
        name: "c",
        steps: [{ id: "a", tool: "t", compensate: { tool: "undo" } }],
        output: "${steps.a.output - 1}",
      },
      { tools: { t: "text", undo: 1 } },
    );
    expect(result).toMatchObject({ status: "failed", error: { code: "expression_error" }, output: undefined });
    expect(calls.map(({ tool }) => tool)).toEqual(["t", "undo"]);
  });

  test("an `as` hides the caller's value, even if its step was skipped", async () => {
    const { result } = await runWith(
      {
        name: "c",
        input: { go: "boolean" },
        steps: [{ id: "a", tool: "t", condition: "${input.go}", output: { as: "x" } }],
        output: { x: "${context.x ?? 'nothing'}", y: "${context.y}" },
      },
      { tools: { t: 1 }, input: { go: false }, context: { x: "caller's", y: "kept" } },
    );
    expect(result.output).toEqual({ x: "nothing", y: "kept" });
  });

  test("a handler that changes its arguments changes nothing else", async () => {
    const spoil = (args: Record<string, unknown>): unknown => {
      (args["list"] as unknown[]).push("spoilt");
      return args;
    };
    const spec = {
      name: "c",
      steps: [
        { id: "a", tool: "give" },
        { id: "b", tool: "spoil", params: { list: "${steps.a.output}", fixed: { x: 1 } } },
        { id: "c", tool: "spoil", params: { list: ["literal"] }, depends_on: ["b"] },
      ],
    };
    const { result } = await runWith(spec, { tools: { give: () => [1], spoil } });
    expect(result.output).toMatchObject({ a: [1] });
    expect(spec.steps[2]?.params).toEqual({ list: ["literal"] });
  });

  test("a chain sees only the variables it declares, and a sub-chain its own", async () => {
    const { result } = await runWith(
      { name: "c", env: ["A"], steps: [{ id: "s", tool: "sub" }], output: ["${env.A}", "${steps.s.output}"] },
      {
        others: [{ name: "sub", env: ["B"], steps: [{ id: "x", tool: "t", params: { b: "${env.B}" } }] }],
        tools: { t: echo },
        env: { A: "1", B: "2" },
      },
    );
    expect(result.output).toEqual(["1", { x: { b: "2" } }]);
  });
});

describe("skips", () => {
  test("[A06] a step whose condition is falsy is skipped, and so are the steps that read it, with the reason", async () => {
    const { result, statuses, state, calls } = await runWith(
      {
        name: "c",
        input: { depth: "number=0" },
        steps: [
          { id: "a", tool: "t", condition: "${input.depth > 0}" },
          { id: "b", tool: "t", params: { x: "${steps.a.output}" } },
          { id: "c", tool: "t", params: { x: "${steps.b.output.y}" } },
          { id: "d", tool: "t", params: { x: "${steps.a.output ?? 1}" } },
          { id: "e", tool: "t", condition: "${steps.a.status == 'skipped'}" },
          { id: "f", tool: "t", depends_on: ["a"] },
        ],
      },
      { tools: { t: 1 } },
    );
    expect(statuses).toEqual({ a: "skipped", b: "skipped", c: "skipped", d: "success", e: "success", f: "success" });
    expect(state("a").skip).toEqual({ kind: "condition", condition: expect.stringContaining("input.depth > 0") });
    expect(state("b").skip).toEqual({ kind: "needs", step: "a", status: "skipped" });
    expect(state("c").skip).toEqual({ kind: "needs", step: "b", status: "skipped" });
    expect(calls).toHaveLength(3);
    expect(result.success).toBe(true);
  });

  test("[A07] a condition compares, calculates and combines; a falsy value skips the step", async () => {
    const falsy = ["${input.none}", "${null}", "${false}", "${0}", "${''}", "${input.list}", "${1 > 2 || !true}"];
    const truthy = ["${1 + 1 == 2 && 'a' in ['a']}", "${input.text}", "${-1}", "${has(input.text)}"];
    const all = [...falsy, ...truthy];
    const { statuses } = await runWith(
      {
        name: "c",
        input: { none: "any?", list: "any", text: "string" },
        steps: all.map((condition, index) => ({ id: `s${index}`, tool: "t", condition })),
      },
      { tools: { t: 1 }, input: { list: [], text: "x" } },
    );
    expect(Object.values(statuses)).toEqual([...falsy.map(() => "skipped"), ...truthy.map(() => "success")]);
  });

  test("values that were missing in a condition are recorded", async () => {
    const { state } = await runWith(
      {
        name: "c",
        steps: [
          { id: "a", tool: "t" },
          { id: "b", tool: "t", condition: "${steps.a.output.items.size > 2}" },
        ],
      },
      { tools: { t: { other: 1 } } },
    );
    expect(state("b")).toMatchObject({ status: "skipped", missing: [expect.stringContaining("steps.a.output.items")] });
  });

  test("a condition that cannot be evaluated fails the step, whose fallback is then used", async () => {
    const step = { id: "a", tool: "t", condition: "${input.n > 'x'}" };
    const input = { n: 1 };
    const failed = await runWith({ name: "c", input: { n: "number" }, steps: [step] }, { tools: { t: 1 }, input });
    expect(failed.result).toMatchObject({ status: "failed", error: { code: "expression_error" } });
    const error_handling = { strategy: "fallback", fallback: [{ tool: "f" }] };
    const helped = await runWith(
      { name: "c", input: { n: "number" }, steps: [{ ...step, error_handling }] },
      { tools: { t: 1, f: 2 }, input },
    );
    expect(helped.result).toMatchObject({ status: "success", output: { a: 2 } });
    expect(helped.calls.map(({ tool }) => tool)).toEqual(["f"]);
  });

  test("thousands of skips in a row do not overflow the stack", async () => {
    const steps = Array.from({ length: 3000 }, (_, i) => ({
      id: `s${i}`,
      tool: "t",
      ...(i === 0 ? { condition: "${false}" } : { params: { x: `\${steps.s${i - 1}.output}` } }),
    }));
    const { result } = await runWith({ name: "c", steps }, { tools: { t: 1 } });
    expect(result.status).toBe("success");
    expect(result.steps.every(({ status }) => status === "skipped")).toBe(true);
  });
});

describe("events", () => {
  test("come in the order of what they report, each step's between its start and its end", async () => {
    const clock = new FakeClock();
    const { events } = await runWith(
      {
        name: "c",
        steps: [
          { id: "a", tool: "slow" },
          { id: "b", tool: "t", params: { x: "${steps.a.output}" }, retry: { max: 1, delay: 1, jitter: false } },
          { id: "skipped", tool: "t", condition: "${false}" },
        ],
      },
      {
        clock,
        tools: {
          slow: taking(clock, 100, 1),
          t: mock({ effect: "read", answers: [fail("down", { retry: "safe" }), 2] }),
        },
      },
    );
    expect(events.map((event) => ("step" in event ? `${event.type} ${event.step}` : event.type))).toEqual([
      "run-started",
      "step-started a",
      "step-finished skipped",
      "step-finished a",
      "step-started b",
      "step-retrying b",
      "step-finished b",
      "run-finished",
    ]);
    const times = events.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((x, y) => x - y));
    expect(events.at(-1)).toMatchObject({ status: "success", durationMs: 1100, output: { a: 1, b: 2 } });
  });

  test("a step whose parameters fail has a start event too, and progress comes in between", async () => {
    const { events } = await runWith(
      {
        name: "c",
        error_handling: { strategy: "continue" },
        steps: [
          { id: "a", tool: "t", params: { x: "${'a' * 2}" } },
          { id: "p", tool: "p" },
        ],
      },
      {
        tools: {
          t: 1,
          p: (_: unknown, context: { progress(value: unknown): void }) => {
            context.progress({ half: true });
            return 1;
          },
        },
      },
    );
    const seen = events.map((event) => ("step" in event ? `${event.type} ${event.step}` : event.type));
    expect(seen.slice(1, 3)).toEqual(["step-started a", "step-finished a"]);
    expect(seen.slice(3, 6)).toEqual(["step-started p", "step-progress p", "step-finished p"]);
  });

  test("a listener that throws does not affect the run", async () => {
    const { result } = await runWith(
      { name: "c", steps: [{ id: "a", tool: "t" }] },
      {
        tools: { t: 1 },
        onEvent: () => {
          throw new Error("listener");
        },
      },
    );
    expect(result.success).toBe(true);
  });
});
