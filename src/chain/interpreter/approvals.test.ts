import { describe, expect, test } from "vitest";
import { runWith, taking } from "../../../test/support/chain-runner.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { type Approval, createMemoryApprovals } from "../../store/index.ts";
import { fail } from "../../base/index.ts";
import type { ToolContext } from "../../tool/index.ts";
import { mock } from "../kit/mock-tools.ts";

const yes = async (): Promise<{ approved: true; by: string }> => ({ approved: true, by: "ann" });
const no = async (): Promise<{ approved: false; by: string; note: string }> => ({
  approved: false,
  by: "bob",
  note: "not now",
});
const once = mock({ effect: "once", answer: "sent" });

describe("a step with an approval", () => {
  const spec = {
    name: "c",
    steps: [
      { id: "draft", tool: "draft" },
      { id: "send", tool: "send", params: { text: "${steps.draft.output}" }, approval: "Send ${steps.draft.output}?" },
    ],
  };

  test("runs when a person says yes, who sees the message and the exact arguments", async () => {
    const asked: Approval[] = [];
    const { result, events } = await runWith(spec, {
      tools: { draft: "hello", send: once },
      ask: async (approval) => {
        asked.push(approval);
        return yes();
      },
    });
    expect(result.output).toEqual({ draft: "hello", send: "sent" });
    expect(asked).toMatchObject([
      { tool: "send", args: { text: "hello" }, message: "Send hello?", runId: result.runId, step: "send" },
    ]);
    expect(events.map(({ type }) => type).filter((type) => type === "step-waiting")).toHaveLength(1);
  });

  test("fails when a person says no, and a fallback stands in that has a condition which holds", async () => {
    const refused = await runWith(spec, { tools: { draft: "hello", send: once }, ask: no });
    expect(refused.result).toMatchObject({
      status: "failed",
      error: {
        code: "permission_denied",
        reason: "rejected",
        message: "send: the approval was rejected by bob: not now",
      },
    });
    const condition = "${error.code == 'permission_denied'}";
    const error_handling = { strategy: "fallback", fallback: [{ tool: "other" }, { condition, tool: "keep" }] };
    const steps = [spec.steps[0], { ...spec.steps[1], error_handling }] as typeof spec.steps;
    const kept = await runWith(
      { name: "c", steps },
      { tools: { draft: "hello", send: once, other: once, keep: "kept" }, ask: no },
    );
    expect(kept.result.output).toEqual({ draft: "hello", send: "kept" });
    expect([kept.tools.argsOf("send"), kept.tools.argsOf("other")]).toEqual([[], []]);
  });

  test("ends the run as waiting when nobody is there, with nothing left behind; other steps are done first", async () => {
    const clock = new FakeClock();
    const approvals = createMemoryApprovals({ clock });
    const { result, statuses, state } = await runWith(
      { ...spec, timeout: 60, steps: [...spec.steps, { id: "slow", tool: "slow" }] },
      { clock, approvals, tools: { draft: "hello", send: once, slow: taking(clock, 1000) } },
    );
    expect([result.status, result.success, statuses]).toEqual([
      "waiting",
      false,
      { draft: "success", send: "waiting", slow: "success" },
    ]);
    const [open] = await approvals.list(clock.now(), "pending");
    expect(state("send").approvalId).toBe(open?.id);
    expect(clock.timers).toBe(0);
  });

  test("goes on when somebody decided elsewhere while other steps ran", async () => {
    const clock = new FakeClock();
    const approvals = createMemoryApprovals({ clock });
    clock.after(500, () => {
      void approvals
        .list(clock.now(), "pending")
        .then(([open]) => approvals.decide(open?.id ?? "", { approved: true }, clock.now()));
    });
    const { result } = await runWith(
      { ...spec, steps: [...spec.steps, { id: "slow", tool: "slow" }] },
      { clock, approvals, tools: { draft: "hello", send: once, slow: taking(clock, 1000) } },
    );
    expect(result.status).toBe("success");
    expect((await approvals.list(clock.now())).map(({ status }) => status)).toEqual(["used"]);
  });

  test("one that expires fails the step", async () => {
    const clock = new FakeClock();
    const { result } = await runWith(
      {
        name: "c",
        steps: [
          { id: "s", tool: "t", approval: { message: "?", expires: 10 } },
          { id: "slow", tool: "slow" },
        ],
      },
      { clock, approvals: createMemoryApprovals({ clock }), tools: { t: 1, slow: taking(clock, 20_000) } },
    );
    expect(result).toMatchObject({ status: "failed", error: { message: "s: nobody approved it in time" } });
  });

  test("the time a person takes is not the run's", async () => {
    const clock = new FakeClock();
    const { result } = await runWith(
      { name: "c", timeout: 10, steps: [{ id: "s", tool: "slow", approval: "?" }] },
      {
        clock,
        tools: { slow: taking(clock, 9000) },
        ask: () => new Promise((resolve) => clock.after(3_600_000, () => resolve({ approved: true }))),
      },
    );
    expect(result.status).toBe("success");
    const late = await runWith(
      { name: "c", timeout: 10, steps: [{ id: "s", tool: "slow", approval: "?" }] },
      { clock, tools: { slow: taking(clock, 11_000) }, ask: yes },
    );
    expect(late.result.error?.code).toBe("timeout");
  });

  test("whoever asks and breaks has no answer: the run waits", async () => {
    const { result } = await runWith(spec, {
      tools: { draft: "hello", send: once },
      ask: async () => {
        throw new Error("no terminal");
      },
    });
    expect(result.status).toBe("waiting");
  });

  test("a run that is stopped withdraws its questions, and whoever asks is told", async () => {
    const clock = new FakeClock();
    const stop = new AbortController();
    clock.after(1000, () => stop.abort());
    let withdrawn = false;
    const { result, statuses } = await runWith(spec, {
      clock,
      signal: stop.signal,
      tools: { draft: "hello", send: once },
      ask: (_, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            withdrawn = true;
            reject(new Error("prompt closed"));
          });
        }),
    });
    expect([result.status, statuses["send"], withdrawn]).toEqual(["cancelled", "cancelled", true]);
  });
});

