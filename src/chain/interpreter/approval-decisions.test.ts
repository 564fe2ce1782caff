import { describe, expect, test } from "vitest";
import { type RunnerOptions, runWith, taking } from "../../../test/support/chain-runner.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { fail } from "../../base/index.ts";
import { type Approval, createInMemoryApprovals } from "../../store/index.ts";
import { mock } from "../../testing/chain/mock-tools.ts";

type Args = Readonly<Record<string, unknown>>;
const once = mock({ effect: "once", answer: ({ x }: Args) => x });
const danger = { permissions: { ask: ["danger"], allow: ["*"] } };

/** Answers approvals one after the other, and stores them; the last answer is for all that follow. */
function person(
  ...answers: readonly boolean[]
): Required<Pick<RunnerOptions, "requestApproval">> & { requested: Approval[] } {
  const requested: Approval[] = [];
  return {
    requested,
    requestApproval: async (approval) => {
      requested.push(approval);
      return { approved: answers[requested.length - 1] ?? answers.at(-1) ?? false, by: "ann" };
    },
  };
}

describe("an approval covers the calls that the approver saw", () => {
  test("for_each requests one approval with the arguments of every item, and exactly those are sent", async () => {
    const { requested, requestApproval } = person(true);
    const clock = new FakeClock();
    const { result, tools, state } = await runWith(
      {
        name: "c",
        steps: [
          {
            id: "e",
            tool: "send",
            for_each: "${input.to}",
            concurrency: 1,
            params: { to: "${item.name}", at: "${index}" },
            approval: "Send to all?",
          },
        ],
      },
      {
        clock,
        input: { to: [{ name: "ada" }, { name: "bob" }] },
        tools: { send: once },
        requestApproval: async (approval, signal) => {
          await new Promise<void>((resolve) => clock.after(3_600_000, resolve));
          return requestApproval(approval, signal);
        },
      },
    );
    const shown = requested[0]?.args;
    expect(requested).toHaveLength(1);
    expect(shown).toEqual([
      { to: "ada", at: 0 },
      { to: "bob", at: 1 },
    ]);
    expect(tools.argsOf("send")).toEqual(shown);
    expect([result.status, state("e").input]).toEqual(["success", shown]);
    // The time until the decision is not the items' time.
    expect(state("e").items?.map(({ durationMs }) => durationMs)).toEqual([0, 0]);
  });

  test("for_each shows an item whose arguments cannot be evaluated as null, and that item fails by itself", async () => {
    const { requested, requestApproval } = person(true);
    const { state, tools } = await runWith(
      {
        name: "c",
        steps: [
          {
            id: "e",
            tool: "send",
            for_each: [1, "x", 3],
            tolerate: 1,
            params: { x: "${item * 2}" },
            approval: "?",
          },
        ],
      },
      { tools: { send: once }, requestApproval },
    );
    expect(requested.map(({ args }) => args)).toEqual([[{ x: 2 }, null, { x: 6 }]]);
    expect(state("e").output).toEqual([2, null, 6]);
    expect(tools.argsOf("send")).toEqual([{ x: 2 }, { x: 6 }]);
  });

  test("for_each runs no item after a rejection", async () => {
    const { requestApproval } = person(false);
    const { state, result, tools } = await runWith(
      { name: "c", steps: [{ id: "e", tool: "send", for_each: [1, 2], params: { x: "${item}" }, approval: "?" }] },
      { tools: { send: once }, requestApproval },
    );
    expect([result.error?.reason, tools.argsOf("send"), state("e").items]).toEqual(["rejected", [], undefined]);
  });

  test("repeat requests a new approval for every round, with its own arguments", async () => {
    const { requested, requestApproval } = person(true, true, false);
    const { state, tools } = await runWith(
      {
        name: "c",
        steps: [
          {
            id: "s",
            tool: "send",
            params: { x: "${index}" },
            approval: "Once more?",
            repeat: { until: "${index == 9}", max: 10 },
          },
        ],
      },
      { tools: { send: once }, requestApproval },
    );
    expect(requested.map(({ args }) => args)).toEqual([{ x: 0 }, { x: 1 }, { x: 2 }]);
    expect(new Set(requested.map(({ id }) => id)).size).toBe(3);
    expect(tools.argsOf("send")).toEqual([{ x: 0 }, { x: 1 }]);
    expect(state("s").error).toMatchObject({ code: "permission_denied", reason: "rejected" });
  });

  test("repeat does not count the time until a decision as the loop's", async () => {
    const clock = new FakeClock();
    const { result } = await runWith(
      {
        name: "c",
        steps: [{ id: "s", tool: "t", approval: "?", repeat: { until: "${index == 2}", max: 5, max_duration: 60 } }],
      },
      {
        clock,
        tools: { t: 1 },
        requestApproval: () => new Promise((resolve) => clock.after(600_000, () => resolve({ approved: true }))),
      },
    );
    expect(result.status).toBe("success");
  });

  test("an attempt with the same arguments needs no new approval", async () => {
    const { requested, requestApproval } = person(true);
    const { result } = await runWith(
      { name: "c", steps: [{ id: "s", tool: "t", approval: "?", retry: { max: 1, delay: 1 } }] },
      {
        tools: { t: mock({ effect: "idempotent", answers: [fail("down", { retry: "safe" }), "ok"] }) },
        requestApproval,
      },
    );
    expect([result.status, requested.length]).toEqual(["success", 1]);
  });
});

