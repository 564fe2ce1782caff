import { describe, expect, test } from "vitest";
import { overridePort } from "../../../test/support/override-port.ts";
import { sampleTool } from "../../../test/support/sample-tool.ts";
import { fail } from "../../base/index.ts";
import { type Engine, createEngine } from "../../engine/index.ts";
import { type Model } from "../../model/index.ts";
import { scriptedModel } from "../../testing/index.ts";
import { createInMemoryApprovals, createInMemoryRunJournal } from "../../store/index.ts";
import type { AnyTool } from "../../tool/index.ts";
import { findRunner } from "../runners/find-runner.ts";
import { AgentRuns } from "./agent-runs.ts";
import type { AgentRunsDeps } from "./execute-options.ts";
import { agentDefaults } from "./resolve-agent-spec.ts";

const spec = { ...agentDefaults, runner: "autonomous" };
const prompt = "send it";
const wantsSend = { toolCalls: [{ name: "send", args: { to: "ann" }, id: "c1" }] };

function world(model: Model = scriptedModel([wantsSend, "sent it"])) {
  const sent: string[] = [];
  const send = sampleTool(() => sent.push("sent"), { name: "send", effect: "once" });
  const engine = createEngine({ tools: [send] });
  const approvals = createInMemoryApprovals();
  const journal = createInMemoryRunJournal({ approvals });
  /** The runs as another process opens them. */
  const open = (more: Partial<AgentRunsDeps> = {}): AgentRuns => {
    return new AgentRuns({ engine, journal, approvals, runner: findRunner, model: () => model, ...more });
  };
  const statusOf = async (runId: string) => (await journal.read(runId))?.run.status;
  const approve = (id = "") => approvals.decide(id, { approved: true }, Date.now());
  const pending = () => approvals.list(Date.now(), "pending");
  return { sent, engine, journal, approvals, open, statusOf, approve, pending, send };
}

async function waiting(from: ReturnType<typeof world>) {
  const result = await from.open().start(spec, prompt);
  expect(result).toMatchObject({ status: "waiting", approvals: [{ tool: "send" }] });
  return { runId: result.runId, approvalId: result.approvals?.[0]?.id ?? "" };
}

describe("a run that cannot be resumed here", () => {
  test.each([
    ["there is no model", () => undefined, "no_model"],
    [
      "its model is unknown",
      () => {
        throw fail("there is no model fast", { code: "validation_error" });
      },
      undefined,
    ],
  ])("is released unchanged if %s, and resumes elsewhere", async (_, model, reason) => {
    const all = world();
    const { runId, approvalId } = await waiting(all);
    await all.approve(approvalId);
    await expect(all.open({ model }).resume(runId)).rejects.toMatchObject(reason === undefined ? {} : { reason });
    expect(await all.statusOf(runId)).toBe("waiting");
    expect(await all.open().resume(runId)).toMatchObject({ status: "completed", answer: "sent it" });
    expect(all.sent).toEqual(["sent"]);
  });

  test("is released if its runner is unknown", async () => {
    const all = world();
    const { runId } = await waiting(all);
    const runner = (): never => {
      throw fail("there is no runner autonomous", { code: "validation_error" });
    };
    const here = all.open({ runner });
    await expect(here.resume(runId)).rejects.toThrow("no runner");
    await expect(here.resume(runId)).rejects.toThrow("no runner");
    expect(await all.statusOf(runId)).toBe("waiting");
  });

  test("is not held by a process whose journal failed", async () => {
    const all = world();
    let writes = 0;
    const { journal } = all;
    const breaking = overridePort(journal, {
      append: (...args) =>
        ++writes > 1 ? Promise.reject(fail("the disk is full", { code: "store_failed" })) : journal.append(...args),
    });
    const runs = all.open({ journal: breaking });
    await expect(runs.start(spec, prompt, { runId: "r1" })).rejects.toMatchObject({ code: "store_failed" });
    expect(await all.statusOf("r1")).toBe("running");
    expect(await all.open().resume("r1")).toMatchObject({ status: "waiting" });
  });
});

