import { describe, expect, test } from "vitest";
import { machine } from "../../test/support/chain-machine.ts";
import { withTime } from "../../test/support/chain-runner.ts";
import { fail } from "../base/index.ts";
import { type MockAnswer, mock } from "../testing/chain/mock-tools.ts";
import type { Plan } from "./plan/plan.ts";
import type { ChainSpec, StepSpec } from "./plan/chain-spec.ts";
import type { RunEvent } from "./interpreter/run-events.ts";

const work = (id: string, more: Partial<StepSpec> = {}): StepSpec => ({
  id,
  tool: "work",
  params: { me: id },
  ...more,
});

/** The steps that called their tools. */
const names = (calls: readonly { readonly args: Readonly<Record<string, unknown>> }[]): string[] =>
  calls.map(({ args }) => String(args["me"]));

/** A machine whose tool `work` has an effect and takes `ms` milliseconds. */
function working(specs: readonly ChainSpec[], more: Readonly<Record<string, MockAnswer>> = {}) {
  const slow = mock({
    effect: "once",
    answer: (args) => new Promise((resolve) => clock.after(Number(args["ms"] ?? 0), () => resolve(args["me"]))),
  });
  const made = machine(specs, { work: slow, ...more });
  const { clock, tools } = made;
  /** The steps that are called in the meantime. */
  const during = async <T>(doing: Promise<T>): Promise<{ readonly result: T; readonly calls: string[] }> => {
    const before = tools.calls.length;
    const result = await withTime(doing, clock);
    return { result, calls: names(tools.calls.slice(before)) };
  };
  return { ...made, during };
}