describe("after a rejection, only a fallback for rejections is used", () => {
  const fallback = [{ tool: "other" }, { condition: "${error.code == 'timeout'}", tool: "late" }, { tool: "last" }];
  const tools = { danger: once, t: once, other: once, late: once, last: once, intended: fail("no luck") };

  test.each(["approval", "rule"])("this holds if the %s requires the approval, too", async (how) => {
    const step = how === "approval" ? { tool: "t", approval: "?" } : { tool: "danger" };
    const { requestApproval } = person(false);
    const { result, calls } = await runWith(
      { name: "c", steps: [{ id: "s", ...step, error_handling: { strategy: "fallback", fallback } }] },
      { tools, settings: danger, requestApproval },
    );
    expect([result.status, result.error?.reason]).toEqual(["failed", "rejected"]);
    expect(calls).toEqual([]);
  });

  test("this holds when the approval expired, too", async () => {
    const clock = new FakeClock();
    const { result, calls } = await runWith(
      {
        name: "c",
        steps: [
          { id: "s", tool: "t", approval: { message: "?", expires: 10 }, error_handling: { fallback } },
          { id: "slow", tool: "slow" },
        ],
      },
      { clock, approvals: createInMemoryApprovals({ clock }), tools: { ...tools, slow: taking(clock, 20_000) } },
    );
    expect([result.status, result.error?.reason]).toEqual(["failed", "expired"]);
    expect(calls.map(({ tool }) => tool)).toEqual(["slow"]);
  });

  test("this holds after a fallback for rejections that failed, too", async () => {
    const { requestApproval } = person(false);
    const entries = [{ condition: "${error}", tool: "intended" }, { tool: "other" }];
    const { result, calls } = await runWith(
      { name: "c", steps: [{ id: "s", tool: "t", approval: "?", error_handling: { fallback: entries } }] },
      { tools, requestApproval },
    );
    expect([result.status, calls.map(({ tool }) => tool)]).toEqual(["failed", ["intended"]]);
  });

  test("this holds around a sub-chain in which an approval was rejected, too", async () => {
    const { requestApproval } = person(false);
    const { result, calls } = await runWith(
      { name: "c", steps: [{ id: "s", tool: "inner", error_handling: { fallback: [{ tool: "other" }] } }] },
      { tools, requestApproval, others: [{ name: "inner", steps: [{ id: "a", tool: "t", approval: "?" }] }] },
    );
    expect([result.status, result.error?.reason, calls]).toEqual(["failed", "rejected", []]);
  });
});

