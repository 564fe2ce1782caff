import { describe, expect, test } from "vitest";
import { type RunnerOptions, runWith, taking } from "../../../test/support/chain-runner.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { fail } from "../../base/index.ts";
import { type Approval, createMemoryApprovals } from "../../store/index.ts";
import { mock } from "../kit/mock-tools.ts";

type Args = Readonly<Record<string, unknown>>;
const once = mock({ effect: "once", answer: ({ x }: Args) => x });
const danger = { permissions: { ask: ["danger"], allow: ["*"] } };

/** Answers questions one after the other, and keeps them; the last answer is for all that follow. */
function person(...answers: readonly boolean[]): Required<Pick<RunnerOptions, "ask">> & { asked: Approval[] } {
  const asked: Approval[] = [];
  return {
    asked,
    ask: async (approval) => {
      asked.push(approval);
      return { approved: answers[asked.length - 1] ?? answers.at(-1) ?? false, by: "ann" };
    },
  };
}

describe("an approval covers calls that somebody saw", () => {
  test("of for_each: one question with the arguments of every item, and those are sent", async () => {
    const { asked, ask } = person(true);
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
        ask: async (approval, signal) => {
          await new Promise<void>((resolve) => clock.after(3_600_000, resolve));
          return ask(approval, signal);
        },
      },
    );
    const shown = asked[0]?.args;
    expect(asked).toHaveLength(1);
    expect(shown).toEqual([
      { to: "ada", at: 0 },
      { to: "bob", at: 1 },
    ]);
    expect(tools.argsOf("send")).toEqual(shown);
    expect([result.status, state("e").input]).toEqual(["success", shown]);
    // What people took is not the items' time.
    expect(state("e").items?.map(({ durationMs }) => durationMs)).toEqual([0, 0]);
  });

  test("of for_each: an item whose arguments cannot be worked out shows as null, and fails by itself", async () => {
    const { asked, ask } = person(true);
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
      { tools: { send: once }, ask },
    );
    expect(asked.map(({ args }) => args)).toEqual([[{ x: 2 }, null, { x: 6 }]]);
    expect(state("e").output).toEqual([2, null, 6]);
    expect(tools.argsOf("send")).toEqual([{ x: 2 }, { x: 6 }]);
  });

  test("of for_each: a no means that no item is worked on", async () => {
    const { ask } = person(false);
    const { state, result, tools } = await runWith(
      { name: "c", steps: [{ id: "e", tool: "send", for_each: [1, 2], params: { x: "${item}" }, approval: "?" }] },
      { tools: { send: once }, ask },
    );
    expect([result.error?.reason, tools.argsOf("send"), state("e").items]).toEqual(["rejected", [], undefined]);
  });

  test("of repeat: every round asks anew, with its own arguments", async () => {
    const { asked, ask } = person(true, true, false);
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
      { tools: { send: once }, ask },
    );
    expect(asked.map(({ args }) => args)).toEqual([{ x: 0 }, { x: 1 }, { x: 2 }]);
    expect(new Set(asked.map(({ id }) => id)).size).toBe(3);
    expect(tools.argsOf("send")).toEqual([{ x: 0 }, { x: 1 }]);
    expect(state("s").error).toMatchObject({ code: "permission_denied", reason: "rejected" });
  });

  test("of repeat: the time that people take is not the loop's", async () => {
    const clock = new FakeClock();
    const { result } = await runWith(
      {
        name: "c",
        steps: [{ id: "s", tool: "t", approval: "?", repeat: { until: "${index == 2}", max: 5, max_duration: 60 } }],
      },
      {
        clock,
        tools: { t: 1 },
        ask: () => new Promise((resolve) => clock.after(600_000, () => resolve({ approved: true }))),
      },
    );
    expect(result.status).toBe("success");
  });

  test("an attempt with the same arguments needs no other answer", async () => {
    const { asked, ask } = person(true);
    const { result } = await runWith(
      { name: "c", steps: [{ id: "s", tool: "t", approval: "?", retry: { max: 1, delay: 1 } }] },
      { tools: { t: mock({ effect: "idempotent", answers: [fail("down", { retry: "safe" }), "ok"] }) }, ask },
    );
    expect([result.status, asked.length]).toEqual(["success", 1]);
  });
});