describe("a rerun from a step on", () => {
  /** More steps than slots, and the first ends long before the others. */
  const wide = (more: Partial<ChainSpec> = {}, first: readonly StepSpec[] = []): ChainSpec => ({
    name: "wide",
    steps: [
      ...first,
      work("s1"),
      ...["s2", "s3", "s4", "s5"].map((id) => work(id, { params: { me: id, ms: 400 } })),
      work("s6"),
    ],
    ...more,
  });

  test("ends, for any number of steps and any order in which they ended", async () => {
    const { process, clock, during } = working([wide()]);
    const one = process();
    await withTime(one.runs.start(one.plan("wide"), { runId: "r" }), clock);
    const events: RunEvent[] = [];
    const again = await during(one.runs.rerun("r", { from: "s1", onEvent: (event) => events.push(event) }));
    expect(again).toMatchObject({ calls: ["s1"], result: { status: "success" } });
    const ends = events.flatMap((event) => (event.type === "step-finished" ? [[event.step, event.replayed]] : []));
    expect(Object.fromEntries(ends)).toEqual({ s1: false, s2: true, s3: true, s4: true, s5: true, s6: true });
    // Inspected and repeated, it gives the same result.
    expect(await one.runs.inspect(again.result.runId)).toMatchObject({ output: again.result.output });
    const third = await during(one.runs.rerun(again.result.runId, { from: "s6" }));
    expect(third).toMatchObject({ calls: ["s6"], result: { status: "success", output: again.result.output } });
  });

  test.each([
    { what: "fewer slots than before", chain: wide({ max_parallel: 1 }), calls: ["s2"] },
    { what: "more slots than before", chain: wide({ max_parallel: 100 }), calls: ["s2"] },
    { what: "a step before all others", chain: wide({ max_parallel: 1 }, [work("s0")]), calls: ["s0", "s2"] },
  ])("a rerun succeeds with $what as well", async ({ chain, calls }) => {
    const { process, clock, during } = working([wide()]);
    const one = process();
    await withTime(one.runs.start(one.plan("wide"), { runId: "r" }), clock);
    const again = await during(process([chain]).runs.rerun("r", { from: "s2" }));
    expect(again).toMatchObject({ calls, result: { status: "success" } });
    // Reused results arrive late, and time does not run backwards for them.
    const took = again.result.steps.map(({ step, startedAt, endedAt }) => [step.id, endedAt - startedAt]);
    const none = Object.fromEntries(again.result.steps.map(({ step }) => [step.id, 0]));
    expect(Object.fromEntries(took)).toEqual({ ...none, s2: 400 });
  });

  test("a rerun of ten thousand steps takes no longer than the first run", async () => {
    const steps = Array.from({ length: 10_000 }, (_, index) => work(`s${index}`));
    const { process, clock, during } = working([{ name: "many", steps }], {
      work: mock({ effect: "read", answer: 1 }),
    });
    const one = process();
    const begun = performance.now();
    await withTime(one.runs.start(one.plan("many"), { runId: "r" }), clock);
    const took = performance.now() - begun;
    const again = performance.now();
    expect((await during(one.runs.rerun("r", { from: "s0" }))).calls).toEqual(["s0"]);
    expect(performance.now() - again).toBeLessThan(3 * took + 2000);
  });

  test("reuses steps whose ids are in any script", async () => {
    const ids = ["a", "a二", "付款", "é-x", "a-1"];
    const { process, clock, during } = working([{ name: "c", steps: [...ids, "last"].map((id) => work(id)) }]);
    const one = process();
    await withTime(one.runs.start(one.plan("c"), { runId: "r" }), clock);
    expect((await one.runs.previewRerun("r", "last")).reused).toEqual(ids);
    expect((await during(one.runs.rerun("r", { from: "last" }))).calls).toEqual(["last"]);
    expect((await during(one.runs.rerun("r", { from: "a" }))).calls).toEqual(["a"]);
  });

  test("with another input also runs the steps that read what has changed, and reuses the others", async () => {
    const chain: ChainSpec = {
      name: "c",
      input: { to: "string", from: "string = 'me'" },
      steps: [
        work("mail", { params: { me: "mail", to: "${input.to}" } }),
        work("log", { params: { me: "log", of: "${steps.mail.output}" } }),
        work("other", { params: { me: "${input.from}" } }),
        work("sure", {
          params: { me: "sure" },
          error_handling: { fallback: [{ tool: "work", params: { me: "${input.to}" } }] },
        }),
        work("all", { params: { me: "all", whole: "${input}" } }),
        work("last"),
      ],
    };
    const { process, clock, during } = working([chain]);
    const one = process();
    await withTime(one.runs.start(one.plan("c"), { runId: "r", input: { to: "ann" } }), clock);
    const same = await one.runs.previewRerun("r", "last", { input: { to: "ann", from: "me" } });
    expect(same.rerun.map(({ step }) => step)).toEqual(["last"]);
    const input = { to: "bob" };
    const preview = await one.runs.previewRerun("r", "last", { input });
    expect(preview.rerun.map(({ step, why }) => [step, why])).toEqual([
      ["mail", "input"],
      ["log", "needs"],
      ["sure", "input"],
      ["all", "input"],
      ["last", "requested"],
    ]);
    const again = await during(one.runs.rerun("r", { from: "last", input, runId: "edited", principal: "bob" }));
    expect(again.calls.toSorted()).toEqual(["all", "last", "log", "mail", "sure"]);
    expect(again.result).toMatchObject({ runId: "edited", status: "success", input: { to: "bob", from: "me" } });
    expect(JSON.parse((await one.runs.read("edited")).run.context)).toMatchObject({ principal: "bob" });
    await expect(one.runs.rerun("r", { input: { to: 1 } })).rejects.toMatchObject({ code: "validation_error" });
  });

  test("is submitted for a process that serves runs", async () => {
    const { process, clock, during } = working([wide()]);
    const one = process();
    await withTime(one.runs.start(one.plan("wide"), { runId: "r" }), clock);
    expect(await one.runs.submitRerun("r", { from: "s6", runId: "again" })).toEqual({ runId: "again" });
    expect(await one.runs.inspect("again")).toMatchObject({ status: "waiting" });
    const stop = new AbortController();
    const serving = process().runs.serve({ signal: stop.signal });
    expect(await during(one.runs.result("again"))).toMatchObject({ calls: ["s6"], result: { status: "success" } });
    stop.abort();
    await serving;
  });

  test("has the reused results from its start: a process that dies right then repeats nothing", async () => {
    const { process, clock, journal, during } = working([wide()]);
    const one = process();
    await withTime(one.runs.start(one.plan("wide"), { runId: "r" }), clock);
    const { run, events } = await one.runs.read("r");
    const taken = events.filter(({ kind, key }) => kind === "settled" && key !== "s1#1");
    const numbered = taken.map((event, index) => ({ ...event, seq: index + 1 }));
    await journal.create({ ...run, id: "again" }, "gone", numbered);
    clock.advance(20_000);
    expect((await during(process().runs.resume("again"))).calls).toEqual(["s1"]);
  });
});

