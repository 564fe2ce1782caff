import { describe, expect, test } from "vitest";
import { runWith, taking } from "../../../test/support/chain-runner.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { fail } from "../../base/index.ts";
import { mock } from "../kit/mock-tools.ts";

type Args = Readonly<Record<string, unknown>>;

const undo = mock({ effect: "idempotent", answer: 1 });

/** Books 1, 2, 3, …; what it is to do in its last round is up to the test. */
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

describe("work that was done is undone, also where its step then failed [N06]", () => {
  test("rounds that never were enough", async () => {
    const { result, tools, state } = await runWith(
      { name: "c", steps: [{ ...book, repeat: { until: "${steps.book.output > 9}", max: 3 } }] },
      { tools: { book: booking(3, () => 3), undo } },
    );
    expect(result.error?.code).toBe("loop_exhausted");
    expect(tools.argsOf("undo")).toEqual([{ last: 3, same: 3 }]);
    expect(state("book").compensation).toEqual({ status: "success" });
  });

  test("an until that cannot be worked out; the failure says that it is the until", async () => {
    const { result, tools } = await runWith(
      { name: "c", steps: [{ ...book, repeat: { until: "${steps.book.output > 'x'}", max: 3 } }] },
      { tools: { book: booking(1, () => 1), undo } },
    );
    expect(result.error).toMatchObject({ code: "expression_error" });
    expect(result.error?.message).toMatch(/^book: the condition `until` of book: /);
    expect(tools.argsOf("undo")).toEqual([{ last: 1, same: 1 }]);
  });

  test("a later round that failed, and one that a person refused", async () => {
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
    let asked = 0;
    const refused = await runWith(
      { name: "c", steps: [{ ...book, repeat, approval: "Book?" }] },
      { tools: { book: booking(9, () => 9), undo }, ask: async () => ({ approved: ++asked < 3 }) },
    );
    expect(refused.result.error?.reason).toBe("rejected");
    expect(refused.tools.argsOf("undo")).toEqual([{ last: 2, same: 2 }]);
  });

  test("rounds of a run that is stopped between two of them", async () => {
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

  test("a step that was recovered is undone once, with what its fallback gave", async () => {
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

  test("not what never got so far", async () => {
    const clock = new FakeClock();
    const { tools } = await runWith(
      { name: "c", timeout: 1, steps: [{ ...book, repeat: { until: "${false}", max: 2 } }] },
      { clock, tools: { book: mock({ effect: "once", answer: taking(clock, 5000) }), undo } },
    );
    expect(tools.argsOf("undo")).toEqual([]);
  });
});
