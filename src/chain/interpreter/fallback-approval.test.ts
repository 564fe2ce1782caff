import { describe, expect, test } from "vitest";
import { type RunnerOptions, runWith } from "../../../test/support/chain-runner.ts";
import { fail } from "../../base/index.ts";
import type { Approval } from "../../store/index.ts";
import { mock } from "../../testing/chain/mock-tools.ts";
import type { ChainSpec, FallbackSpec, StepSpec } from "../plan/chain-spec.ts";

type Args = Readonly<Record<string, unknown>>;
const once = mock({ effect: "once", answer: ({ x }: Args) => x });
const down = mock({ effect: "idempotent", answer: fail("down") });

function person(
  ...answers: readonly boolean[]
): Required<Pick<RunnerOptions, "requestApproval">> & { requested: Approval[] } {
  const requested: Approval[] = [];
  return {
    requested,
    requestApproval: async (approval) => {
      requested.push(approval);
      return { approved: answers[requested.length - 1] ?? answers.at(-1) ?? false };
    },
  };
}

describe("a fallback of a step with an approval needs an approval, too", () => {
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

  test("the approval shows the tool and the arguments of the fallback", async () => {
    const { requested, requestApproval } = person(true, true);
    const { result } = await runWith(send({ tool: "post", params: { x: "to all" } }), {
      tools: { send: down, post: once },
      requestApproval,
    });
    expect(result.output).toEqual({ send: "to all" });
    expect(requested).toMatchObject([
      { tool: "send", args: { x: "hello" }, message: "Send it?" },
      {
        tool: "post",
        args: { x: "to all" },
        message: "Send it? (send failed; post would replace it, with these arguments)",
        step: "send",
      },
    ]);
  });

  test("a rejection keeps it from running", async () => {
    const { requestApproval } = person(true, false);
    const { result, tools } = await runWith(send({ tool: "post", params: { x: 1 } }), {
      tools: { send: down, post: once },
      requestApproval,
    });
    expect([result.status, result.steps[0]?.failures?.map(({ error }) => error.reason)]).toEqual([
      "failed",
      [undefined, "rejected"],
    ]);
    expect(tools.argsOf("post")).toEqual([]);
  });

  test("each item that needs a fallback needs an approval", async () => {
    const { requested, requestApproval } = person(true);
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
      requestApproval,
    });
    expect(result.output).toEqual({ send: [1, 20] });
    expect(requested.map(({ tool, args }) => [tool, args])).toEqual([
      ["send", [{ x: 1 }, { x: 2 }]],
      ["post", { x: 20 }],
    ]);
  });

  test("a fallback that only reads needs none", async () => {
    const { requested, requestApproval } = person(true);
    const { result } = await runWith(send({ tool: "look" }), {
      tools: { send: down, look: mock({ effect: "read", answer: "seen" }) },
      requestApproval,
    });
    expect([result.output, requested.length]).toEqual([{ send: "seen" }, 1]);
  });
});

test("an empty list needs no approval", async () => {
  const { requested, requestApproval } = person(false);
  const { result, events } = await runWith(
    { name: "c", steps: [{ id: "e", tool: "t", for_each: [], params: { x: "${item}" }, approval: "Send to all?" }] },
    { tools: { t: once }, requestApproval },
  );
  expect([result.output, requested]).toEqual([{ e: [] }, []]);
  expect(events.find(({ type }) => type === "step-started")).not.toHaveProperty("asks");
});

describe("approvers see all arguments", () => {
  const spec = { name: "c", steps: [{ id: "s", tool: "t", params: { x: "${input.x}" }, approval: "Go?" }] };

  test("megabytes of arguments are shown", async () => {
    const { requested, requestApproval } = person(true);
    const input = { x: "a".repeat(3 << 20) };
    const { result } = await runWith(spec, { input, tools: { t: once }, requestApproval });
    expect(result.status).toBe("success");
    expect(requested[0]?.args).toEqual(input);
  });

  test("arguments too large to be stored with an approval are not submitted, and the step fails", async () => {
    const { requested, requestApproval } = person(true);
    const { result, calls } = await runWith(spec, {
      input: { x: "字".repeat(3 << 20) },
      tools: { t: once },
      requestApproval,
    });
    expect(result.error).toMatchObject({
      code: "permission_denied",
      reason: "too_large",
      message: expect.stringMatching(/9\.0 MiB, and at most 8\.0 MiB .* split the list/),
    });
    expect([requested, calls]).toEqual([[], []]);
    const ruled = await runWith(
      { name: "c", steps: [{ id: "s", tool: "t", params: { x: "${input.x}" } }] },
      {
        input: { x: "字".repeat(3 << 20) },
        tools: { t: once },
        requestApproval,
        settings: { permissions: { ask: ["t"] } },
      },
    );
    expect(ruled.result.error).toMatchObject({
      code: "permission_denied",
      reason: "not_asked",
      message: expect.stringContaining("9.0 MiB"),
    });
    expect([requested, ruled.calls]).toEqual([[], []]);
  });
});

test("a for_each that is reported as cached was cached completely", async () => {
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
