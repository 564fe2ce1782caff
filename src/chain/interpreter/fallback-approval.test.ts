import { describe, expect, test } from "vitest";
import { type RunnerOptions, runWith } from "../../../test/support/chain-runner.ts";
import { fail } from "../../base/index.ts";
import type { Approval } from "../../store/index.ts";
import { mock } from "../kit/mock-tools.ts";
import type { ChainSpec, FallbackSpec, StepSpec } from "../plan/spec.ts";

type Args = Readonly<Record<string, unknown>>;
const once = mock({ effect: "once", answer: ({ x }: Args) => x });
const down = mock({ effect: "idempotent", answer: fail("down") });

function person(...answers: readonly boolean[]): Required<Pick<RunnerOptions, "ask">> & { asked: Approval[] } {
  const asked: Approval[] = [];
  return {
    asked,
    ask: async (approval) => {
      asked.push(approval);
      return { approved: answers[asked.length - 1] ?? answers.at(-1) ?? false };
    },
  };
}

describe("a fallback of a step that asks is asked for, too", () => {
  const send = (fallback: FallbackSpec, more: Partial<StepSpec> = {}): ChainSpec => ({
    name: "c",
    steps: [
      {
        id: "send",
        tool: "send",
        params: { x: "hello" },
        approval: "Send it?",
        error_handling: { strategy: "fallback", fallback: [fallback] },
        ...more,
      },
    ],
  });

  test("with its own tool and arguments", async () => {
    const { asked, ask } = person(true, true);
    const { result } = await runWith(send({ tool: "post", params: { x: "to all" } }), {
      tools: { send: down, post: once },
      ask,
    });
    expect(result.output).toEqual({ send: "to all" });
    expect(asked).toMatchObject([
      { tool: "send", args: { x: "hello" }, message: "Send it?" },
      {
        tool: "post",
        args: { x: "to all" },
        message: "Send it? (send failed; post would stand in for it, with these arguments)",
        step: "send",
      },
    ]);
  });

  test("a no keeps it from standing in", async () => {
    const { ask } = person(true, false);
    const { result, tools } = await runWith(send({ tool: "post", params: { x: 1 } }), {
      tools: { send: down, post: once },
      ask,
    });
    expect([result.status, result.steps[0]?.failures?.map(({ error }) => error.reason)]).toEqual([
      "failed",
      [undefined, "rejected"],
    ]);
    expect(tools.argsOf("post")).toEqual([]);
  });

  test("for each item that needs it", async () => {
    const { asked, ask } = person(true);
    const each = { for_each: [1, 2], params: { x: "${item}" } };
    const { result } = await runWith(send({ tool: "post", params: { x: "${item * 10}" } }, each), {
      tools: {
        send: mock({
          effect: "once",
          answer: ({ x }: Args) => {
            if (x === 2) throw fail("down");
            return x;
          },
        }),
        post: once,
      },
      ask,
    });
    expect(result.output).toEqual({ send: [1, 20] });
    expect(asked.map(({ tool, args }) => [tool, args])).toEqual([
      ["send", [{ x: 1 }, { x: 2 }]],
      ["post", { x: 20 }],
    ]);
  });

  test("not one that only reads", async () => {
    const { asked, ask } = person(true);
    const { result } = await runWith(send({ tool: "look" }), {
      tools: { send: down, look: mock({ effect: "read", answer: "seen" }) },
      ask,
    });
    expect([result.output, asked.length]).toEqual([{ send: "seen" }, 1]);
  });
});

test("an empty list is nothing to ask about", async () => {
  const { asked, ask } = person(false);
  const { result, events } = await runWith(
    { name: "c", steps: [{ id: "e", tool: "t", for_each: [], params: { x: "${item}" }, approval: "Send to all?" }] },
    { tools: { t: once }, ask },
  );
  expect([result.output, asked]).toEqual([{ e: [] }, []]);
  expect(events.find(({ type }) => type === "step-started")).not.toHaveProperty("asks");
});

describe("people see all of what they let through", () => {
  const spec = { name: "c", steps: [{ id: "s", tool: "t", params: { x: "${input.x}" }, approval: "Go?" }] };

  test("also megabytes of it", async () => {
    const { asked, ask } = person(true);
    const input = { x: "a".repeat(3 << 20) };
    const { result } = await runWith(spec, { input, tools: { t: once }, ask });
    expect(result.status).toBe("success");
    expect(asked[0]?.args).toEqual(input);
  });

  test("what is more than can be kept for them is not asked, and fails", async () => {
    const { asked, ask } = person(true);
    const { result, calls } = await runWith(spec, { input: { x: "字".repeat(3 << 20) }, tools: { t: once }, ask });
    expect(result.error).toMatchObject({
      code: "permission_denied",
      reason: "too_large",
      message: expect.stringMatching(/9\.0 MiB, and at most 8\.0 MiB .* split the list/),
    });
    expect([asked, calls]).toEqual([[], []]);
    const ruled = await runWith(
      { name: "c", steps: [{ id: "s", tool: "t", params: { x: "${input.x}" } }] },
      { input: { x: "字".repeat(3 << 20) }, tools: { t: once }, ask, settings: { permissions: { ask: ["t"] } } },
    );
    expect(ruled.result.error).toMatchObject({
      code: "permission_denied",
      reason: "not_asked",
      message: expect.stringContaining("9.0 MiB"),
    });
    expect([asked, ruled.calls]).toEqual([[], []]);
  });
});

test("what is told of a for_each as cached was cached whole", async () => {
  const steps = [
    { id: "one", tool: "t", params: { x: 2 }, cache: { ttl: 60 } },
    {
      id: "all",
      tool: "t",
      for_each: [1, 2, 3],
      params: { x: "${item}" },
      cache: { ttl: 60 },
      depends_on: ["one"],
    },
    {
      id: "again",
      tool: "t",
      for_each: [1, 2, 3],
      params: { x: "${item}" },
      cache: { ttl: 60 },
      depends_on: ["all"],
    },
  ];
  const { state, result } = await runWith(
    { name: "c", steps },
    { tools: { t: mock({ effect: "read", answer: ({ x }: Args) => x }) } },
  );
  expect(state("all").items?.map(({ cached = false }) => cached)).toEqual([false, true, false]);
  expect(["one", "all", "again"].map((id) => state(id).cached)).toEqual([false, false, true]);
  expect(result.log().steps.map(({ cached }) => cached)).toEqual([undefined, undefined, true]);
});
