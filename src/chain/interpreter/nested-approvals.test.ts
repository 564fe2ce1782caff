import { describe, expect, test } from "vitest";
import { withTime } from "../../../test/support/chain-runner.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { sampleTool } from "../../../test/support/sample-tool.ts";
import { fail } from "../../base/index.ts";
import { createEngine, storedApprover } from "../../engine/index.ts";
import { createInMemoryApprovals, createInMemoryRunJournal } from "../../store/index.ts";
import type { CompositeContext, Effect } from "../../tool/index.ts";
import { ChainRuns } from "../chain-runs.ts";
import { ChainLibrary } from "../chain-library.ts";
import type { ChainSpec } from "../plan/chain-spec.ts";

/** A machine with a tool `outer` that makes the calls it receives; rules require approval for `danger`. */
function machine(spec: ChainSpec, effect: Effect) {
  const clock = new FakeClock();
  const approvals = createInMemoryApprovals({ clock });
  const journal = createInMemoryRunJournal({ clock, approvals });
  const done: unknown[] = [];
  let made = 0;
  const danger = sampleTool(({ x }) => void done.push(x), { name: "danger", effect: "idempotent" });
  const outer = sampleTool(
    async ({ calls }, context) => {
      made++;
      for (const x of calls as unknown[]) {
        const result = await (context as CompositeContext).callTool("danger", { x });
        if (!result.success) throw fail(`danger said ${result.error.code}: ${result.error.message}`);
      }
      return "all done";
    },
    { name: "outer", composite: true, effect },
  );
  const process = () => {
    const engine = createEngine({
      tools: [danger, outer],
      clock,
      approver: storedApprover(approvals, clock),
      permissions: { ask: ["danger"], allow: ["*"] },
    });
    const chains = new ChainLibrary({ tools: engine.tools });
    chains.add({ name: spec.name, spec });
    const runs = new ChainRuns({ engine, journal, approvals, chains, clock });
    return { runs, plan: chains.plan(spec.name) };
  };
  const decide = async (approved: boolean): Promise<void> => {
    const [open] = await approvals.list(clock.now(), "pending");
    await approvals.decide(open?.id ?? "", { approved, by: "ann" }, clock.now());
  };
  return { clock, approvals, done, decide, process, madeTimes: () => made };
}

const calling = (...calls: readonly number[]): ChainSpec => ({
  name: "c",
  steps: [{ id: "s", tool: "outer", params: { calls } }],
});

describe("a tool that makes nested calls inside of a step, for which a rule requires approval", () => {
  test("suspends the run, with an approval of this run and step; once approved, the step runs again", async () => {
    const { clock, approvals, process, done, decide, madeTimes } = machine(calling(1, 2), "idempotent");
    const { runs, plan } = process();
    const waiting = await withTime(runs.start(plan, { runId: "r" }), clock);
    const [open, ...more] = await approvals.list(clock.now(), "pending");
    expect([waiting.status, more.length, done]).toEqual(["waiting", 0, []]);
    expect(open).toMatchObject({
      tool: "danger",
      args: { x: 1 },
      runId: "r",
      step: "s",
      message: "Allow danger to run with these arguments? (outer wants to call it)",
    });
    expect(waiting.steps[0]?.pendingApprovals).toMatchObject([
      { approvalId: open?.id, tool: "danger", args: { x: 1 } },
    ]);
    await decide(true);
    // The first approval stays valid, while the next call needs one.
    expect((await withTime(process().runs.resume("r"), clock)).status).toBe("waiting");
    await decide(true);
    const over = await withTime(process().runs.resume("r"), clock);
    expect([over.status, over.output]).toEqual(["success", { s: "all done" }]);
    expect([done, madeTimes()]).toEqual([[1, 1, 2], 3]);
    expect((await approvals.list(clock.now())).map(({ status, runId }) => [status, runId])).toEqual([
      ["used", "r"],
      ["used", "r"],
    ]);
  });

  test("a rejection fails the step", async () => {
    const { clock, process, done, decide } = machine(calling(1), "idempotent");
    const { runs, plan } = process();
    await withTime(runs.start(plan, { runId: "r" }), clock);
    await decide(false);
    const over = await withTime(process().runs.resume("r"), clock);
    expect([over.status, over.error?.reason, done]).toEqual(["failed", "rejected", []]);
  });

  test("one that must not run twice is not stopped half-way: it fails, with a hint", async () => {
    const { clock, approvals, process, done, madeTimes } = machine(calling(1), "once");
    const { runs, plan } = process();
    const over = await withTime(runs.start(plan, { runId: "r" }), clock);
    expect(over.error?.message).toContain("outer must not run twice (effect: once)");
    expect(over.error?.message).toContain("Make danger a step of the chain");
    expect([over.status, done, madeTimes(), await approvals.list(clock.now())]).toEqual(["failed", [], 1, []]);
  });

  test("an approval of the step itself does not cover the calls of its tool", async () => {
    const spec = calling(1);
    const requests = { ...spec, steps: spec.steps.map((step) => ({ ...step, approval: "Go?" })) };
    const { clock, approvals, process, done, decide } = machine(requests, "idempotent");
    const { runs, plan } = process();
    await withTime(runs.start(plan, { runId: "r" }), clock);
    await decide(true);
    expect((await withTime(process().runs.resume("r"), clock)).status).toBe("waiting");
    expect(await approvals.list(clock.now(), "pending")).toMatchObject([{ tool: "danger" }]);
    expect(done).toEqual([]);
  });

  test("a run that is cancelled in the meantime leaves no approval open", async () => {
    const { clock, approvals, process } = machine(calling(1), "idempotent");
    const { runs, plan } = process();
    await withTime(runs.start(plan, { runId: "r" }), clock);
    await runs.cancel("r");
    expect((await withTime(process().runs.resume("r"), clock)).status).toBe("cancelled");
    expect(await approvals.list(clock.now(), "pending")).toEqual([]);
  });

  test("a compensation fails in the same way", async () => {
    const bad = { id: "bad", tool: "outer", params: { calls: "${steps.s.output.nothing[0].x}" }, depends_on: ["s"] };
    const spec: ChainSpec = {
      name: "c",
      steps: [
        { ...calling().steps[0], id: "s", tool: "outer", compensate: { tool: "outer", params: { calls: [7] } } },
        bad,
      ],
    };
    const { clock, approvals, process, done, decide } = machine(spec, "idempotent");
    const { runs, plan } = process();
    expect((await withTime(runs.start(plan, { runId: "r" }), clock)).status).toBe("waiting");
    const [open] = await approvals.list(clock.now(), "pending");
    expect(open).toMatchObject({ tool: "danger", step: "s", message: expect.stringMatching(/^Undo of step s: /) });
    await decide(true);
    const over = await withTime(process().runs.resume("r"), clock);
    expect([over.status, over.steps[0]?.compensation, done]).toEqual(["failed", { status: "success" }, [7]]);
  });
});