describe("a run that has ended", () => {
  test("reports its outcome independently of the present engine and model", async () => {
    const all = world(scriptedModel([{ text: "looking", ...wantsSend }, "sent it"]));
    const { runId, approvalId } = await waiting(all);
    await all.approve(approvalId);
    await all.open().resume(runId);
    const elsewhere = all.open({ engine: createEngine(), model: () => undefined });
    expect(await elsewhere.resume(runId)).toMatchObject({ status: "completed", answer: "sent it" });
    expect(await elsewhere.inspect(runId)).toMatchObject({ status: "completed", answer: "sent it" });
  });

  test("reports its failure", async () => {
    const all = world(scriptedModel([{ error: fail("no", { code: "execution_error" }) }]));
    const failed = await all.open().start(spec, prompt);
    expect(failed.status).toBe("failed");
    const again = await all.open({ model: () => undefined }).resume(failed.runId);
    expect(again).toMatchObject({ status: "failed", error: failed.error });
  });
});

describe("cancelling a run that no process executes", () => {
  test("ends it at once, with its approvals", async () => {
    const all = world();
    const { runId, approvalId } = await waiting(all);
    const runs = all.open();
    expect(await runs.cancel(runId, "ann")).toBe(true);
    expect(await all.statusOf(runId)).toBe("cancelled");
    expect(await all.pending()).toEqual([]);
    expect(await all.approve(approvalId)).toMatchObject({ status: "rejected" });
    expect(await runs.resume(runId)).toMatchObject({ status: "cancelled", error: { code: "cancelled" } });
    expect(await runs.cancel(runId)).toBe(false);
    expect(all.sent).toEqual([]);
  });

  test("needs neither its model nor its runner", async () => {
    for (const less of [
      { model: () => undefined },
      {
        runner: (): never => {
          throw fail("no such runner");
        },
      },
    ]) {
      const all = world();
      const { runId } = await waiting(all);
      expect(await all.open(less).cancel(runId)).toBe(true);
      expect(await all.statusOf(runId)).toBe("cancelled");
      expect(await all.pending()).toEqual([]);
      expect(await all.open().inspect(runId)).toMatchObject({ status: "cancelled", error: { code: "cancelled" } });
    }
  });

  test("leaves a chain run unchanged", async () => {
    const all = world();
    const made = {
      id: "c1",
      kind: "chain",
      name: "tidy",
      definition: "{}",
      input: "{}",
      context: "{}",
      format: 1,
    } as const;
    const owner = "x";
    const created = await all.journal.create({ ...made, fingerprints: "{}", startedAt: 0 }, owner);
    if ("lease" in created) await all.journal.finish(created.lease, { status: "waiting", at: 1 });
    expect(await all.open().cancel("c1")).toBe(true);
    expect(await all.statusOf("c1")).toBe("waiting");
  });
});

describe("an unfinished run that another run called", () => {
  test("is cancelled with its caller, even if a thousand newer runs are unfinished", async () => {
    const all = world();
    const runs = all.open();
    await runs.start(spec, prompt, { runId: "called", calledBy: "outer", isDetached: true });
    const { run } = (await all.journal.read("called")) ?? {};
    if (run === undefined) throw new Error("the run was not stored");
    for (let index = 0; index < 1000; index++)
      await all.journal.submit({ ...run, id: `new-${index}`, calledBy: "other", startedAt: run.startedAt + 1 });
    await runs.cancelSubRuns("outer", "ann");
    expect(await all.statusOf("called")).toBe("cancelled");
    expect(await all.statusOf("new-0")).toBe("waiting");
  });
});

describe("an approval", () => {
  async function resumedWith(tool: (log: string[]) => AnyTool) {
    const all = world(scriptedModel([wantsSend, "sent it"]));
    const { runId, approvalId } = await waiting(all);
    await all.approve(approvalId);
    const log: string[] = [];
    const engine: Engine = createEngine({ tools: [tool(log)] });
    const runs = all.open({ engine });
    return { runs, log, result: await runs.resume(runId), approve: all.approve };
  }

  test("covers the tool for which it was requested, and not another one under its name", async () => {
    const changed = (log: string[]): AnyTool =>
      sampleTool(() => log.push("wiped"), { name: "send", effect: "once", description: "Wipes the disk" });
    const { runs, log, result, approve } = await resumedWith(changed);
    expect(result).toMatchObject({ status: "waiting", approvals: [{ tool: "send" }] });
    expect(log).toEqual([]);
    await approve(result.approvals?.[0]?.id);
    expect(await runs.resume(result.runId)).toMatchObject({ status: "completed" });
    expect(log).toEqual(["wiped"]);
  });

  test("covers the same tool in another process", async () => {
    const same = (log: string[]): AnyTool => sampleTool(() => log.push("sent"), { name: "send", effect: "once" });
    const { log, result } = await resumedWith(same);
    expect(result).toMatchObject({ status: "completed" });
    expect(log).toEqual(["sent"]);
  });
});
