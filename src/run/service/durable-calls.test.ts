import { describe, expect, test } from "vitest";
import { sampleTool } from "../../../test/support/sample-tool.ts";
import { createEngine } from "../../engine/index.ts";
import { createInMemoryApprovals, createInMemoryRunJournal } from "../../store/index.ts";
import type { AnyTool } from "../../tool/index.ts";
import { DurableCalls } from "./durable-calls.ts";
import { RunService } from "./run-service.ts";

/** Processes that share a journal. */
function machine(secrets: Readonly<Record<string, string>> = {}) {
  const approvals = createInMemoryApprovals();
  const journal = createInMemoryRunJournal({ approvals });
  const process = (...tools: readonly AnyTool[]) => {
    const engine = createEngine({ tools, secrets, permissions: { ask: ["direct:once_*"], allow: ["*"] } });
    const service = new RunService({ journal, approvals, secrets: engine });
    return { calls: new DurableCalls({ engine, service }), service };
  };
  const pending = async (): Promise<string> => (await approvals.list(Date.now(), "pending"))[0]?.id ?? "";
  return { process, journal, pending, approvals };
}

const add = (log: unknown[] = []): AnyTool =>
  sampleTool((args) => (log.push(args), { sum: log.length }), { name: "add", effect: "idempotent" });