describe("a rerun of a run that was compensated", () => {
  const saga: ChainSpec = {
    name: "saga",
    steps: [
      work("a", { compensate: { tool: "undo", params: { me: "undo a" } } }),
      work("b"),
      work("c", { tool: "breaks", depends_on: ["a", "b"] }),
    ],
  };
  const breaks = (): never => {
    throw fail("down", { retry: "never" });
  };
  const undo = mock({ effect: "idempotent", answer: 1 });

  test("runs compensated steps again, and compensates them once more if that fails, too", async () => {
    const { process, during } = working([saga], { breaks, undo });
    const one = process();
    const first = await during(one.runs.start(one.plan("saga"), { runId: "r" }));
    expect(first.calls).toEqual(["a", "b", "c", "undo a"]);
    const preview = await one.runs.previewRerun("r", "c");
    expect(preview.reused).toEqual(["b"]);
    expect(preview.rerun).toMatchObject([
      { step: "a", why: "undone", called: true, effect: "once", below: false },
      { step: "c", why: "requested" },
    ]);
    const again = await during(one.runs.rerun("r", { from: "c" }));
    expect(again).toMatchObject({ calls: ["a", "c", "undo a"], result: { status: "failed" } });
    expect(again.result.steps[0]).toMatchObject({ compensation: { status: "success" } });
  });

  test("reuses a sub-chain that compensated its first attempt, without compensating a second time", async () => {
    let attempts = 0;
    const inner: ChainSpec = {
      name: "inner",
      steps: [
        work("x", { compensate: { tool: "undo", params: { me: "undo x" } } }),
        work("y", { tool: "second", depends_on: ["x"] }),
      ],
    };
    const outer: ChainSpec = {
      name: "outer",
      steps: [
        { id: "sub", tool: "inner", error_handling: { strategy: "fallback", fallback: [{ tool: "inner" }] } },
        work("end", { depends_on: ["sub"] }),
      ],
    };
    const second = mock({
      effect: "read",
      answer: () => (++attempts === 1 ? fail("down", { retry: "never" }) : attempts),
    });
    const { process, during } = working([outer, inner], { undo, second });
    const one = process();
    const first = await during(one.runs.start(one.plan("outer"), { runId: "r" }));
    expect(first).toMatchObject({ calls: ["x", "y", "undo x", "x", "y", "end"], result: { status: "success" } });
    expect((await one.runs.previewRerun("r", "end")).reused).toEqual(["sub"]);
    const again = await during(one.runs.rerun("r", { from: "end" }));
    expect(again).toMatchObject({ calls: ["end"], result: { output: first.result.output } });
  });
});

describe("changes since the earlier run", () => {
  const inner = (ms: number): ChainSpec => ({ name: "inner", steps: [work("x", { params: { me: "x", ms } })] });
  const stand = (text: string): ChainSpec => ({ name: "stand", steps: [work("y", { params: { me: text } })] });
  const outer = (more: Partial<ChainSpec> = {}): ChainSpec => ({
    name: "outer",
    steps: [
      { id: "sub", tool: "inner" },
      work("plain"),
      work("own", { error_handling: { strategy: "fallback", fallback: [{ tool: "stand" }] } }),
      work("last"),
    ],
    ...more,
  });
  const changed = async (now: readonly ChainSpec[]): Promise<string[]> => {
    const { process, clock } = working([outer(), inner(0), stand("y")]);
    const one = process();
    await withTime(one.runs.start(one.plan("outer"), { runId: "r" }), clock);
    const { rerun } = await process(now).runs.previewRerun("r", "last");
    return rerun.flatMap(({ step, why }) => (why === "changed" ? [step] : []));
  };

  test.each([
    { what: "nothing", now: [outer(), inner(0), stand("y")], steps: [] },
    {
      what: "how many run at once",
      now: [outer({ max_parallel: 2 }), { ...inner(0), max_parallel: 2 }, stand("y")],
      steps: [],
    },
    { what: "a chain that a step calls", now: [outer(), inner(1), stand("y")], steps: ["sub"] },
    { what: "a chain that stands in", now: [outer(), inner(0), stand("z")], steps: ["own"] },
    {
      what: "what the chain does about failures",
      now: [outer({ error_handling: { strategy: "continue" } }), inner(0), stand("y")],
      steps: ["sub", "plain"],
    },
  ])("$what was edited", async ({ now, steps }) => {
    expect(await changed(now)).toEqual(steps);
  });
});

describe("the input of a rerun", () => {
  const chain = (input: Record<string, unknown>, me = "${input.who}"): ChainSpec => ({
    name: "c",
    input,
    steps: [work("a", { params: { me } })],
  });

  test("is completed and validated by the current chain", async () => {
    const { process, clock, during } = working([chain({ who: "string" })]);
    const one = process();
    await withTime(one.runs.start(one.plan("c"), { runId: "r", input: { who: "ann" } }), clock);
    const more = process([chain({ who: "string", greeting: "string=hello" }, "${input.greeting} ${input.who}")]);
    const again = await during(more.runs.rerun("r"));
    expect(again).toMatchObject({ calls: ["hello ann"], result: { input: { who: "ann", greeting: "hello" } } });
    const other = process([chain({ who: "string", age: "number" })]).runs;
    const reported = {
      code: "validation_error",
      message: expect.stringMatching(/input of run r does not fit the current version of c: .*age/),
    };
    await expect(other.rerun("r")).rejects.toMatchObject(reported);
    await expect(other.previewRerun("r", "a")).rejects.toMatchObject(reported);
    expect(await other.list()).toHaveLength(2);
  });
});