describe("after a no, nothing stands in that is not meant for it", () => {
  const fallback = [{ tool: "other" }, { condition: "${error.code == 'timeout'}", tool: "late" }, { tool: "last" }];
  const tools = { danger: once, t: once, other: once, late: once, last: once, meant: fail("no luck") };

  test.each(["approval", "rule"])("also where the %s asks", async (how) => {
    const step = how === "approval" ? { tool: "t", approval: "?" } : { tool: "danger" };
    const { ask } = person(false);
    const { result, calls } = await runWith(
      { name: "c", steps: [{ id: "s", ...step, error_handling: { strategy: "fallback", fallback } }] },
      { tools, settings: danger, ask },
    );
    expect([result.status, result.error?.reason]).toEqual(["failed", "rejected"]);
    expect(calls).toEqual([]);
  });

  test("also when nobody answered in time", async () => {
    const clock = new FakeClock();
    const { result, calls } = await runWith(
      {
        name: "c",
        steps: [
          { id: "s", tool: "t", approval: { message: "?", expires: 10 }, error_handling: { fallback } },
          { id: "slow", tool: "slow" },
        ],
      },
      { clock, approvals: createMemoryApprovals({ clock }), tools: { ...tools, slow: taking(clock, 20_000) } },
    );
    expect([result.status, result.error?.reason]).toEqual(["failed", "expired"]);
    expect(calls.map(({ tool }) => tool)).toEqual(["slow"]);
  });

  test("also behind a fallback that was meant for it, and failed", async () => {
    const { ask } = person(false);
    const entries = [{ condition: "${error}", tool: "meant" }, { tool: "other" }];
    const { result, calls } = await runWith(
      { name: "c", steps: [{ id: "s", tool: "t", approval: "?", error_handling: { fallback: entries } }] },
      { tools, ask },
    );
    expect([result.status, calls.map(({ tool }) => tool)]).toEqual(["failed", ["meant"]]);
  });

  test("also around a sub-chain in which somebody said no", async () => {
    const { ask } = person(false);
    const { result, calls } = await runWith(
      { name: "c", steps: [{ id: "s", tool: "inner", error_handling: { fallback: [{ tool: "other" }] } }] },
      { tools, ask, others: [{ name: "inner", steps: [{ id: "a", tool: "t", approval: "?" }] }] },
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

  test.each([{ by: "bob" }, {}])("an answer given here by somebody else ($by) is none", async (who) => {
    const clock = new FakeClock();
    const approvals = createMemoryApprovals({ clock });
    const { result, events, calls } = await runWith(spec, {
      clock,
      approvals,
      tools: { t: once, slow: slow(clock) },
      ask: async () => ({ approved: true, ...who }),
    });
    expect([result.status, calls.map(({ tool }) => tool)]).toEqual(["waiting", ["slow"]]);
    expect(await approvals.list(clock.now())).toMatchObject([{ status: "pending" }]);
    const told = events.flatMap((event) => (event.type === "step-waiting" ? event.message : []));
    expect(told).toHaveLength(2);
    expect(told[1]).toContain(`the decision of ${who.by ?? "somebody without a name"} does not count`);
    expect(told[1]).toContain("only ann or eve may decide");
  });

  test("an answer given here by one of them counts", async () => {
    const { ask } = person(true);
    const clock = new FakeClock();
    const { result } = await runWith(spec, { clock, tools: { t: once, slow: slow(clock) }, ask });
    expect(result.status).toBe("success");
  });

  test.each([true, false])(
    "a decision of somebody else in the store (approved: %s) is none: it is asked again",
    async (approved) => {
      const clock = new FakeClock();
      const approvals = createMemoryApprovals({ clock });
      const first = await runWith(spec, { clock, approvals, runId: "r", tools: { t: once, slow: slow(clock) } });
      const id = first.state("s").approvalId ?? "";
      await approvals.decide(id, { approved, by: "bob" }, clock.now());
      const again = { clock, approvals, runId: "r", tools: { t: once, slow: slow(clock) } };
      const second = await runWith(spec, again);
      expect(second.result.status).toBe("waiting");
      const [open, ...more] = await approvals.list(clock.now(), "pending");
      expect([more.length, second.state("s").approvalId]).toEqual([0, open?.id]);
      expect(open?.id).not.toBe(id);
      expect(second.state("s").questions).toMatchObject([{ approvalId: open?.id, tool: "t", args: { x: 1 } }]);
      expect(second.events.some((event) => event.type === "step-waiting" && event.message.includes("of bob"))).toBe(
        true,
      );
      await approvals.decide(open?.id ?? "", { approved: true, by: "eve" }, clock.now());
      expect((await runWith(spec, again)).result.status).toBe("success");
    },
  );
});

describe("a question whose time is over", () => {
  const spec = { name: "c", steps: [{ id: "s", tool: "t", approval: { message: "?", expires: 60 } }] };

  test("fails the step while whoever asks still waits, and tells whoever asks", async () => {
    const clock = new FakeClock();
    let withdrawn = false;
    const { result, tookMs } = await runWith(spec, {
      clock,
      tools: { t: once },
      ask: (_, signal) =>
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

  test("a yes that comes late is no yes", async () => {
    const clock = new FakeClock();
    const { result, calls } = await runWith(spec, {
      clock,
      tools: { t: once },
      ask: () => new Promise((resolve) => clock.after(61_000, () => resolve({ approved: true }))),
    });
    expect([result.status, result.error?.reason, calls]).toEqual(["failed", "expired", []]);
  });

  test("whoever gives up while somebody decides elsewhere does not hold the step up", async () => {
    const clock = new FakeClock();
    const approvals = createMemoryApprovals({ clock });
    const { state, result } = await runWith(
      { name: "c", steps: [...spec.steps, { id: "slow", tool: "slow" }] },
      {
        clock,
        approvals,
        tools: { t: once, slow: taking(clock, 20_000) },
        ask: async ({ id }) => {
          await approvals.decide(id, { approved: true, by: "ann" }, clock.now());
          return undefined;
        },
      },
    );
    expect([result.status, state("s").endedAt - state("s").startedAt]).toEqual(["success", 0]);
  });
});

describe("open questions are kept with their step", () => {
  test("all of them, with tool and arguments, without those that are answered", async () => {
    const clock = new FakeClock();
    const approvals = createMemoryApprovals({ clock });
    const { result, state } = await runWith(
      { name: "c", steps: [{ id: "e", tool: "danger", for_each: [1, 2, 3], params: { x: "${item}" } }] },
      {
        clock,
        approvals,
        settings: danger,
        tools: { danger: once },
        ask: async ({ args }) => ((args as Args)["x"] === 2 ? { approved: true } : undefined),
      },
    );
    expect(result.status).toBe("waiting");
    const open = (await approvals.list(clock.now(), "pending")).toReversed();
    const message = "Allow danger to run with these arguments?";
    expect(state("e").questions).toMatchObject(
      open.map(({ id, args }) => ({ approvalId: id, tool: "danger", args, message, isUndo: false })),
    );
    expect(open.map(({ args }) => args)).toEqual([{ x: 1 }, { x: 3 }]);
    expect(result.log().steps[0]?.questions).toEqual(
      open.map(({ id, args }) => ({ approval_id: id, tool: "danger", input: args, message })),
    );
  });

  test("of a fallback, too", async () => {
    const { state, result } = await runWith(
      {
        name: "c",
        steps: [{ id: "s", tool: "bad", error_handling: { fallback: [{ tool: "danger", params: { x: 7 } }] } }],
      },
      { settings: danger, tools: { bad: fail("bad"), danger: once }, approvals: createMemoryApprovals() },
    );
    expect(result.status).toBe("waiting");
    expect(state("s").questions).toMatchObject([{ tool: "danger", args: { x: 7 } }]);
  });

  test("a question that a rule asks says nothing of making a call again", async () => {
    const { events } = await runWith(
      { name: "c", steps: [{ id: "s", tool: "danger" }] },
      { settings: danger, tools: { danger: once } },
    );
    const told = events.flatMap((event) => (event.type === "step-waiting" ? event.message : []));
    expect(told).toEqual(["Allow danger to run with these arguments?"]);
  });

  test("undoing a step that waits for a person is named, and says what it is", async () => {
    const clock = new FakeClock();
    const approvals = createMemoryApprovals({ clock });
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
      questions: [{ approvalId: open?.id, tool: "danger", args: { x: 5 }, message, isUndo: true }],
    });
    expect(result.log().steps[0]?.questions).toMatchObject([{ approval_id: open?.id, undo: true }]);
  });
});

describe("when a run is over", () => {
  const spec = {
    name: "c",
    steps: [
      { id: "s", tool: "t", approval: "?" },
      { id: "ruled", tool: "danger" },
      { id: "bad", tool: "bad" },
    ],
  };

  test("what it still asks is answered with no, since nobody needs an answer", async () => {
    const clock = new FakeClock();
    const approvals = createMemoryApprovals({ clock });
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

  test("a run that is left waiting keeps its questions open", async () => {
    const clock = new FakeClock();
    const approvals = createMemoryApprovals({ clock });
    await runWith(spec, { clock, approvals, settings: danger, tools: { t: 1, danger: once, bad: 1 } });
    expect(await approvals.list(clock.now(), "pending")).toHaveLength(2);
  });
});
