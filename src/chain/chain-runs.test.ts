import { describe, expect, test } from "vitest";
import { withTime } from "../../test/support/chain-runner.ts";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { sampleOwner } from "../../test/conformance/sample-run.ts";
import { fail } from "../base/index.ts";
import { createEngine } from "../engine/index.ts";
import { createMemoryApprovals, createMemoryRuns } from "../store/index.ts";
import { ChainRuns } from "./chain-runs.ts";
import { type MockAnswer, mock, mockTools } from "./kit/mock-tools.ts";
import { ChainLibrary } from "./library.ts";
import type { ChainSpec } from "./plan/spec.ts";

/** One machine: a journal and approvals that processes share. */
function machine(specs: readonly ChainSpec[], behaviours: Readonly<Record<string, MockAnswer>>) {
  const clock = new FakeClock();
  const journal = createMemoryRuns({ clock });
  const approvals = createMemoryApprovals({ clock });
  const chainNames = new Set(specs.map(({ name }) => name));
  const names = specs.flatMap((spec) => [...mockTools(spec)].map(({ name }) => name));
  const tools = mockTools(
    names.filter((name) => !chainNames.has(name)),
    behaviours,
  );
  let processes = 0;
  const process = (changed: readonly ChainSpec[] = specs) => {
    const engine = createEngine({ tools, clock });
    const chains = new ChainLibrary({ tools: engine.tools });
    for (const spec of changed) chains.add({ name: spec.name, spec });
    const owner = sampleOwner(`process-${++processes}`);
    const runs = new ChainRuns({ engine, journal, approvals, chains, owner, clock, env: { HOME: "/home/ann" } });
    return { runs, chains, plan: (name: string) => chains.plan(name) };
  };
  return { clock, journal, approvals, tools, process };
}

const echo = (args: Readonly<Record<string, unknown>>): unknown => args;

describe("runs that survive", () => {
  test("[N12] begin with defaults and checked input, and are there to be looked at afterwards", async () => {
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
    expect(await runs.list()).toMatchObject([{ id: "r1", chain: "c", status: "success" }]);
    await expect(runs.start(plan("c"), { input: { n: "x" } })).rejects.toMatchObject({ code: "validation_error" });
    await expect(runs.start(plan("c"), { runId: "../x" })).rejects.toMatchObject({ code: "validation_error" });
    await expect(runs.inspect("none")).rejects.toMatchObject({ code: "run_not_found" });
    expect(clock.timers).toBe(0);
  });

  test("the same id joins the run that has it, wherever it is; other input is refused", async () => {
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

  test("a run that waits for a person goes on in another process once there is a decision", async () => {
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

  test("who stays hears of the decision without asking again", async () => {
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
    const run = await withTime(runs.start(plan("c"), { stay: true }), clock);
    expect(run.status).toBe("success");
  });

  test("cancel reaches a run in another process, and one that nobody executes", async () => {
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

  test("a run whose cancellation was asked for while nobody executed it starts nothing", async () => {
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

  test("closing lets what runs finish, leaves the rest to others, and ends in time", async () => {
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

  test("runs whose process is gone are adopted; one whose tool has changed is refused", async () => {
    const { clock, journal, process } = machine([{ name: "c", steps: [{ id: "a", tool: "t" }] }], { t: 7 });
    const gone = process();
    // Begun, and never heard of again.
    const { definition, fingerprints } = await (async () => {
      await withTime(gone.runs.start(gone.plan("c"), { runId: "model" }), clock);
      return (await gone.runs.read("model")).run;
    })();
    const made = { chain: "c", input: "{}", context: "{}", format: 1, startedAt: clock.now(), definition };
    await journal.create({ ...made, id: "left", fingerprints }, sampleOwner("gone"));
    await journal.create({ ...made, id: "changed", fingerprints: '{"t":"other"}' }, sampleOwner("gone"));
    clock.advance(20_000);
    const stop = new AbortController();
    clock.after(2000, () => stop.abort());
    const two = process();
    await withTime(two.runs.adopt({ signal: stop.signal }), clock);
    expect(await two.runs.inspect("left")).toMatchObject({ status: "success", output: { a: 7 } });
    await expect(two.runs.resume("changed")).rejects.toMatchObject({ code: "run_changed" });
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

  test("runs everything anew, or only from a step on; what was written otherwise since runs too", async () => {
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

  test("a step that failed runs again, whatever it is from", async () => {
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