describe("named approvers", () => {
  const spec = {
    name: "c",
    steps: [
      { id: "s", tool: "t", params: { x: 1 }, approval: { message: "Go?", approvers: ["ann", "eve"] } },
      { id: "slow", tool: "slow" },
    ],
  };
  const slow = (clock: FakeClock) => taking(clock, 10_000);

  test.each([{ by: "bob" }, {}])("an answer in this process by another person ($by) does not count", async (who) => {
    const clock = new FakeClock();
    const approvals = createInMemoryApprovals({ clock });
    const { result, events, calls } = await runWith(spec, {
      clock,
      approvals,
      tools: { t: once, slow: slow(clock) },
      requestApproval: async () => ({ approved: true, ...who }),
    });
    expect([result.status, calls.map(({ tool }) => tool)]).toEqual(["waiting", ["slow"]]);
    expect(await approvals.list(clock.now())).toMatchObject([{ status: "pending" }]);
    const reported = events.flatMap((event) => (event.type === "step-suspended" ? event.message : []));
    expect(reported).toHaveLength(2);
    expect(reported[1]).toContain(`the decision of ${who.by ?? "an unnamed person"} does not count`);
    expect(reported[1]).toContain("only ann or eve may decide");
  });

  test("an answer in this process by one of them counts", async () => {
    const { requestApproval } = person(true);
    const clock = new FakeClock();
    const { result } = await runWith(spec, { clock, tools: { t: once, slow: slow(clock) }, requestApproval });
    expect(result.status).toBe("success");
  });

  test.each([true, false])(
    "a stored decision of another person (approved: %s) does not count: the approval is requested once more",
    async (approved) => {
      const clock = new FakeClock();
      const approvals = createInMemoryApprovals({ clock });
      const first = await runWith(spec, { clock, approvals, runId: "r", tools: { t: once, slow: slow(clock) } });
      const id = first.state("s").approvalId ?? "";
      await approvals.decide(id, { approved, by: "bob" }, clock.now());
      const again = { clock, approvals, runId: "r", tools: { t: once, slow: slow(clock) } };
      const second = await runWith(spec, again);
      expect(second.result.status).toBe("waiting");
      const [open, ...more] = await approvals.list(clock.now(), "pending");
      expect([more.length, second.state("s").approvalId]).toEqual([0, open?.id]);
      expect(open?.id).not.toBe(id);
      expect(second.state("s").pendingApprovals).toMatchObject([{ approvalId: open?.id, tool: "t", args: { x: 1 } }]);
      expect(second.events.some((event) => event.type === "step-suspended" && event.message.includes("of bob"))).toBe(
        true,
      );
      await approvals.decide(open?.id ?? "", { approved: true, by: "eve" }, clock.now());
      expect((await runWith(spec, again)).result.status).toBe("success");
    },
  );
});

describe("an approval that has expired", () => {
  const spec = { name: "c", steps: [{ id: "s", tool: "t", approval: { message: "?", expires: 60 } }] };

  test("fails the step while the requestApproval callback still waits, and aborts the callback", async () => {
    const clock = new FakeClock();
    let withdrawn = false;
    const { result, tookMs } = await runWith(spec, {
      clock,
      tools: { t: once },
      requestApproval: (_, signal) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            withdrawn = true;
            resolve(undefined);
          });
        }),
    });
    expect([result.status, result.error?.reason, withdrawn, tookMs]).toEqual(["failed", "expired", true, 60_000]);
    expect(clock.timers).toBe(0);
  });

  test("a late approval does not count", async () => {
    const clock = new FakeClock();
    const { result, calls } = await runWith(spec, {
      clock,
      tools: { t: once },
      requestApproval: () => new Promise((resolve) => clock.after(61_000, () => resolve({ approved: true }))),
    });
    expect([result.status, result.error?.reason, calls]).toEqual(["failed", "expired", []]);
  });

  test("a callback that gives up while the approval is decided elsewhere does not delay the step", async () => {
    const clock = new FakeClock();
    const approvals = createInMemoryApprovals({ clock });
    const { state, result } = await runWith(
      { name: "c", steps: [...spec.steps, { id: "slow", tool: "slow" }] },
      {
        clock,
        approvals,
        tools: { t: once, slow: taking(clock, 20_000) },
        requestApproval: async ({ id }) => {
          await approvals.decide(id, { approved: true, by: "ann" }, clock.now());
          return undefined;
        },
      },
    );
    expect([result.status, state("s").endedAt - state("s").startedAt]).toEqual(["success", 0]);
  });
});

