import { describe, expect, test } from "vitest";
import { runWith, taking } from "../../../test/support/chain-runner.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { fail } from "../../base/index.ts";
import { mock } from "../../testing/chain/mock-tools.ts";
import { explainStep } from "../log/explain-step.ts";

type Args = Readonly<Record<string, unknown>>;

const undo = mock({ effect: "idempotent", answer: 1 });

/** Books 1, 2, 3, …; the test decides what happens in its last round. */
function booking(last: number, end: () => unknown) {
  let booked = 0;
  return mock({ effect: "once", answer: () => (++booked >= last ? end() : booked) });
}

const book = {
  id: "book",
  tool: "book",
  params: {},
  output: { as: "booked" },
  compensate: { tool: "undo", params: { last: "${steps.book.output}", same: "${context.booked}" } },
};

describe("work that was done is compensated, even if its step then failed [N06]", () => {
  test("rounds that reached the maximum", async () => {
    const { result, tools, state } = await runWith(
      { name: "c", steps: [{ ...book, repeat: { until: "${steps.book.output > 9}", max: 3 } }] },
      { tools: { book: booking(3, () => 3), undo } },
    );
    expect(result.error?.code).toBe("loop_exhausted");
    expect(tools.argsOf("undo")).toEqual([{ last: 3, same: 3 }]);
    expect(state("book").compensation).toEqual({ status: "success" });
  });

  test("an until that cannot be evaluated; the failure names the until", async () => {
    const { result, tools } = await runWith(
      { name: "c", steps: [{ ...book, repeat: { until: "${steps.book.output > 'x'}", max: 3 } }] },
      { tools: { book: booking(1, () => 1), undo } },
    );
    expect(result.error).toMatchObject({ code: "expression_error" });
    expect(result.error?.message).toMatch(/^book: the condition `until` of book: /);
    expect(tools.argsOf("undo")).toEqual([{ last: 1, same: 1 }]);
  });

  test("a later round that failed, and one that was rejected", async () => {
    const repeat = { until: "${false}", max: 5 };
    const later = await runWith(
      { name: "c", steps: [{ ...book, repeat }] },
      {
        tools: {
          book: booking(3, () => {
            throw fail("full");
          }),
          undo,
        },
      },
    );
    expect(later.tools.argsOf("undo")).toEqual([{ last: 2, same: 2 }]);
    let requested = 0;
    const refused = await runWith(
      { name: "c", steps: [{ ...book, repeat, approval: "Book?" }] },
      { tools: { book: booking(9, () => 9), undo }, requestApproval: async () => ({ approved: ++requested < 3 }) },
    );
    expect(refused.result.error?.reason).toBe("rejected");
    expect(refused.tools.argsOf("undo")).toEqual([{ last: 2, same: 2 }]);
  });

  test("rounds of a run that is cancelled between two of them", async () => {
    const clock = new FakeClock();
    const { result, tools } = await runWith(
      { name: "c", timeout: 10, steps: [{ ...book, repeat: { until: "${false}", max: 5, delay: 60 } }] },
      { clock, tools: { book: booking(9, () => 9), undo } },
    );
    expect(result.error?.code).toBe("timeout");
    expect(tools.argsOf("undo")).toEqual([{ last: 1, same: 1 }]);
  });

  test("items whose first round was done", async () => {
    const { result, tools } = await runWith(
      {
        name: "c",
        steps: [
          {
            id: "each",
            tool: "book",
            for_each: ["a", "b"],
            concurrency: 1,
            params: { x: "${item}" },
            repeat: { until: "${false}", max: 2 },
            compensate: { tool: "undo", params: { all: "${steps.each.output}" } },
          },
        ],
      },
      { tools: { book: mock({ effect: "once", answer: ({ x }: Args) => `${String(x)}!` }), undo } },
    );
    expect(result.error?.code).toBe("items_failed");
    expect(tools.argsOf("undo")).toEqual([{ all: ["a!", null] }]);
  });

  test("a step that was recovered is compensated once, with the output of its fallback", async () => {
    const { tools } = await runWith(
      {
        name: "c",
        steps: [
          {
            ...book,
            repeat: { until: "${false}", max: 2 },
            error_handling: { strategy: "fallback", fallback: [{ tool: "other" }] },
          },
          { id: "bad", tool: "bad", depends_on: ["book"] },
        ],
      },
      { tools: { book: booking(9, () => 9), other: "elsewhere", bad: fail("bad"), undo } },
    );
    expect(tools.argsOf("undo")).toEqual([{ last: "elsewhere", same: "elsewhere" }]);
  });

  test("steps that did not get that far are not compensated", async () => {
    const clock = new FakeClock();
    const { tools } = await runWith(
      { name: "c", timeout: 1, steps: [{ ...book, repeat: { until: "${false}", max: 2 } }] },
      { clock, tools: { book: mock({ effect: "once", answer: taking(clock, 5000) }), undo } },
    );
    expect(tools.argsOf("undo")).toEqual([]);
  });
});

