import { describe, expect, test } from "vitest";
import { machine } from "../../test/support/chain-machine.ts";
import { withTime } from "../../test/support/chain-runner.ts";
import { fail } from "../base/index.ts";
import { mock } from "../testing/chain/mock-tools.ts";
import type { RunEvent } from "./interpreter/run-events.ts";
import type { StepState } from "./interpreter/step-state.ts";
import type { ChainSpec } from "./plan/chain-spec.ts";

const echo = (args: Readonly<Record<string, unknown>>): unknown => args;

describe("durable runs", () => {
  test("[N12] start with defaults and validated input, and can be inspected afterwards", async () => {
    const { clock, process } = machine(
      [
        {
          name: "c",
          input: { n: "number=3" },
          env: ["HOME"],
          steps: [{ id: "a", tool: "t", params: { n: "${input.n}", home: "${env.HOME}" } }],
        },
      ],
      { t: echo },
    );
    const { runs, plan } = process();
    const run = await withTime(runs.start(plan("c"), { runId: "r1", context: { k: 1 } }), clock);
    expect(run).toMatchObject({ success: true, output: { a: { n: 3, home: "/home/ann" } }, input: { n: 3 } });
    expect(await runs.inspect("r1")).toMatchObject({ status: "success", output: run.output, context: { k: 1 } });
    expect(await runs.list()).toMatchObject([{ id: "r1", kind: "chain", name: "c", status: "success" }]);
    await expect(runs.start(plan("c"), { input: { n: "x" } })).rejects.toMatchObject({ code: "validation_error" });
    await expect(runs.start(plan("c"), { runId: "../x" })).rejects.toMatchObject({ code: "validation_error" });
    await expect(runs.inspect("none")).rejects.toMatchObject({ code: "run_not_found" });
    expect(clock.timers).toBe(0);
  });

  test("the same id joins the existing run, in any process; different input is rejected", async () => {
    const { clock, process, tools } = machine(
      [{ name: "c", steps: [{ id: "a", tool: "t", params: { x: "${input.x}" } }] }],
      { t: () => new Promise((resolve) => clock.after(5000, () => resolve(1))) },
    );
    const [one, two] = [process(), process()];
    const first = one.runs.start(one.plan("c"), { runId: "r", input: { x: 1 } });
    const second = two.runs.start(two.plan("c"), { runId: "r", input: { x: 1 } });
    const results = await withTime(Promise.all([first, second]), clock);
    expect(results.map(({ output }) => output)).toEqual([{ a: 1 }, { a: 1 }]);
    expect(tools.calls).toHaveLength(1);
    await expect(two.runs.start(two.plan("c"), { runId: "r", input: { x: 2 } })).rejects.toMatchObject({
      code: "run_exists",
    });
  });

  test("input and context that JSON would change are refused, with the path", async () => {
    const { process } = machine([{ name: "c", steps: [{ id: "a", tool: "t", params: { x: "${input.x}" } }] }], {
      t: echo,
    });
    const { runs, plan } = process();
    const cycle: unknown[] = [];
    cycle.push(cycle);
    for (const [value, message] of [
      [1n, "x[0] is a BigInt"],
      [new Date(0), "x[0] is an object of class Date"],
      [undefined, "x[0] is undefined"],
      [cycle, "x[0][0] contains itself"],
    ] as const) {
      const refused = { code: "validation_error", message: expect.stringContaining(message) };
      await expect(runs.start(plan("c"), { input: { x: [value] } })).rejects.toMatchObject(refused);
      await expect(runs.submit(plan("c"), { input: { x: 1 }, context: { x: [value] } })).rejects.toMatchObject(refused);
    }
    expect(await runs.list()).toEqual([]);
  });

  test("a run that waits for an approval resumes in another process once there is a decision", async () => {
    const { clock, approvals, process, tools } = machine(
      [{ name: "c", timeout: 60, steps: [{ id: "a", tool: "t", params: { x: 1 }, approval: "go?" }] }],
      { t: mock({ effect: "once", answer: "done" }) },
    );
    const one = process();
    const waiting = await withTime(one.runs.start(one.plan("c"), { runId: "r" }), clock);
    expect(waiting).toMatchObject({ status: "waiting", success: false });
    expect(await one.runs.inspect("r")).toMatchObject({ status: "waiting" });
    const [open] = await approvals.list(clock.now(), "pending");
    expect(open).toMatchObject({ runId: "r", step: "a", args: { x: 1 } });
    const two = process();
    expect((await withTime(two.runs.resume("r"), clock)).status).toBe("waiting");
    await approvals.decide(open?.id ?? "", { approved: true }, clock.now());
    expect(await withTime(two.runs.resume("r"), clock)).toMatchObject({ status: "success", output: { a: "done" } });
    expect([tools.calls.length, (await approvals.list(clock.now())).length, clock.timers]).toEqual([1, 1, 0]);
  });

  describe("an approval that is looked up after it expired", () => {
    const requests: ChainSpec = {
      name: "c",
      steps: [{ id: "a", tool: "t", params: { x: 1 }, approval: { message: "go?", expires: 60 } }],
    };

    test.each([
      { decision: { approved: true, by: "ann" }, status: "success", reason: undefined, stored: "used" },
      { decision: { approved: false, by: "ann" }, status: "failed", reason: "rejected", stored: "rejected" },
      { decision: undefined, status: "failed", reason: "expired", stored: "expired" },
    ])("decided in time as $decision: $status $reason", async ({ decision, status, reason, stored }) => {
      const { clock, approvals, process, tools } = machine([requests], { t: mock({ effect: "once", answer: "done" }) });
      const one = process();
      await withTime(one.runs.start(one.plan("c"), { runId: "r" }), clock);
      const [open] = await approvals.list(clock.now(), "pending");
      const id = open?.id ?? "";
      if (decision !== undefined) await approvals.decide(id, decision, clock.now());
      clock.advance(120_000);
      const run = await withTime(process().runs.resume("r"), clock);
      expect([run.status, run.error?.reason]).toEqual([status, reason]);
      expect(tools.calls).toHaveLength(decision?.approved === true ? 1 : 0);
      // The approval is requested only once.
      expect(await approvals.list(clock.now())).toMatchObject([{ id, status: stored }]);
    });

    test("one that was removed from the store has ended, too", async () => {
      const { clock, approvals, process } = machine([requests], { t: 1 });
      const one = process();
      await withTime(one.runs.start(one.plan("c"), { runId: "r" }), clock);
      clock.advance(120_000);
      const [first] = await approvals.list(clock.now());
      const other = { tool: "t", args: {}, message: "?", callerType: "direct", expiresAt: clock.now() + 1000 };
      for (let i = 0; i < 1000; i++) await approvals.request({ ...other, key: `k${i}` });
      expect(await approvals.get(first?.id ?? "", clock.now())).toBeUndefined();
      const run = await withTime(process().runs.resume("r"), clock);
      expect(run).toMatchObject({ status: "failed", error: { reason: "expired" } });
    });
  });

  test.each(["once", "read"] as const)(
    "[F9] a step with the effect %s that could not start because its process was closing has not begun",
    async (effect) => {
      const { clock, process, tools } = machine(
        [
          {
            name: "c",
            steps: [
              { id: "a", tool: "slow" },
              { id: "b", tool: "t", depends_on: ["a"], params: { x: 1 } },
              { id: "each", tool: "slow", for_each: [1, 2], concurrency: 1, params: {} },
              { id: "sub", tool: "inner", depends_on: ["a"] },
            ],
          },
          { name: "inner", steps: [{ id: "x", tool: "t" }] },
        ],
        {
          slow: mock({ effect: "read", answer: () => new Promise((done) => clock.after(1000, () => done(1))) }),
          t: mock({ effect, answer: "done" }),
        },
      );
      const one = process();
      const events: string[] = [];
      const onEvent = (event: RunEvent): void =>
        void (event.type === "step-started" ? events.push(event.step) : undefined);
      const running = one.runs.start(one.plan("c"), { runId: "r", onEvent });
      await clock.pass(500);
      const closed = one.runs.close();
      const result = await withTime(running, clock);
      await closed;
      expect(events).toEqual(["a", "each"]);
      expect(result.status).toBe("running");
      const state = (steps: readonly StepState[]) => steps.map(({ status, attempts }) => `${status} ${attempts}`);
      const expected = ["success 1", "pending 0", "running 1", "pending 0"];
      expect(state(result.steps)).toEqual(expected);
      const two = process();
      const seen = await two.runs.inspect("r");
      expect(state(seen.steps).toSpliced(2, 1, "")).toEqual(expected.toSpliced(2, 1, ""));
      expect(seen.log().steps.map(({ id }) => id)).toEqual(["a", "each"]);
      expect(await withTime(two.runs.resume("r"), clock)).toMatchObject({ status: "success" });
      expect(tools.calls.filter(({ tool }) => tool === "t")).toHaveLength(2);
    },
  );

  test("[F14] a resumed run reports at once which steps run, also inside of sub-chains", async () => {
    const { clock, process } = machine(
      [
        {
          name: "c",
          steps: [
            { id: "a", tool: "fast" },
            { id: "b", tool: "slow", depends_on: ["a"], params: { x: 1 } },
            { id: "sub", tool: "inner", depends_on: ["a"] },
            { id: "asks", tool: "fast", depends_on: ["a"], approval: "go?" },
          ],
        },
        { name: "inner", steps: [{ id: "y", tool: "slow" }] },
      ],
      {
        fast: 1,
        slow: mock({ effect: "read", answer: () => new Promise((done) => clock.after(10_000, () => done(1))) }),
      },
    );
    const one = process();
    const first = one.runs.start(one.plan("c"), { runId: "r" });
    await clock.pass(100);
    await withTime(Promise.all([first, one.runs.close(0)]), clock);
    const lines: string[] = [];
    const two = process();
    const onEvent = (event: RunEvent): void =>
      void ("step" in event && !event.replayed ? lines.push(`${event.type} ${event.step}`) : undefined);
    const resumed = two.runs.resume("r", { onEvent });
    await clock.pass(100);
    expect(lines).toEqual(["step-started b", "step-started sub", "step-started sub/y", "step-suspended asks"]);
    await withTime(resumed, clock);
    expect(lines.filter((line) => line.startsWith("step-started"))).toHaveLength(3);
  });

  test("inspecting a suspended run lists its pending approvals", async () => {
    const { clock, approvals, process } = machine([{ name: "c", steps: [{ id: "a", tool: "t", approval: "go?" }] }], {
      t: 1,
    });
    const { runs, plan } = process();
    await withTime(runs.start(plan("c"), { runId: "r" }), clock);
    const [open] = await approvals.list(clock.now(), "pending");
    const [state] = (await process().runs.inspect("r")).steps;
    expect(state).toMatchObject({
      approvalId: open?.id,
      pendingApprovals: [{ approvalId: open?.id, tool: "t", args: {}, message: "go?", isCompensation: false }],
    });
  });

  test("cancelling a suspended run closes its pending approvals; suspending a run leaves them open", async () => {
    const { clock, approvals, process } = machine([{ name: "c", steps: [{ id: "a", tool: "t", approval: "go?" }] }], {
      t: 1,
    });
    const { runs, plan } = process();
    await withTime(runs.start(plan("c"), { runId: "r" }), clock);
    expect(await approvals.list(clock.now(), "pending")).toHaveLength(1);
    await runs.cancel("r", "ann");
    expect((await withTime(process().runs.resume("r"), clock)).status).toBe("cancelled");
    expect(await approvals.list(clock.now())).toMatchObject([{ status: "rejected", note: "the run is over" }]);
  });

  test("a process that stays gets the decision without a second request", async () => {
    const { clock, approvals, process } = machine(
      [{ name: "c", timeout: 60, steps: [{ id: "a", tool: "t", approval: "go?" }] }],
      { t: 1 },
    );
    const { runs, plan } = process();
    clock.after(3_600_000, () => {
      void approvals
        .list(clock.now(), "pending")
        .then(([open]) => approvals.decide(open?.id ?? "", { approved: true, by: "ann" }, clock.now()));
    });
    const run = await withTime(runs.start(plan("c"), { waitForDecisions: true }), clock);
    expect(run.status).toBe("success");
  });

  test("cancel reaches a run in another process, and a run that no process holds", async () => {
    const { clock, process } = machine(
      [
        { name: "slow", steps: [{ id: "a", tool: "t" }] },
        { name: "asks", steps: [{ id: "a", tool: "t", approval: "?" }] },
      ],
      { t: () => new Promise(() => {}) },
    );
    const [one, two] = [process(), process()];
    const running = one.runs.start(one.plan("slow"), { runId: "r" });
    clock.after(1000, () => void two.runs.cancel("r", "bob"));
    expect(await withTime(running, clock)).toMatchObject({
      status: "cancelled",
      error: { message: "the run was cancelled by bob" },
    });
    expect(await two.runs.cancel("r")).toBe(false);
    await withTime(one.runs.start(one.plan("asks"), { runId: "w" }), clock);
    expect(await two.runs.cancel("w")).toBe(true);
    expect((await withTime(two.runs.resume("w"), clock)).status).toBe("cancelled");
    await expect(two.runs.cancel("none")).rejects.toMatchObject({ code: "run_not_found" });
  });

  test("a run whose cancellation was requested while no process held it starts nothing", async () => {
    const { clock, process, tools } = machine(
      [
        {
          name: "c",
          steps: [
            { id: "asks", tool: "t", approval: "?" },
            { id: "slow", tool: "slow" },
            { id: "after", tool: "t", depends_on: ["slow"] },
          ],
        },
      ],
      { t: 1, slow: () => new Promise(() => {}) },
    );
    const one = process();
    const running = one.runs.start(one.plan("c"), { runId: "r" });
    clock.after(1000, () => void one.runs.close(0));
    expect((await withTime(running, clock)).status).toBe("running");
    const before = tools.calls.length;
    const two = process();
    await two.runs.cancel("r", "ann");
    expect((await withTime(two.runs.resume("r"), clock)).status).toBe("cancelled");
    expect(tools.calls.length).toBe(before);
  });

  test("closing lets running work finish, releases the rest, and ends in time", async () => {
    const { clock, process, tools } = machine(
      [
        {
          name: "c",
          steps: [
            { id: "a", tool: "t" },
            { id: "b", tool: "t", params: { x: "${steps.a.output}" } },
          ],
        },
      ],
      { t: () => new Promise((resolve) => clock.after(3000, () => resolve(1))) },
    );
    const one = process();
    const running = one.runs.start(one.plan("c"), { runId: "r" });
    clock.after(1000, () => void one.runs.close());
    expect((await withTime(running, clock)).status).toBe("running");
    expect(tools.calls).toHaveLength(1);
    const two = process();
    expect(await withTime(two.runs.resume("r"), clock)).toMatchObject({ status: "success", output: { a: 1, b: 1 } });
    expect(tools.calls).toHaveLength(2);
  });

  test("runs whose process has ended are claimed; one whose tool has changed is rejected", async () => {
    const { clock, journal, process } = machine([{ name: "c", steps: [{ id: "a", tool: "t" }] }], { t: 7 });
    const gone = process();
    // Started, and then abandoned.
    const { definition, fingerprints } = await (async () => {
      await withTime(gone.runs.start(gone.plan("c"), { runId: "model" }), clock);
      return (await gone.runs.read("model")).run;
    })();
    const made = {
      kind: "chain",
      name: "c",
      input: "{}",
      context: "{}",
      format: 2,
      startedAt: clock.now(),
      definition,
    } as const;
    await journal.create({ ...made, id: "left", fingerprints }, "gone");
    await journal.create({ ...made, id: "changed", fingerprints: '{"t":"other"}' }, "gone");
    clock.advance(20_000);
    const stop = new AbortController();
    clock.after(2000, () => stop.abort());
    const two = process();
    await withTime(two.runs.serve({ signal: stop.signal }), clock);
    expect(await two.runs.inspect("left")).toMatchObject({ status: "success", output: { a: 7 } });
    await expect(two.runs.resume("changed")).rejects.toMatchObject({ code: "run_changed" });
  });

  test("a run that cannot resume can still be cancelled: unchanged tools compensate, the rest is reported", async () => {
    const saga: ChainSpec = {
      name: "c",
      steps: [
        { id: "a", tool: "do", compensate: { tool: "undo_a", params: { of: "a" } } },
        { id: "b", tool: "do", depends_on: ["a"], compensate: { tool: "undo_b", params: { of: "b" } } },
        { id: "ask", tool: "do", depends_on: ["b"], approval: "go on?" },
      ],
    };
    const { clock, journal, process, tools } = machine([saga], { do: 1, undo_a: 1, undo_b: 1 });
    const one = process();
    await withTime(one.runs.start(one.plan("c"), { runId: "model" }), clock);
    const { run, events } = await one.runs.read("model");
    const fingerprints = { ...(JSON.parse(run.fingerprints) as object), undo_b: "another" };
    const owner = "gone";
    const left = async (id: string, input: object): Promise<void> => {
      const made = await journal.create({ ...run, fingerprints: JSON.stringify(fingerprints), ...input, id }, owner);
      if ("lease" in made) for (const event of events) await journal.append(made.lease, event);
    };
    await left("changed", {});
    await left("older", { format: 0 });
    await left("unreadable", { definition: "{}" });
    clock.advance(20_000);
    const two = process();
    const calls = tools.calls.length;
    await two.runs.cancel("changed", "ann");
    const ended = await withTime(two.runs.resume("changed"), clock);
    expect(ended).toMatchObject({ status: "cancelled", error: { message: "the run was cancelled by ann" } });
    expect(tools.calls.slice(calls).map(({ tool }) => tool)).toEqual(["undo_a"]);
    expect(ended.log().steps.map(({ id, compensation }) => [id, compensation?.status])).toEqual([
      ["a", "success"],
      ["b", "failed"],
      ["ask", undefined],
    ]);
    for (const id of ["older", "unreadable"]) {
      await two.runs.cancel(id);
      const reported = { code: "run_changed", message: expect.stringContaining("none of its steps could be undone") };
      await expect(two.runs.resume(id)).rejects.toMatchObject(reported);
      expect(await two.runs.cancel(id)).toBe(false);
      expect((await two.runs.read(id)).run).toMatchObject({ status: "cancelled" });
    }
    expect(await two.runs.list({ abandoned: true })).toEqual([]);
  });

  test("a process that closes no longer waits for a run in another process", async () => {
    const { clock, process } = machine([{ name: "c", steps: [{ id: "a", tool: "t" }] }], {
      t: () => new Promise((resolve) => clock.after(5000, () => resolve(1))),
    });
    const [one, two] = [process(), process()];
    const first = one.runs.start(one.plan("c"), { runId: "r" });
    const second = two.runs.start(two.plan("c"), { runId: "r" });
    clock.after(1000, () => void two.runs.close());
    const waited = second.then(
      () => "over",
      (error: { code: string }) => error.code,
    );
    expect(await withTime(Promise.all([first.then(({ status }) => status), waited]), clock)).toEqual([
      "success",
      "cancelled",
    ]);
  });
});