describe("places", () => {
  test("[A10] a step that waits for a person leaves its place to others, and max_parallel holds when people answer", async () => {
    const clock = new FakeClock();
    let [now, peak] = [0, 0];
    const work = async (_: unknown, context: ToolContext): Promise<void> => {
      peak = Math.max(peak, ++now);
      await taking(clock, 1000)({}, context);
      now--;
    };
    const { result, tookMs } = await runWith(
      {
        name: "c",
        max_parallel: 2,
        steps: [
          ...Array.from({ length: 4 }, (_, i) => ({ id: `ask${i}`, tool: "t", approval: "?" })),
          ...Array.from({ length: 4 }, (_, i) => ({ id: `go${i}`, tool: "t" })),
        ],
      },
      {
        clock,
        tools: { t: work },
        ask: () => new Promise((resolve) => clock.after(500, () => resolve({ approved: true }))),
      },
    );
    expect([result.status, peak, tookMs]).toEqual(["success", 2, 4000]);
  });

  test("[A10] items that wait for people take one place together, and give it back once", async () => {
    const clock = new FakeClock();
    const order: string[] = [];
    let [now, peak] = [0, 0];
    const answers = [700, 300, 900];
    const { result, state } = await runWith(
      {
        name: "c",
        max_parallel: 1,
        steps: [
          { id: "e", tool: "danger", for_each: [0, 1, 2], params: { x: "${item}" } },
          { id: "other", tool: "calm" },
          { id: "more", tool: "calm" },
        ],
      },
      {
        clock,
        settings: { permissions: { ask: ["danger"], allow: ["*"] } },
        tools: {
          danger: mock({
            effect: "once",
            answer: ({ x }: Record<string, unknown>) => void order.push(`item ${String(x)}`),
          }),
          calm: async (_: unknown, context: ToolContext) => {
            peak = Math.max(peak, ++now);
            await taking(clock, 400)({}, context);
            now--;
          },
        },
        ask: (approval) =>
          new Promise((resolve) => {
            const { x } = approval.args as { x: number };
            clock.after(answers[x] ?? 0, () => resolve({ approved: true }));
          }),
      },
    );
    expect(result.status).toBe("success");
    expect(peak).toBe(1);
    expect(order.toSorted()).toEqual(["item 0", "item 1", "item 2"]);
    expect(state("e")).toMatchObject({ status: "success", attempts: 3 });
  });
});

describe("a rule that asks", () => {
  const settings = { permissions: { ask: ["danger"], allow: ["*"] } };

  test("[N02] asks in the run's name; a retry of the same arguments needs no other answer, and counts no attempt", async () => {
    let asked = 0;
    const { state, calls } = await runWith(
      { name: "c", steps: [{ id: "s", tool: "danger", params: { x: 1 }, retry: { max: 1, delay: 1 } }] },
      {
        settings,
        tools: { danger: mock({ effect: "idempotent", answers: [fail("down", { retry: "safe" }), "ok"] }) },
        ask: async () => {
          asked++;
          return { approved: true };
        },
      },
    );
    expect([asked, calls.length, state("s").status, state("s").attempts]).toEqual([1, 2, "success", 2]);
  });

  test("asks for each round, since its arguments are others", async () => {
    let asked = 0;
    await runWith(
      {
        name: "c",
        steps: [{ id: "s", tool: "danger", params: { n: "${index}" }, repeat: { until: "${index == 2}", max: 5 } }],
      },
      {
        settings,
        tools: { danger: 1 },
        ask: async () => {
          asked++;
          return { approved: true };
        },
      },
    );
    expect(asked).toBe(3);
  });

  test("[N06] undoing is asked for as well", async () => {
    const asked: string[] = [];
    const { result, state } = await runWith(
      {
        name: "c",
        steps: [
          { id: "a", tool: "do", compensate: { tool: "danger" } },
          { id: "b", tool: "bad", depends_on: ["a"] },
        ],
      },
      {
        settings,
        tools: { do: 1, danger: once, bad: fail("bad") },
        ask: async ({ tool }) => {
          asked.push(tool);
          return { approved: true };
        },
      },
    );
    expect([result.status, asked, state("a").compensation]).toEqual(["failed", ["danger"], { status: "success" }]);
  });

  test("an answer in the store from before the run asks is not lost, and is of no use for another run", async () => {
    const clock = new FakeClock();
    const approvals = createMemoryApprovals({ clock });
    const spec = { name: "c", steps: [{ id: "s", tool: "danger" }] };
    const first = await runWith(spec, { clock, approvals, settings, tools: { danger: 1 }, runId: "r1" });
    expect(first.result.status).toBe("waiting");
    await approvals.decide(first.state("s").approvalId ?? "", { approved: true }, clock.now());
    const other = await runWith(spec, { clock, approvals, settings, tools: { danger: 1 }, runId: "r2" });
    expect(other.result.status).toBe("waiting");
    const again = await runWith(spec, { clock, approvals, settings, tools: { danger: 1 }, runId: "r1" });
    expect(again.result.status).toBe("success");
    const third = await runWith(spec, { clock, approvals, settings, tools: { danger: 1 }, runId: "r1" });
    expect(third.result.status).toBe("waiting");
  });
});