describe("the chain of a rerun", () => {
  const chain = (me: string): ChainSpec => ({ name: "c", steps: [work("a", { params: { me } })] });

  test("is the file that was run, not another chain of the same name; the stored chain if the file no longer exists", async () => {
    const { process, clock, during } = working([chain("library")]);
    const drafts = new Map<string, Plan>();
    const files = {
      fileOf: (plan: Plan) => [...drafts].find(([, draft]) => draft === plan)?.[0],
      load: async (file: string) => drafts.get(file),
    };
    const draft = (me: string): Plan => process([chain(me)]).plan("c");
    drafts.set("drafts/c.yaml", draft("draft"));
    const { runs } = process([chain("library")], files);
    await withTime(runs.start(drafts.get("drafts/c.yaml") as Plan, { runId: "r" }), clock);
    drafts.set("drafts/c.yaml", draft("edited"));
    const notices: string[] = [];
    const onNotice = (message: string): void => void notices.push(message);
    const again = await during(runs.rerun("r", { onNotice }));
    expect([again.calls, notices]).toEqual([["edited"], []]);
    drafts.clear();
    const third = await during(runs.rerun(again.result.runId, { onNotice }));
    expect(third.calls).toEqual(["edited"]);
    expect(notices).toEqual([
      expect.stringMatching(/^drafts\/c\.yaml no longer exists; the chain runs as stored with run .*$/),
    ]);
    // It remembers its file.
    drafts.set("drafts/c.yaml", draft("back"));
    expect((await during(runs.rerun(third.result.runId))).calls).toEqual(["back"]);
  });

  test("uses the stored chain if no chain has that name any more, with a notice", async () => {
    const { process, clock, during } = working([chain("a")]);
    const one = process();
    await withTime(one.runs.start(one.plan("c"), { runId: "r" }), clock);
    const notices: string[] = [];
    const again = await during(process([]).runs.rerun("r", { onNotice: (message) => notices.push(message) }));
    expect(again.calls).toEqual(["a"]);
    expect(notices).toEqual(['there is no longer a chain named "c"; the chain runs as stored with run r']);
  });
});

describe("a run id that exists already", () => {
  const chain = (me = "${context.user ?? 'nobody'}"): ChainSpec => ({
    name: "c",
    steps: [work("a", { params: { me } })],
  });

  test("is rejected with another context or input, and the difference is reported", async () => {
    const { process, clock, during } = working([{ ...chain(), input: { x: "number", y: "number?" } }]);
    const { runs, plan } = process();
    const requested = { runId: "r", input: { x: 1 }, context: { user: "ann", team: "red" } };
    await withTime(runs.start(plan("c"), requested), clock);
    const refused = (more: object, what: string): Promise<void> =>
      expect(runs.start(plan("c"), { ...requested, ...more })).rejects.toMatchObject({
        code: "run_exists",
        message: `run r already exists, with different ${what}`,
      });
    await refused({ context: { user: "bob", team: "red" } }, "context: user");
    await refused({ context: {} }, "context: user, team");
    await refused({ input: { x: 2, y: 3 } }, "input: x, y");
    expect(
      (await during(runs.start(plan("c"), { ...requested, context: { team: "red", user: "ann" } }))).calls,
    ).toEqual([]);
  });

  test("returns the old result if the chain was edited since, with a notice", async () => {
    const { process, clock, during } = working([chain("old")]);
    const one = process();
    await withTime(one.runs.start(one.plan("c"), { runId: "r" }), clock);
    const notices: string[] = [];
    const onNotice = (message: string): void => void notices.push(message);
    await withTime(one.runs.start(one.plan("c"), { runId: "r", onNotice }), clock);
    expect(notices).toEqual([]);
    const two = process([chain("new")]);
    const joined = await during(two.runs.start(two.plan("c"), { runId: "r", onNotice }));
    expect(joined).toMatchObject({ calls: [], result: { output: { a: "old" } } });
    expect(notices).toEqual([
      "the chain c has changed since run r began; to run the current version: windlass rerun r",
    ]);
  });
});