describe("[N12] a durable call", () => {
  test("is made once, and its result can be read again", async () => {
    const log: unknown[] = [];
    const { process, journal } = machine();
    const { calls } = process(add(log));
    const made = await calls.start("add", { a: 1 }, { runId: "c1" });
    expect(made).toMatchObject({ runId: "c1", status: "success", tool: "add", result: { output: { sum: 1 } } });
    expect(await calls.start("add", { a: 1 }, { runId: "c1" })).toMatchObject({ result: { output: { sum: 1 } } });
    expect(await process(add(log)).calls.inspect("c1")).toMatchObject({
      status: "success",
      result: { output: { sum: 1 } },
    });
    expect(log).toEqual([{ a: 1 }]);
    expect(await journal.list()).toMatchObject([{ id: "c1", kind: "call", name: "add", status: "success" }]);
  });

  test("with another tool or other arguments under the same id is refused", async () => {
    const { calls } = machine().process(add());
    await calls.start("add", { a: 1 }, { runId: "c1" });
    await expect(calls.start("add", { a: 2 }, { runId: "c1" })).rejects.toMatchObject({ code: "run_exists" });
    await expect(calls.start("other", { a: 1 }, { runId: "c1" })).rejects.toMatchObject({ code: "run_exists" });
  });

  test("that fails is a failed run, with the failure of the tool", async () => {
    const { calls } = machine().process();
    const failed = await calls.start("missing", {}, { runId: "c1" });
    expect(failed).toMatchObject({ status: "failed", result: { success: false, error: { code: "tool_not_found" } } });
    expect(await calls.inspect("c1")).toEqual(failed);
  });

  test("that another run called is not served: its caller executes it", async () => {
    const log: unknown[] = [];
    const { process, journal } = machine();
    const { calls, service } = process(add(log));
    await calls.submit("add", { of: "none" }, { runId: "own" });
    const { run } = (await journal.read("own")) ?? {};
    if (run === undefined) throw new Error("the run was not stored");
    await journal.submit({ ...run, id: "called", calledBy: "outer" });
    const stop = new AbortController();
    const serving = service.serve(stop.signal);
    await expect.poll(async () => (await calls.inspect("own")).status).toBe("success");
    stop.abort();
    await serving;
    expect((await journal.read("called"))?.run.status).toBe("waiting");
    expect(log).toHaveLength(1);
  });

  test("is served until the service is closed", async () => {
    const { service } = machine().process(add());
    const serving = service.serve(new AbortController().signal);
    await service.close();
    await expect(serving).resolves.toBeUndefined();
  });

  test("that a process without its tool gives back is made by one that has it", async () => {
    const log: unknown[] = [];
    const tool = (): AnyTool => sampleTool((args) => log.push(args), { name: "once_send", effect: "once" });
    const { process, pending } = machine();
    await process(add()).calls.submit("add", {}, { runId: "submitted" });
    await process(tool()).calls.start("once_send", {}, { runId: "waiting" });
    const without = process();
    await expect(without.calls.resume("submitted")).rejects.toMatchObject({ code: "run_changed" });
    await expect(without.calls.resume("waiting")).rejects.toMatchObject({ code: "run_changed" });
    const { calls, service } = process(tool(), add());
    const stop = new AbortController();
    const serving = service.serve(stop.signal);
    await calls.decide(await pending(), { approved: true });
    for (const id of ["submitted", "waiting"])
      await expect.poll(async () => (await calls.inspect(id)).status, { timeout: 10_000 }).toBe("success");
    stop.abort();
    await serving;
    expect(log).toEqual([{}]);
  });

  describe("that a process without its tool submits", () => {
    const send = (title = "v1"): AnyTool =>
      sampleTool(() => title, { name: "once_send", effect: "once", input: { type: "object", title } });

    test("waits for a process that has it", async () => {
      const { process } = machine();
      const client = process();
      await client.calls.submit("once_send", { to: "ada" }, { runId: "c1" });
      await expect(process(add()).calls.resume("c1")).rejects.toMatchObject({
        code: "run_changed",
        reason: "tool_missing",
        message: expect.stringContaining('there is no tool "once_send" here'),
      });
      const without = process(add());
      const stop = new AbortController();
      const serving = without.service.serve(stop.signal);
      await without.calls.submit("add", {}, { runId: "c2" });
      await without.calls.result("c2");
      stop.abort();
      await serving;
      expect(await client.calls.inspect("c1")).toMatchObject({ status: "waiting" });
      expect(
        await process(send()).calls.resume("c1", { requestApproval: async () => ({ approved: true }) }),
      ).toMatchObject({
        status: "success",
        result: { output: "v1" },
      });
      expect(await client.calls.inspect("c1")).toMatchObject({ status: "success", result: { output: "v1" } });
    });

    test("is made only with the tool that the first of them has", async () => {
      const { process, pending } = machine();
      const client = process();
      await client.calls.submit("once_send", {}, { runId: "c1" });
      expect(await process(send("v1")).calls.resume("c1")).toMatchObject({ status: "waiting" });
      await client.calls.decide(await pending(), { approved: true });
      const changed = { code: "run_changed", reason: "tool_changed" };
      await expect(process(send("v2")).calls.resume("c1")).rejects.toMatchObject(changed);
      await expect(process().calls.resume("c1")).rejects.toMatchObject({ reason: "tool_missing" });
      expect(await process(send("v1")).calls.resume("c1")).toMatchObject({
        status: "success",
        result: { output: "v1" },
      });
    });

    test("is joined by a process that has it", async () => {
      const { process } = machine();
      await process().calls.submit("add", { a: 1 }, { runId: "c1" });
      expect(await process(add()).calls.start("add", { a: 1 }, { runId: "c1" })).toMatchObject({ status: "success" });
    });

    test("is cancelled by any process", async () => {
      const { process } = machine();
      const client = process();
      await client.calls.submit("once_send", {}, { runId: "c1" });
      expect(await client.calls.cancel("c1")).toBe(true);
      expect(await client.calls.inspect("c1")).toMatchObject({ status: "cancelled" });
    });
  });

  test("waits for an approval without a process, and is made by the process that serves", async () => {
    const log: unknown[] = [];
    const tool = (): AnyTool => sampleTool((args) => log.push(args), { name: "once_send", effect: "once" });
    const { process, pending } = machine();
    expect(await process(tool()).calls.start("once_send", { to: "ada" }, { runId: "c1" })).toEqual({
      runId: "c1",
      status: "waiting",
      tool: "once_send",
    });
    const worker = process(tool());
    const stop = new AbortController();
    const serving = worker.service.serve(stop.signal);
    await worker.calls.decide(await pending(), { approved: true });
    const client = process(tool());
    expect(await client.calls.result("c1")).toMatchObject({ status: "success", result: { output: 1 } });
    expect(log).toEqual([{ to: "ada" }]);
    stop.abort();
    await serving;
  });

  test("is offered to workers at once when its approval is decided, by any of the ways to decide", async () => {
    const { journal, pending, approvals } = machine();
    let notified = 0;
    const engine = createEngine({
      tools: [sampleTool(() => 1, { name: "once_send", effect: "once" })],
      permissions: { ask: ["*"] },
    });
    const dispatcher = { serve: () => Promise.resolve(), notify: () => void notified++ };
    const service = new RunService({ journal, approvals, secrets: engine, dispatcher });
    const calls = new DurableCalls({ engine, service });
    await calls.start("once_send", {}, { runId: "c1" });
    await calls.decide(await pending(), { approved: true });
    expect(notified).toBe(1);
    await calls.start("once_send", { to: "ada" }, { runId: "c2" });
    const id = await pending();
    await service.approvalService.decide(id, { approved: false });
    await service.approvalService.decide(id, { approved: true });
    expect(notified).toBe(2);
  });

  test("that a worker claims just before it is read is not reported as waiting", async () => {
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    const tool = (): AnyTool => sampleTool(() => ended.then(() => 1), { name: "once_send", effect: "once" });
    const { process, journal, pending } = machine();
    const worker = process(tool()).calls;
    await worker.start("once_send", {}, { runId: "c1" });
    const client = process(tool()).calls;
    const updates = journal.updates.bind(journal);
    let resumed: Promise<unknown> | undefined;
    journal.updates = async (cursors) => {
      const found = await updates(cursors);
      if (resumed !== undefined) return found;
      await worker.decide(await pending(), { approved: true });
      resumed = worker.resume("c1");
      await expect.poll(async () => (await journal.read("c1"))?.run.status).toBe("running");
      setImmediate(end);
      return found;
    };
    expect(await client.result("c1")).toMatchObject({ status: "success" });
    await resumed;
  });

  test("that is rejected is not made", async () => {
    const log: unknown[] = [];
    const tool = sampleTool((args) => log.push(args), { name: "once_send", effect: "once" });
    const { process, pending } = machine();
    const { calls } = process(tool);
    await calls.start("once_send", {}, { runId: "c1" });
    await calls.decide(await pending(), { approved: false, note: "not today" });
    expect(await calls.resume("c1")).toMatchObject({
      status: "failed",
      result: { error: { code: "permission_denied", message: expect.stringContaining("not today") } },
    });
    expect(log).toEqual([]);
  });

  test("of a once tool that was running when its process ended needs a decision", async () => {
    const log: string[] = [];
    let isRunning = (): void => {};
    const running = new Promise<void>((resolve) => (isRunning = resolve));
    const hangs = sampleTool(
      () => {
        log.push("first");
        isRunning();
        return new Promise(() => {});
      },
      { name: "pay", effect: "once" },
    );
    const works = sampleTool(() => log.push("again"), { name: "pay", effect: "once" });
    const { process, pending } = machine();
    const first = process(hangs);
    const started = first.calls.start("pay", {}, { runId: "c1" });
    await running;
    await first.calls.close(10);
    expect(await started).toMatchObject({ status: "running" });
    const second = process(works);
    expect(await second.calls.resume("c1")).toMatchObject({ status: "waiting" });
    expect(log).toEqual(["first"]);
    await second.calls.decide(await pending(), { approved: true, done: { output: { paid: true } } });
    expect(await second.calls.resume("c1")).toMatchObject({ status: "success", result: { output: { paid: true } } });
    expect(log).toEqual(["first"]);
  });

  test("is cancelled while it waits", async () => {
    const { process, pending } = machine();
    const tool = sampleTool(() => 1, { name: "once_send", effect: "once" });
    const { calls } = process(tool);
    await calls.start("once_send", {}, { runId: "c1" });
    expect(await calls.cancel("c1", "ann")).toBe(true);
    expect(await calls.inspect("c1")).toMatchObject({ status: "cancelled" });
    expect(await pending()).toBe("");
    expect(await calls.cancel("c1")).toBe(false);
    await expect(calls.cancel("none")).rejects.toMatchObject({ code: "run_not_found" });
  });

  test("is not resumed with a tool that has changed", async () => {
    const { process } = machine();
    const tool = (description: string): AnyTool =>
      sampleTool(() => 1, { name: "once_send", effect: "once", input: { type: "object", title: description } });
    await process(tool("a")).calls.start("once_send", {}, { runId: "c1" });
    await expect(process(tool("b")).calls.resume("c1")).rejects.toMatchObject({ code: "run_changed" });
  });

  test("with a known secret in its arguments is refused, because the journal stores none", async () => {
    const { process, journal } = machine({ KEY: "hunter2secret" });
    const { calls } = process(add());
    await expect(calls.start("add", { key: "hunter2secret" })).rejects.toMatchObject({ reason: "secret_argument" });
    expect(await journal.list()).toEqual([]);
  });
});