describe("pending approvals are stored with their step", () => {
  test("all of them, with tool and arguments, without those that are decided", async () => {
    const clock = new FakeClock();
    const approvals = createInMemoryApprovals({ clock });
    const { result, state } = await runWith(
      { name: "c", steps: [{ id: "e", tool: "danger", for_each: [1, 2, 3], params: { x: "${item}" } }] },
      {
        clock,
        approvals,
        settings: danger,
        tools: { danger: once },
        requestApproval: async ({ args }) => ((args as Args)["x"] === 2 ? { approved: true } : undefined),
      },
    );
    expect(result.status).toBe("waiting");
    const open = (await approvals.list(clock.now(), "pending")).toReversed();
    const message = "Allow danger to run with these arguments?";
    expect(state("e").pendingApprovals).toMatchObject(
      open.map(({ id, args }) => ({ approvalId: id, tool: "danger", args, message, isCompensation: false })),
    );
    expect(open.map(({ args }) => args)).toEqual([{ x: 1 }, { x: 3 }]);
    expect(result.log().steps[0]?.pending_approvals).toEqual(
      open.map(({ id, args }) => ({ approval_id: id, tool: "danger", input: args, message })),
    );
  });

  test("an approval of a fallback is stored with its step, too", async () => {
    const { state, result } = await runWith(
      {
        name: "c",
        steps: [{ id: "s", tool: "bad", error_handling: { fallback: [{ tool: "danger", params: { x: 7 } }] } }],
      },
      { settings: danger, tools: { bad: fail("bad"), danger: once }, approvals: createInMemoryApprovals() },
    );
    expect(result.status).toBe("waiting");
    expect(state("s").pendingApprovals).toMatchObject([{ tool: "danger", args: { x: 7 } }]);
  });

  test("an approval that a rule requires does not mention running a call again", async () => {
    const { events } = await runWith(
      { name: "c", steps: [{ id: "s", tool: "danger" }] },
      { settings: danger, tools: { danger: once } },
    );
    const reported = events.flatMap((event) => (event.type === "step-suspended" ? event.message : []));
    expect(reported).toEqual(["Allow danger to run with these arguments?"]);
  });

  test("a compensation that waits for approval is listed, and marked as such", async () => {
    const clock = new FakeClock();
    const approvals = createInMemoryApprovals({ clock });
    const { result, state } = await runWith(
      {
        name: "c",
        steps: [
          { id: "a", tool: "do", compensate: { tool: "danger", params: { x: "${steps.a.output}" } } },
          { id: "b", tool: "bad", depends_on: ["a"] },
        ],
      },
      { clock, approvals, settings: danger, tools: { do: 5, danger: once, bad: fail("bad") } },
    );
    expect(result.status).toBe("waiting");
    const [open] = await approvals.list(clock.now(), "pending");
    const message = "Undo of step a: Allow danger to run with these arguments?";
    expect(open).toMatchObject({ step: "a", message, args: { x: 5 } });
    expect(state("a")).toMatchObject({
      approvalId: open?.id,
      pendingApprovals: [{ approvalId: open?.id, tool: "danger", args: { x: 5 }, message, isCompensation: true }],
    });
    expect(result.log().steps[0]?.pending_approvals).toMatchObject([{ approval_id: open?.id, undo: true }]);
  });
});

describe("the end of a run", () => {
  const spec = {
    name: "c",
    steps: [
      { id: "s", tool: "t", approval: "?" },
      { id: "ruled", tool: "danger" },
      { id: "bad", tool: "bad" },
    ],
  };

  test("its pending approvals are rejected, since they are no longer needed", async () => {
    const clock = new FakeClock();
    const approvals = createInMemoryApprovals({ clock });
    const other = await approvals.request({
      key: "k",
      tool: "t",
      args: {},
      message: "?",
      callerType: "direct",
      expiresAt: clock.now() + 86_400_000,
      runId: "another",
    });
    const bad = mock({
      effect: "read",
      answer: () => new Promise((_, reject) => clock.after(1000, () => reject(fail("bad")))),
    });
    const { result } = await runWith(spec, {
      clock,
      approvals,
      settings: danger,
      tools: { t: 1, danger: once, bad },
    });
    expect(result.status).toBe("failed");
    const all = await approvals.list(clock.now());
    expect(all.filter(({ status }) => status === "pending").map(({ id }) => id)).toEqual([other.id]);
    const ours = all.filter(({ runId }) => runId === result.runId);
    expect(ours).toHaveLength(2);
    for (const approval of ours) expect(approval).toMatchObject({ status: "rejected", note: "the run is over" });
  });

  test("a run that stays suspended keeps its approvals open", async () => {
    const clock = new FakeClock();
    const approvals = createInMemoryApprovals({ clock });
    await runWith(spec, { clock, approvals, settings: danger, tools: { t: 1, danger: once, bad: 1 } });
    expect(await approvals.list(clock.now(), "pending")).toHaveLength(2);
  });
});