describe("rerun", () => {
  const spec = (extra = 0): ChainSpec => ({
    name: "c",
    steps: [
      { id: "a", tool: "count", params: { me: "a" } },
      { id: "b", tool: "count", params: { me: "b", extra, of: "${steps.a.output.me}" } },
      { id: "c", tool: "count", params: { me: "c", of: "${steps.b.output.me}" } },
      { id: "other", tool: "count", params: { me: "other" } },
    ],
  });
  const named = (calls: readonly { readonly args: Readonly<Record<string, unknown>> }[]): string[] =>
    calls.map(({ args }) => String(args["me"]));

  test("runs everything again, or only from a step on; steps that were edited in the meantime run too", async () => {
    const { clock, process, tools } = machine([spec()], { count: echo });
    const one = process();
    await withTime(one.runs.start(one.plan("c"), { runId: "r" }), clock);
    const runAgain = async (changed: ChainSpec, from?: string): Promise<string[]> => {
      const before = tools.calls.length;
      const { runs } = process([changed]);
      const run = await withTime(runs.rerun("r", from === undefined ? {} : { from }), clock);
      expect(run.status).toBe("success");
      expect(run.runId).not.toBe("r");
      return named(tools.calls.slice(before)).toSorted();
    };
    expect(await runAgain(spec())).toEqual(["a", "b", "c", "other"]);
    expect(await runAgain(spec(), "c")).toEqual(["c"]);
    expect(await runAgain(spec(), "b")).toEqual(["b", "c"]);
    expect(await runAgain(spec(1), "c")).toEqual(["b", "c"]);
    await expect(process().runs.rerun("r", { from: "othr" })).rejects.toThrow('did you mean "other"?');
  });

  test("previews what it will do, and why", async () => {
    const { clock, process } = machine([spec()], { count: mock({ effect: "once", answer: echo }) });
    const one = process();
    await withTime(one.runs.start(one.plan("c"), { runId: "r" }), clock);
    const renamed: ChainSpec = {
      ...spec(),
      steps: spec().steps.map((step) => (step.id === "other" ? { ...step, id: "renamed" } : step)),
    };
    const preview = await process([renamed]).runs.previewRerun("r", "c");
    expect(preview).toEqual({
      chain: "c",
      reused: ["a", "b"],
      rerun: [
        { step: "c", tool: "count", effect: "once", below: true, why: "requested", before: "success", called: true },
        { step: "renamed", tool: "count", effect: "once", below: false, why: "new", before: undefined, called: false },
      ],
    });
    const changed = await process([spec(1)]).runs.previewRerun("r", "other");
    expect(changed.rerun.map(({ step, why, needs }) => [step, why, needs])).toEqual([
      ["b", "changed", undefined],
      ["c", "needs", "b"],
      ["other", "requested", undefined],
    ]);
  });

  test("a failed step runs again, for any start step", async () => {
    let broken = true;
    const { clock, process, tools } = machine([spec()], {
      count: mock({
        effect: "read",
        answer: (args) => (args["me"] === "other" && broken ? fail("down", { retry: "never" }) : args),
      }),
    });
    const { runs, plan } = process();
    expect((await withTime(runs.start(plan("c"), { runId: "r" }), clock)).status).toBe("failed");
    broken = false;
    const before = tools.calls.length;
    expect((await withTime(runs.rerun("r", { from: "c" }), clock)).status).toBe("success");
    expect(named(tools.calls.slice(before))).toContain("other");
  });
});
