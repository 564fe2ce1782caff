import { afterEach, describe, expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { sampleTool } from "../../../test/support/sample-tool.ts";
import { fail } from "../../base/index.ts";
import { createEngine } from "../../engine/index.ts";
import { createInMemoryApprovals, createInMemoryRunJournal } from "../../store/index.ts";
import { DurableCalls } from "./durable-calls.ts";
import { RunService } from "./run-service.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A process that serves durable calls, with the errors that it reports. */
function serving() {
  const clock = new FakeClock();
  const approvals = createInMemoryApprovals({ clock });
  const journal = createInMemoryRunJournal({ approvals, clock });
  const engine = createEngine({ tools: [] });
  const service = new RunService({ journal, approvals, secrets: engine, clock });
  const calls = new DurableCalls({ engine, service });
  const made: string[] = [];
  const tool = sampleTool(() => made.push("add"), { name: "add", effect: "idempotent" });
  const add = (): void => engine.tools.register(tool);
  const errors: string[] = [];
  const serve = (): void => {
    const stop = new AbortController();
    const onError = (error: unknown, runId?: string): void =>
      void errors.push(`${runId ?? "list"}: ${error instanceof Error ? error.message : String(error)}`);
    const served = service.serve(stop.signal, { onError });
    stops.push(() => {
      stop.abort();
      return served;
    });
  };
  return { clock, journal, approvals, service, engine, calls, made, add, errors, serve };
}

describe("[N12] a process that serves runs", () => {
  test("reports a run that it refuses once, and executes it when the reason is gone", async () => {
    const { clock, calls, engine, made, add, errors, serve } = serving();
    add();
    await calls.submit("add", {}, { runId: "c1" });
    engine.tools.remove("add");
    serve();
    await clock.pass(60_000);
    expect(errors).toEqual([expect.stringMatching(/^c1: there is no tool "add" here/)]);
    expect(made).toEqual([]);
    add();
    await clock.pass(60_000);
    expect(made).toEqual(["add"]);
    expect(await calls.inspect("c1")).toMatchObject({ status: "success" });
  });

  test("retries a refused run less and less often", async () => {
    const { clock, journal, calls, engine, add, serve } = serving();
    add();
    await calls.submit("add", {}, { runId: "c1" });
    engine.tools.remove("add");
    let claims = 0;
    const claim = journal.claim.bind(journal);
    journal.claim = (...args) => (claims++, claim(...args));
    serve();
    await clock.pass(3_600_000);
    expect(claims).toBeGreaterThan(10);
    expect(claims).toBeLessThan(80);
  });

  test("reports that it cannot list runs, once for each failure, and continues when it can", async () => {
    const { clock, journal, calls, made, add, errors, serve } = serving();
    add();
    await calls.submit("add", {}, { runId: "c1" });
    const executable = journal.executable.bind(journal);
    journal.executable = () => Promise.reject(fail("the disk is gone", { code: "store_failed" }));
    serve();
    await clock.pass(10_000);
    expect(errors).toEqual(["list: the disk is gone"]);
    expect(made).toEqual([]);
    journal.executable = executable;
    await clock.pass(1000);
    expect(made).toEqual(["add"]);
    journal.executable = () => Promise.reject(fail("the disk is gone", { code: "store_failed" }));
    await clock.pass(1000);
    expect(errors).toEqual(["list: the disk is gone", "list: the disk is gone"]);
  });

  test("reports a run whose claim fails, and retries it", async () => {
    const { clock, journal, calls, made, add, errors, serve } = serving();
    add();
    await calls.submit("add", {}, { runId: "c1" });
    const claim = journal.claim.bind(journal);
    journal.claim = () => Promise.reject(fail("the disk is full", { code: "store_full" }));
    serve();
    await clock.pass(5000);
    expect(errors).toEqual(["c1: the disk is full"]);
    journal.claim = claim;
    await clock.pass(10_000);
    expect(made).toEqual(["add"]);
  });

  test("does not report a run that another process claimed first, or that it stopped serving", async () => {
    const { clock, journal, calls, service, add, errors, serve } = serving();
    add();
    await calls.submit("add", {}, { runId: "c1" });
    const executable = journal.executable.bind(journal);
    journal.executable = async (query) => {
      const found = await executable(query);
      if (found.length > 0) await journal.claim("c1", "another");
      return found;
    };
    serve();
    await clock.pass(5000);
    expect(errors).toEqual([]);
    await calls.submit("add", {}, { runId: "c2" });
    journal.executable = async (query) => {
      const found = await executable(query);
      await service.close();
      return found;
    };
    await clock.pass(5000);
    expect(errors).toEqual([]);
  });

  test("warns if nothing receives its errors, and survives a listener that throws", async () => {
    const { clock, journal, service } = serving();
    journal.executable = () => Promise.reject(fail("the disk is gone", { code: "store_failed" }));
    const warnings: string[] = [];
    const listen = (warning: Error): void => void warnings.push(warning.message);
    process.on("warning", listen);
    const stop = new AbortController();
    const served = service.serve(stop.signal);
    const throwing = service.serve(stop.signal, {
      onError: () => {
        throw new Error("broken listener");
      },
    });
    await clock.pass(1000);
    stop.abort();
    await Promise.all([served, throwing]);
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", listen);
    expect(warnings).toEqual(
      expect.arrayContaining([expect.stringContaining("the disk is gone"), expect.stringContaining("broken listener")]),
    );
  });
});

describe("[N12] runs whose processes die", () => {
  /** Processes that serve durable calls one after the other. The tool `crash` kills its process while it is armed. */
  function mortal() {
    const approvals = createInMemoryApprovals();
    const gone = new Set<string>();
    const journal = createInMemoryRunJournal({ approvals, liveness: { isGone: async (owner) => gone.has(owner) } });
    const made: string[] = [];
    const errors: unknown[] = [];
    const state = { isArmed: true };
    const open = () => {
      const { owner } = journal.join();
      const died = Promise.withResolvers<void>();
      const never = new Promise<never>(() => {});
      const crash = (): unknown => {
        made.push("crash");
        if (!state.isArmed) return "survived";
        gone.add(owner);
        died.resolve();
        return never;
      };
      const wait = (): unknown => {
        made.push("wait");
        return new Promise((resolve) => setTimeout(resolve, 30)).then(() => (gone.has(owner) ? never : "done"));
      };
      const tools = [
        sampleTool(crash, { name: "crash", effect: "idempotent" }),
        sampleTool(wait, { name: "wait", effect: "idempotent" }),
      ];
      const engine = createEngine({ tools });
      const liveness = { ...journal.join(), owner };
      const service = new RunService({ journal, approvals, liveness, secrets: engine });
      return { service, calls: new DurableCalls({ engine, service }), died: died.promise };
    };
    /** A process serves runs until it dies, or until the condition holds. */
    const life = async (holds: () => boolean | Promise<boolean> = () => false): Promise<"died" | "lives"> => {
      const { service, died } = open();
      const stop = new AbortController();
      void service.serve(stop.signal, { onError: (error) => void errors.push(error) });
      let hasDied = false;
      void died.then(() => (hasDied = true));
      await expect.poll(async () => hasDied || (await holds()), { timeout: 10_000 }).toBe(true);
      stop.abort();
      return hasDied ? "died" : "lives";
    };
    const statusOf = async (runId: string) => (await journal.read(runId))?.run.status;
    return { journal, made, errors, state, open, life, statusOf };
  }

  test("fail after five deaths, and say what to do; a person can still resume them", async () => {
    const { made, errors, state, open, life, statusOf } = mortal();
    const { calls } = open();
    await calls.submit("crash", {}, { runId: "c1" });
    for (let time = 0; time < 5; time++) expect(await life()).toBe("died");
    expect(await life(async () => (await statusOf("c1")) === "failed")).toBe("lives");
    expect(made).toHaveLength(5);
    const error = {
      code: "crash_loop",
      message: expect.stringMatching(/c1 has died 5 times .*windlass resume c1.*windlass rerun c1/) as string,
    };
    expect(errors).toMatchObject([error]);
    expect(await calls.result("c1")).toMatchObject({ status: "failed", result: { success: false, error } });
    expect(await calls.start("crash", {}, { runId: "c1" })).toMatchObject({ status: "failed" });
    // The cause is gone.
    state.isArmed = false;
    expect(await calls.resume("c1")).toMatchObject({ status: "success", result: { output: "survived" } });
    expect(await calls.resume("c1")).toMatchObject({ status: "success" });
    expect(made).toHaveLength(6);
  });

  test("can be resumed by a person five times more", async () => {
    const { made, open, life, statusOf } = mortal();
    await open().calls.submit("crash", {}, { runId: "c1" });
    for (let time = 0; time < 5; time++) await life();
    await life(async () => (await statusOf("c1")) === "failed");
    const person = open();
    void person.calls.resume("c1").catch(() => {});
    await person.died;
    for (let time = 0; time < 4; time++) expect(await life()).toBe("died");
    await life(async () => (await statusOf("c1")) === "failed");
    expect(made).toHaveLength(10);
  });

  test("stay failed if a person cannot resume them", async () => {
    const { journal, open, life, statusOf } = mortal();
    const { calls } = open();
    await calls.submit("crash", {}, { runId: "c1" });
    for (let time = 0; time < 5; time++) await life();
    await life(async () => (await statusOf("c1")) === "failed");
    const engine = createEngine({ tools: [] });
    const service = new RunService({ journal, approvals: createInMemoryApprovals(), secrets: engine });
    const elsewhere = new DurableCalls({ engine, service });
    await expect(elsewhere.resume("c1")).rejects.toMatchObject({ code: "run_changed" });
    expect(await calls.inspect("c1")).toMatchObject({ status: "failed", result: { error: { code: "crash_loop" } } });
  });

  test("do not take other runs along: those that may end the process begin one after the other", async () => {
    const { made, open, life, statusOf } = mortal();
    const { calls } = open();
    const slow = ["s1", "s2", "s3"];
    for (const runId of slow) await calls.submit("wait", {}, { runId });
    await calls.submit("crash", {}, { runId: "c1" });
    // The first two times, all of them die with it.
    let deaths = 0;
    while ((await life(async () => (await statusOf("c1")) === "failed")) === "died") deaths++;
    expect(deaths).toBe(5);
    expect(made.filter((name) => name === "crash")).toHaveLength(5);
    await life(async () => (await Promise.all(slow.map(statusOf))).every((status) => status === "success"));
    for (const runId of slow) expect(await calls.inspect(runId)).toMatchObject({ status: "success" });
  });
});
