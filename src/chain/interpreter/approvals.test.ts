import { describe, expect, test } from "vitest";
import { runWith, taking } from "../../../test/support/chain-runner.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { type Approval, createInMemoryApprovals } from "../../store/index.ts";
import { fail } from "../../base/index.ts";
import type { ToolContext } from "../../tool/index.ts";
import { mock } from "../../testing/chain/mock-tools.ts";

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

  test("runs when it is approved; the approver sees the message and the exact arguments", async () => {
    const requested: Approval[] = [];
    const { result, events } = await runWith(spec, {
      tools: { draft: "hello", send: once },
      requestApproval: async (approval) => {
        requested.push(approval);
        return yes();
      },
    });
    expect(result.output).toEqual({ draft: "hello", send: "sent" });
    expect(requested).toMatchObject([
      { tool: "send", args: { text: "hello" }, message: "Send hello?", runId: result.runId, step: "send" },
    ]);
    expect(events.map(({ type }) => type).filter((type) => type === "step-suspended")).toHaveLength(1);
  });

  test("fails when it is rejected, and a fallback whose condition holds replaces it", async () => {
    const refused = await runWith(spec, { tools: { draft: "hello", send: once }, requestApproval: no });
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
    const stored = await runWith(
      { name: "c", steps },
      { tools: { draft: "hello", send: once, other: once, keep: "kept" }, requestApproval: no },
    );
    expect(stored.result.output).toEqual({ draft: "hello", send: "kept" });
    expect([stored.tools.argsOf("send"), stored.tools.argsOf("other")]).toEqual([[], []]);
  });

  test("ends the run as waiting if no approver is present, with no timers or handlers left over; other steps finish first", async () => {
    const clock = new FakeClock();
    const approvals = createInMemoryApprovals({ clock });
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

  test("continues when the approval was decided elsewhere while other steps ran", async () => {
    const clock = new FakeClock();
    const approvals = createInMemoryApprovals({ clock });
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

  test("fails when the approval expires", async () => {
    const clock = new FakeClock();
    const { result } = await runWith(
      {
        name: "c",
        steps: [
          { id: "s", tool: "t", approval: { message: "?", expires: 10 } },
          { id: "slow", tool: "slow" },
        ],
      },
      { clock, approvals: createInMemoryApprovals({ clock }), tools: { t: 1, slow: taking(clock, 20_000) } },
    );
    expect(result).toMatchObject({
      status: "failed",
      error: { message: "s: the approval expired without a decision" },
    });
  });

  test("the time until a decision does not count as the run's", async () => {
    const clock = new FakeClock();
    const { result } = await runWith(
      { name: "c", timeout: 10, steps: [{ id: "s", tool: "slow", approval: "?" }] },
      {
        clock,
        tools: { slow: taking(clock, 9000) },
        requestApproval: () => new Promise((resolve) => clock.after(3_600_000, () => resolve({ approved: true }))),
      },
    );
    expect(result.status).toBe("success");
    const late = await runWith(
      { name: "c", timeout: 10, steps: [{ id: "s", tool: "slow", approval: "?" }] },
      { clock, tools: { slow: taking(clock, 11_000) }, requestApproval: yes },
    );
    expect(late.result.error?.code).toBe("timeout");
  });

  test("a requestApproval callback that throws gives no answer: the run waits", async () => {
    const { result } = await runWith(spec, {
      tools: { draft: "hello", send: once },
      requestApproval: async () => {
        throw new Error("no terminal");
      },
    });
    expect(result.status).toBe("waiting");
  });

  test("a run that is cancelled withdraws its approvals, and aborts the requestApproval callback", async () => {
    const clock = new FakeClock();
    const stop = new AbortController();
    clock.after(1000, () => stop.abort());
    let withdrawn = false;
    const { result, statuses } = await runWith(spec, {
      clock,
      signal: stop.signal,
      tools: { draft: "hello", send: once },
      requestApproval: (_, signal) =>
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

describe("slots", () => {
  test("[A10] a step that waits for approval releases its slot, and max_parallel holds when it is decided", async () => {
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
        requestApproval: () => new Promise((resolve) => clock.after(500, () => resolve({ approved: true }))),
      },
    );
    expect([result.status, peak, tookMs]).toEqual(["success", 2, 4000]);
  });

  test("[A10] items that wait for approvals occupy one slot together, and release it once", async () => {
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
        requestApproval: (approval) =>
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

describe("an ask rule", () => {
  const settings = { permissions: { ask: ["danger"], allow: ["*"] } };

  test("[N02] requests approval in the run's name; a retry with the same arguments needs no new approval, and counts no attempt", async () => {
    let requested = 0;
    const { state, calls } = await runWith(
      { name: "c", steps: [{ id: "s", tool: "danger", params: { x: 1 }, retry: { max: 1, delay: 1 } }] },
      {
        settings,
        tools: { danger: mock({ effect: "idempotent", answers: [fail("down", { retry: "safe" }), "ok"] }) },
        requestApproval: async () => {
          requested++;
          return { approved: true };
        },
      },
    );
    expect([requested, calls.length, state("s").status, state("s").attempts]).toEqual([1, 2, "success", 2]);
  });

  test("requires approval for each round, since the arguments differ", async () => {
    let requested = 0;
    await runWith(
      {
        name: "c",
        steps: [{ id: "s", tool: "danger", params: { n: "${index}" }, repeat: { until: "${index == 2}", max: 5 } }],
      },
      {
        settings,
        tools: { danger: 1 },
        requestApproval: async () => {
          requested++;
          return { approved: true };
        },
      },
    );
    expect(requested).toBe(3);
  });

  test("[N06] a compensation needs approval as well", async () => {
    const requested: string[] = [];
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
        requestApproval: async ({ tool }) => {
          requested.push(tool);
          return { approved: true };
        },
      },
    );
    expect([result.status, requested, state("a").compensation]).toEqual(["failed", ["danger"], { status: "success" }]);
  });

  test("a decision stored before the run requests it is used, and does not count for another run", async () => {
    const clock = new FakeClock();
    const approvals = createInMemoryApprovals({ clock });
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