describe("[F5] work that may have been done and is not undone is reported", () => {
  const unknown = (when: string) => ({
    status: "failed",
    error: expect.objectContaining({
      code: "interrupted",
      message: `it is unknown whether book had completed when it ${when}; if it had, undo its work by hand`,
    }),
  });
  const slow = (clock: FakeClock, effect: "once" | "idempotent" = "once") =>
    mock({ effect, answer: taking(clock, 60_000) });

  test("[F5] a once step that timed out is not undone, and the log and the explanation say so", async () => {
    const clock = new FakeClock();
    const { result, tools, state } = await runWith(
      { name: "c", steps: [{ ...book, timeout: 1 }] },
      { clock, tools: { book: slow(clock), undo } },
    );
    expect(result.error?.code).toBe("timeout");
    expect(tools.argsOf("undo")).toEqual([]);
    expect(state("book").compensation).toEqual(unknown("timed out"));
    expect(result.log().steps[0]?.compensation?.error?.message).toMatch(/^it is unknown whether book had completed/);
    expect(explainStep(result, "book").join(" ")).toContain("work that may have been done was not undone");
  });

  test("[F5] a once step that was cancelled with its chain is not undone", async () => {
    const clock = new FakeClock();
    const { result, state } = await runWith(
      { name: "c", timeout: 1, steps: [book] },
      { clock, tools: { book: slow(clock), undo } },
    );
    expect(result.error?.code).toBe("timeout");
    expect(state("book").compensation).toEqual(unknown("was cancelled"));
  });

  test("[F5] finished items are undone, and the item that timed out is named as unknown", async () => {
    const clock = new FakeClock();
    const answer = (args: Args, context: Parameters<ReturnType<typeof taking>>[1]): unknown =>
      args["x"] === "b" ? taking(clock, 60_000)(args, context) : `${String(args["x"])}!`;
    const { result, tools, state } = await runWith(
      {
        name: "c",
        steps: [
          {
            id: "each",
            tool: "book",
            for_each: ["a", "b", "c"],
            params: { x: "${item}" },
            timeout: 1,
            compensate: { tool: "undo", params: { all: "${steps.each.output}" } },
          },
        ],
      },
      { clock, tools: { book: mock({ effect: "once", answer }), undo } },
    );
    expect(result.error?.code).toBe("items_failed");
    expect(tools.argsOf("undo")).toEqual([{ all: ["a!", null, "c!"] }]);
    expect(state("each").compensation).toEqual(unknown("timed out (item 1)"));
  });

  test("[F5] the doubt remains if a fallback replaced the call, of a step and of an item", async () => {
    const clock = new FakeClock();
    const recovered = {
      timeout: 1,
      error_handling: { strategy: "fallback" as const, fallback: [{ tool: "other", params: {} }] },
    };
    const { tools, state } = await runWith(
      {
        name: "c",
        steps: [
          { ...book, ...recovered },
          {
            id: "each",
            tool: "book",
            for_each: [1],
            params: {},
            ...recovered,
            compensate: { tool: "undo", params: { all: "${steps.each.output}" } },
          },
          { id: "bad", tool: "bad", depends_on: ["book", "each"] },
        ],
      },
      { clock, tools: { book: slow(clock), other: "elsewhere", bad: fail("bad"), undo } },
    );
    expect(tools.argsOf("undo")).toEqual(
      expect.arrayContaining([{ last: "elsewhere", same: "elsewhere" }, { all: ["elsewhere"] }]),
    );
    expect(state("book").compensation).toEqual(unknown("timed out"));
    expect(state("each").compensation).toEqual(unknown("timed out (item 0)"));
  });

  test("[F5] a retry that succeeded removes the doubt", async () => {
    const clock = new FakeClock();
    let calls = 0;
    const { tools, state } = await runWith(
      {
        name: "c",
        steps: [
          { ...book, timeout: 1, retry: { max: 1, delay: 1 } },
          { id: "bad", tool: "bad", depends_on: ["book"] },
        ],
      },
      {
        clock,
        tools: {
          book: mock({
            effect: "idempotent",
            answer: (args: Args, context: Parameters<ReturnType<typeof taking>>[1]) =>
              ++calls === 1 ? taking(clock, 60_000)(args, context) : "second",
          }),
          bad: fail("bad"),
          undo,
        },
      },
    );
    expect(tools.argsOf("undo")).toEqual([{ last: "second", same: "second" }]);
    expect(state("book").compensation).toEqual({ status: "success" });
  });

  test("[F5] an idempotent step that timed out in every attempt is in doubt; a read step is not", async () => {
    for (const [effect, compensation] of [
      ["idempotent", unknown("timed out")],
      ["read", undefined],
    ] as const) {
      const clock = new FakeClock();
      const { state } = await runWith(
        { name: "c", steps: [{ ...book, timeout: 1, retry: { max: 1, delay: 1 } }] },
        { clock, tools: { book: mock({ effect, answer: taking(clock, 60_000) }), undo } },
      );
      expect(state("book").compensation).toEqual(compensation);
    }
  });

  test("[F5] a call that was cancelled before its tool ran is not in doubt", async () => {
    const clock = new FakeClock();
    const { state } = await runWith(
      {
        name: "c",
        timeout: 1,
        steps: [
          { id: "first", tool: "book", params: {} },
          { ...book, id: "book" },
        ],
      },
      {
        clock,
        settings: { concurrency: { bucketLimits: { general: 1 } } },
        tools: { book: slow(clock), undo },
      },
    );
    expect(state("book")).toMatchObject({ status: "cancelled" });
    expect(state("book").compensation).toBeUndefined();
  });

  test("[F5] a sub-chain without compensations passes the doubt to the step that called it", async () => {
    const clock = new FakeClock();
    const { tools, state } = await runWith(
      {
        name: "c",
        steps: [{ id: "trip", tool: "inner", timeout: 1, compensate: { tool: "undo", params: {} } }],
      },
      {
        clock,
        others: [{ name: "inner", steps: [{ id: "book", tool: "book", params: {} }] }],
        tools: { book: slow(clock), undo },
      },
    );
    expect(tools.argsOf("undo")).toEqual([]);
    expect(state("trip").compensation).toEqual(unknown("was cancelled"));
  });
});
