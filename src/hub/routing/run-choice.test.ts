import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FakeClock, settle } from "../../../test/support/fake-clock.ts";
import { sampleTool } from "../../../test/support/sample-tool.ts";
import { type Offered, type priorities, three, timed, worldOf } from "../../../test/support/candidates.ts";
import type { SampleHandler } from "../../../test/support/sample-tool.ts";
import { fail } from "../../base/index.ts";
import type { Effect, ToolResult } from "../../tool/index.ts";

const calculates = { capabilities: ["calculate"] };
const searches = { capabilities: ["search"] };
const codeOf = (result: ToolResult): string => (result.success ? "ok" : result.error.code);

describe("[C12] calculations and times: the first that succeeds", () => {
  test("[C13] the fastest of three readers wins, and the others see their abort within 50 ms", async () => {
    const racers = [400, 20, 300].map((ms) => timed(ms, () => ms));
    const { call, engine } = worldOf(
      three(
        racers.map(({ run }) => run),
        calculates,
      ),
    );
    const begin = performance.now();
    const result = await call("work");
    expect(result).toMatchObject({ output: 20, meta: { sourceCount: 1, sources: ["skills/work"], source: "skills" } });
    expect(performance.now() - begin).toBeLessThan(250);
    for (const { seen } of [racers[0]!, racers[2]!]) {
      expect(seen).toMatchObject({ started: 1, answered: [], running: 0 });
      expect(seen.aborted[0]! - racers[1]!.seen.answered[0]!).toBeLessThan(50);
    }
    expect(engine.metrics().currentConcurrent).toBe(0);
  });

  test("[C19] a loser that ignores its signal is waited for no longer than the grace period", async () => {
    const hangs = () => new Promise(() => undefined);
    const { call, engine } = worldOf(three([hangs, () => 1, hangs], calculates));
    const begin = performance.now();
    expect(await call("work")).toMatchObject({ output: 1 });
    expect(performance.now() - begin).toBeLessThan(1_000);
    const { records } = await engine.queryRecords({});
    expect(records.map(({ error }) => error?.reason ?? "").toSorted()).toEqual(["", "", "abandoned", "abandoned"]);
  });

  test("a loser that ignores its signal each time cools down, and delays no further call", async () => {
    let begun = 0;
    const closed = () => (begun++, new Promise(() => undefined));
    const { call } = worldOf(three([() => 1, closed], calculates), { limits: { graceMs: 20 } });
    for (let at = 0; at < 6; at++) expect(await call("work")).toMatchObject({ output: 1 });
    expect(begun).toBe(3);
  });

  test("the deadline ends the waiting for losers, not the answer of the winner", async () => {
    const tidying: SampleHandler = (_args, { signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => setTimeout(() => reject(signal.reason as Error), 300));
      });
    const { call } = worldOf(three([timed(10, () => 4).run, tidying], calculates), { limits: { graceMs: 1_000 } });
    const begin = performance.now();
    expect(await call("work", {}, { limitMs: 80 })).toMatchObject({ success: true, output: 4 });
    expect(performance.now() - begin).toBeLessThan(250);
  });

  test("combined results contain those that are available", async () => {
    const hangs = timed(10_000, () => "late");
    const world = worldOf(three([() => "here", hangs.run], searches));
    expect(await world.call("work", {}, { limitMs: 60 })).toMatchObject({
      output: "here",
      meta: { sources: ["tools/work"], failed: [{ tool: "skills/work", code: "timeout" }] },
    });
    expect(hangs.seen).toMatchObject({ running: 0, answered: [] });
    const nothing = worldOf(three([() => [], hangs.run], searches));
    expect(codeOf(await nothing.call("work", {}, { limitMs: 60 }))).toBe("timeout");
    const stop = new AbortController();
    const result = worldOf(three([() => "here", hangs.run], searches)).call("work", {}, { signal: stop.signal });
    setTimeout(() => stop.abort(), 20);
    expect(codeOf(await result)).toBe("cancelled");
  });

  test("[F2] a timeout of the call replaces the total time of a choice and the timeouts of its tools", async () => {
    const hangs = timed(10_000, () => "late");
    const short = worldOf(three([hangs.run], searches));
    const stopped = await short.call("work", {}, { overrideTimeoutMs: 60 });
    expect([codeOf(stopped), stopped.success ? "" : stopped.error.message]).toEqual([
      "timeout",
      expect.stringContaining("60 ms"),
    ]);
    const slow = timed(60, () => "slow");
    const patient = worldOf(three([slow.run, slow.run], searches), { hubLimits: { toolTimeoutMs: 5 } });
    expect(codeOf(await patient.call("work"))).toBe("timeout");
    expect(await patient.call("work", {}, { overrideTimeoutMs: 5_000 })).toMatchObject({ output: "slow" });
  });

  test("an empty success does not win, and neither does one that its schema refuses", async () => {
    const { z } = await import("zod");
    const slow = timed(60, () => ({ result: 7 }));
    const output = z.object({ result: z.number() });
    const { call } = worldOf([
      { tool: sampleTool(() => null, { name: "work", ...calculates }) },
      { tool: sampleTool(() => ({ result: "x" }), { name: "work", ...calculates, output }), source: "skills" },
      { tool: sampleTool(slow.run, { name: "work", ...calculates }), source: "mcps" },
    ]);
    expect(await call("work")).toMatchObject({ output: { result: 7 }, meta: { sources: ["mcps/work"] } });
  });

  test("the result is empty only if all successful results are empty", async () => {
    const { call } = worldOf(three([() => [], () => "", () => null], searches));
    expect(await call("work")).toMatchObject({ success: true, output: [], meta: { sourceCount: 1 } });
  });

  test("[C13] three run concurrently, and the others one by one only after all of those failed", async () => {
    const order: string[] = [];
    let running = 0;
    let max = 0;
    const tools = ["a", "b", "c", "d", "e"].map((name) =>
      sampleTool(
        async () => {
          order.push(name);
          max = Math.max(max, ++running);
          await new Promise((resolve) => setTimeout(resolve, 5));
          running--;
          return name === "e" ? 5 : fail(`${name} failed`, { retry: "never" });
        },
        { name, capabilities: ["tally"], description: "Counts." },
      ),
    );
    const { hub, call } = worldOf(tools);
    hub.setContracts([contractOf("tally", "calculate")]);
    expect(await call("capability:tally")).toMatchObject({ output: 5 });
    expect(order).toEqual(["a", "b", "c", "d", "e"]);
    expect(max).toBe(3);
  });

  test("how many run at once can be set", async () => {
    const racers = [50, 20, 1].map((ms) => timed(ms, () => ms));
    const { call } = worldOf(
      three(
        racers.map(({ run }) => run),
        calculates,
      ),
      { hubLimits: { maxParallel: 2 } },
    );
    expect(await call("work")).toMatchObject({ output: 20 });
    expect(racers[2]!.seen.started).toBe(0);
  });

  test("cancelling the call reaches all of them", async () => {
    const racers = [1_000, 1_000, 1_000].map((ms) => timed(ms, () => ms));
    const { call, engine } = worldOf(
      three(
        racers.map(({ run }) => run),
        calculates,
      ),
    );
    const stop = new AbortController();
    const result = call("work", {}, { signal: stop.signal });
    await new Promise((resolve) => setTimeout(resolve, 20));
    stop.abort();
    expect(codeOf(await result)).toBe("cancelled");
    expect(racers.map(({ seen }) => [seen.aborted.length, seen.running])).toEqual([
      [1, 0],
      [1, 0],
      [1, 0],
    ]);
    expect(engine.metrics().currentConcurrent).toBe(0);
  });

  test("a candidate that mutates its arguments does not affect the others", async () => {
    const seen: number[] = [];
    const run = (args: Record<string, unknown>) => {
      seen.push((args["list"] as number[]).push(1));
      return fail("no", { retry: "never" });
    };
    const list: number[] = [];
    await worldOf(three([run, run, run], calculates)).call("work", { list });
    expect([list, seen]).toEqual([[], [1, 1, 1]]);
  });
});

describe("candidates one after another", () => {
  test("[C12] the last that succeeded goes first, for a while", async () => {
    const clock = new FakeClock();
    const calls: string[] = [];
    const state = { broken: true };
    const tool = (name: string, run: () => unknown) =>
      sampleTool(() => (calls.push(name), run()), { name: "work", effect: "once" });
    const { call } = worldOf(
      [
        { tool: tool("first", () => (state.broken ? fail("busy", { retry: "safe" }) : "first")) },
        { tool: tool("second", () => "second"), source: "skills" },
      ],
      { clock },
    );
    await call("work");
    state.broken = false;
    await call("work");
    clock.advance(300_000);
    await call("work");
    expect(calls).toEqual(["first", "second", "second", "first"]);
  });

  test("all failures are reported together, briefly, with one retry verdict", async () => {
    const failing = (why: string, retry: "safe" | "never") => () => fail(`${why} ${"x".repeat(1_000)}`, { retry });
    const { call } = worldOf(three([failing("down", "safe"), failing("bad", "never"), failing("lost", "never")]));
    const result = await call("work");
    expect(result).toMatchObject({
      error: {
        code: "execution_error",
        reason: "all_failed",
        retry: "safe",
        message: expect.stringMatching(/tools\/work: down .*; skills\/work: bad .*; mcps\/work: lost /),
      },
    });
    expect(result.success || result.error.message.length).toBeLessThan(900);
  });

  test("a denial by a guard is final: no other tool is called for a refused request", async () => {
    let requested = 0;
    const refuses = () => fail("the address is private", { code: "permission_denied", reason: "ssrf_ip" });
    const { call } = worldOf(three([refuses, () => ++requested]), { hubLimits: { maxParallel: 1 } });
    expect(await call("work")).toMatchObject({ error: { code: "permission_denied", reason: "ssrf_ip" } });
    expect(requested).toBe(0);
  });

  test("a writing tool that may have run is the last, regardless of its own retry verdict", async () => {
    const after = async (effect: Effect, failure: ReturnType<typeof fail>): Promise<string> => {
      const tools = three([() => failure, () => "second"], { effect });
      return codeOf(await worldOf(tools).call("work"));
    };
    expect(await after("once", fail("lost", {}))).toBe("execution_error");
    expect(await after("once", fail("refused", { retry: "safe" }))).toBe("ok");
    expect(await after("idempotent", fail("lost", {}))).toBe("execution_error");
    expect(await after("idempotent", fail("down", { code: "not_available" }))).toBe("ok");
    expect(await after("read", fail("lost", {}))).toBe("ok");
  });

  test("a writing tool that succeeded with an empty result is not followed by another", async () => {
    let requested = 0;
    const { call } = worldOf(three([() => null, () => ++requested], { effect: "once" }));
    expect(await call("work")).toMatchObject({ success: true, output: null });
    expect(requested).toBe(0);
  });

  test("[C19] a tool that states no timeout has 30 s", async () => {
    const clock = new FakeClock();
    const hangs = sampleTool(() => new Promise(() => undefined), { name: "work", effect: "once" });
    const { call } = worldOf(
      [{ tool: hangs }, { tool: sampleTool(() => 2, { name: "work", effect: "once" }), source: "skills" }],
      {
        clock,
        limits: { timeoutMs: 600_000 },
      },
    );
    const result = call("work");
    await clock.pass(29_999);
    await clock.pass(1);
    await clock.pass(200);
    expect(await result).toMatchObject({ error: { code: "timeout", message: expect.stringContaining("within 30 s") } });
  });

  test("each candidate of a call has its own idempotency key", async () => {
    const keys: string[] = [];
    const run = (_: unknown, { idempotencyKey }: { idempotencyKey: string }) => {
      keys.push(idempotencyKey);
      return keys.length < 2 ? fail("busy", { code: "not_available", retry: "safe" }) : "done";
    };
    const [a, b] = three([run, run] as never);
    const { engine } = worldOf([{ ...a!, tool: { ...a!.tool, effect: "idempotent" } }, b!]);
    expect(await engine.call("work", {}, { maxRetries: 3 })).toMatchObject({ success: true });
    expect(new Set(keys).size).toBe(2);
  });

  test("[H13] tools that failed in a call are skipped by its retries", async () => {
    const calls: string[] = [];
    const failing = (name: string) =>
      sampleTool(() => (calls.push(name), fail("busy", { retry: "safe" })), { name, capabilities: ["work"] });
    const { engine } = worldOf(["a", "b", "c"].map((name) => failing(name)));
    const result = await engine.call("capability:work", {}, { maxRetries: 3 });
    expect(result).toMatchObject({ error: { reason: "all_failed", retry: "safe" }, meta: { attempts: 1 } });
    expect(calls.toSorted()).toEqual(["a", "b", "c"]);
  });

  test("[H13] two tools that hang take one timeout each, not one for each retry", async () => {
    const clock = new FakeClock();
    let begun = 0;
    const hangs = (name: string) =>
      sampleTool(() => (begun++, new Promise(() => undefined)), { name, capabilities: ["work"], effect: "read" });
    const { engine } = worldOf([hangs("a"), hangs("b")], { clock, limits: { timeoutMs: 600_000 } });
    const result = engine.call("capability:work", {}, { maxRetries: 3 });
    await withTime(result, clock);
    expect(await result).toMatchObject({ error: { code: "timeout" } });
    expect(begun).toBe(2);
  });

  test("[H13] a tool without alternatives is retried as any other", async () => {
    let calls = 0;
    const tool = sampleTool(() => (++calls < 3 ? fail("busy", { retry: "safe" }) : "done"), {
      name: "a",
      capabilities: ["work"],
      effect: "read",
    });
    const { engine, hub } = worldOf([tool]);
    hub.setContracts([contractOf("work", "other")]);
    expect(await engine.call("capability:work", {}, { maxRetries: 3 })).toMatchObject({ success: true });
    expect(calls).toBe(3);
  });

  test("reports of candidates reach the caller; their usage is summed, including failed ones", async () => {
    const spends =
      (tokensUsed: number, more: Record<string, unknown>, answer: () => unknown): SampleHandler =>
      (_args, { report }) => (report({ tokensUsed, ...more }), answer());
    const runs = [spends(3, { memoryId: "a" }, () => fail("no")), spends(4, { memoryId: "b" }, () => "b")];
    expect(await worldOf(three(runs, searches)).call("work")).toMatchObject({ meta: { tokensUsed: 7, memoryId: "b" } });
    const failing = worldOf(three([spends(3, {}, () => fail("no")), spends(5, {}, () => fail("no"))], searches));
    expect(await failing.call("work")).toMatchObject({ success: false, meta: { tokensUsed: 8 } });
  });

  test("a result that does not match the contract is not requested again", async () => {
    let calls = 0;
    const { engine, hub } = worldOf([sampleTool(() => (calls++, "x"), { name: "a", capabilities: ["job"] })]);
    const refuses = { json: {}, validate: () => ({ issues: [{ path: [], code: "x", message: "no" }] }) };
    hub.setContracts([{ ...contractOf("job", "other"), output: refuses }]);
    expect(await engine.call("capability:job", {}, { maxRetries: 3 })).toMatchObject({
      error: { code: "output_invalid", reason: "contract", retry: "never" },
    });
    expect(calls).toBe(1);
  });

  test("progress of concurrent candidates is reported, too", async () => {
    const reported: unknown[] = [];
    const reporting =
      (value: string): SampleHandler =>
      (_args, { progress }) => (progress(value), value);
    const { call } = worldOf(three([reporting("a"), reporting("b")], searches));
    await call("work", {}, { onProgress: (value) => reported.push(value) });
    expect(reported).toEqual(["a", "b"]);
  });

  test("progress of the running candidate is reported to the caller", async () => {
    const reported: unknown[] = [];
    const tool = sampleTool((_, { progress }) => (progress("half"), 1), { name: "work", effect: "once" });
    const { call } = worldOf([
      { tool },
      { tool: sampleTool(() => 2, { name: "work", effect: "once" }), source: "skills" },
    ]);
    await call("work", {}, { onProgress: (value) => reported.push(value) });
    expect(reported).toEqual(["half"]);
  });
});

describe("breakers of tools", () => {
  function flaky() {
    const clock = new FakeClock();
    const state = { calls: 0, broken: true };
    const first = sampleTool(() => (state.calls++, state.broken ? fail("down") : "first"), {
      name: "work",
    });
    const world = worldOf([{ tool: first }, { tool: sampleTool(() => "second", { name: "work" }), source: "skills" }], {
      clock,
      hubLimits: { recencyMs: 0, maxParallel: 1 },
    });
    return { clock, state, ...world };
  }

  test("a candidate with three consecutive failures is skipped, then probed by one call", async () => {
    const { clock, state, call } = flaky();
    for (let at = 0; at < 5; at++) expect(await call("work")).toMatchObject({ output: "second" });
    expect(state.calls).toBe(3);
    clock.advance(30_000);
    await call("work");
    expect(state.calls).toBe(4);
    clock.advance(30_000);
    await call("work");
    expect(state.calls).toBe(4);
    state.broken = false;
    clock.advance(30_000);
    expect(await call("work")).toMatchObject({ output: "first" });
    expect(await call("work")).toMatchObject({ output: "first" });
  });

  test("attempts of one call count as one failure", async () => {
    let calls = 0;
    const run = () => (calls++, fail("down"));
    const tool = sampleTool(run, { name: "a", capabilities: ["work"], effect: "read" });
    const { engine, hub } = worldOf([tool], { hubLimits: { maxParallel: 1 } });
    hub.setContracts([contractOf("work", "other")]);
    const result = await engine.call("capability:work", {}, { maxRetries: 3 });
    expect([result.meta.attempts, calls]).toEqual([4, 4]);
  });

  test("failures caused by arguments do not count", async () => {
    const clock = new FakeClock();
    let calls = 0;
    const picky = sampleTool(() => (calls++, fail("no such page", { retry: "never" })), { name: "work" });
    const { call } = worldOf([{ tool: picky }, { tool: sampleTool(() => 2, { name: "work" }), source: "skills" }], {
      clock,
      hubLimits: { recencyMs: 0, maxParallel: 1 },
    });
    for (let at = 0; at < 6; at++) await call("work");
    expect(calls).toBe(6);
  });

  test("if all candidates are cooling down, the one with the shortest cool-down runs; a single candidate is never skipped", async () => {
    const clock = new FakeClock();
    let calls = 0;
    const run = () => (calls++, fail("down"));
    const { call } = worldOf(three([run, run]), { clock, hubLimits: { maxParallel: 1 } });
    for (let at = 0; at < 3; at++) await call("work");
    expect(calls).toBe(6);
    expect(await call("work")).toMatchObject({ error: { message: expect.stringContaining("cooling down for 30 s") } });
    expect(calls).toBe(7);
    const alone = worldOf([sampleTool(run, { name: "alone" })], { clock });
    for (let at = 0; at < 8; at++) await alone.call("alone");
    expect(calls).toBe(15);
  });
});

describe("tools that write", () => {
  const effects = fc.constantFrom<Effect>("pure", "read", "idempotent", "once");
  const candidate = fc.record({
    effect: effects,
    byArguments: fc.boolean(),
    turns: fc.nat(4),
    outcome: fc.constantFrom("ok", "empty", "safe", "unsafe", "never", "unavailable"),
    source: fc.constantFrom<keyof typeof priorities>("tools", "skills", "mcps"),
  });

  test("[C13] never run concurrently with another, and are never followed by another once they may have done their work", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(candidate, { minLength: 1, maxLength: 7 }),
        fc.constantFrom("calculate", "time", "search", "extract", "other"),
        async (candidates, kind) => {
          const running = new Set<number>();
          const done: number[] = [];
          const violations: number[] = [];
          const tools = candidates.map(({ effect, byArguments, turns, outcome, source }, at): Offered => {
            const run = async () => {
              const writes = effect === "once" || effect === "idempotent";
              violations.push(...[...running].filter((other) => writes || isWriter(candidates[other]!)));
              running.add(at);
              for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
              running.delete(at);
              done.push(at);
              return answerOf(outcome, at);
            };
            const tool = sampleTool(run, {
              name: `t${at}`,
              capabilities: [kind, "job"],
              effect: byArguments ? () => effect : effect,
            });
            return { tool, source, owner: source };
          });
          const { call, hub, engine } = worldOf(tools);
          hub.setContracts([contractOf("job", kind)]);
          await call("capability:job");
          expect([violations, running.size]).toEqual([[], 0]);
          expect(engine.metrics().currentConcurrent).toBe(0);
          const writers = done.filter((at) => isWriter(candidates[at]!));
          for (const at of writers.slice(0, -1)) expect(leftUndone(candidates[at]!)).toBe(true);
          const last = writers.at(-1);
          const isFinal = last !== undefined && !leftUndone(candidates[last]!);
          expect(isFinal ? done.at(-1) : last).toBe(last);
        },
      ),
      { numRuns: 150 },
    );
  });

  /** Mostly candidates whose failure may be retried. */
  const failing = fc.record({
    effect: fc.constantFrom<Effect>("read", "idempotent", "idempotent", "once"),
    byArguments: fc.boolean(),
    outcome: fc.constantFrom("safe", "safe", "safe", "unavailable", "unsafe", "ok"),
  });

  test("[C13] the same over all attempts of a call: work that one may have done is done by no other, and `once` is never repeated", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(failing, { minLength: 2, maxLength: 5 }),
        fc.constantFrom("calculate", "search", "other"),
        fc.boolean(),
        async (candidates, kind, byName) => {
          const clock = new FakeClock();
          const ran: number[] = [];
          const tools = candidates.map(({ effect, byArguments, outcome }, at): Offered => {
            const run = () => (ran.push(at), answerOf(outcome, at));
            const source = byName ? (["tools", "skills"] as const)[at] : "tools";
            return {
              tool: sampleTool(run, {
                name: byName && source !== undefined ? "job" : `t${at}`,
                capabilities: [kind, "job"],
                effect: byArguments ? () => effect : effect,
              }),
              ...(source !== undefined && { source }),
            };
          });
          const { engine, hub } = worldOf(tools, { clock, random: () => 0.5 });
          hub.setContracts([contractOf("job", kind)]);
          const result = engine.call(byName ? "job" : "capability:job", {}, { maxRetries: 3 });
          await withTime(result, clock);
          const writers = ran.filter((at) => isWriter(candidates[at]!));
          const doubtful = writers.findIndex((at) => !leftUndone(candidates[at]!));
          const after = doubtful === -1 ? [] : writers.slice(doubtful);
          expect(new Set(after).size).toBeLessThan(2);
          expect(after.filter((at) => candidates[at]!.effect === "once").length).toBeLessThan(2);
        },
      ),
      { numRuns: 150 },
    );
  });

  test("a failed call of one of several writing tools reports that it may have happened", async () => {
    const lost = (name: string) =>
      sampleTool(() => fail("lost"), { name, effect: "idempotent", capabilities: ["send"] });
    const { call, hub, engine } = worldOf([lost("mail"), lost("post")]);
    expect(await call("capability:send")).toMatchObject({ error: { message: "lost", retry: "unsafe" } });
    const effectOf = (name: string): unknown => {
      const effect = hub.resolve(name)?.tool.effect;
      return typeof effect === "function" ? effect({}) : effect;
    };
    expect([effectOf("capability:send"), effectOf("mail")]).toEqual(["once", "idempotent"]);
    expect(await engine.call("mail", {}, { maxRetries: 1 })).toMatchObject({
      error: { retry: "safe" },
      meta: { attempts: 2 },
    });
  });
});

/** Lets time pass whenever nothing else happens. */
async function withTime(work: Promise<unknown>, clock: FakeClock): Promise<void> {
  const state = { over: false };
  void work.then(() => (state.over = true));
  for (let round = 0; !state.over && round < 100; round++) {
    for (let turn = 0; turn < 12; turn++) await settle();
    await clock.pass(2_000);
  }
  expect(state.over).toBe(true);
}

const isWriter = ({ effect }: { readonly effect: Effect }): boolean => effect === "once" || effect === "idempotent";

/** The failure proves that nothing happened. */
function leftUndone({ effect, outcome }: { readonly effect: Effect; readonly outcome: string }): boolean {
  return outcome === "unavailable" || (outcome === "safe" && effect === "once");
}

function answerOf(outcome: string, at: number): unknown {
  switch (outcome) {
    case "ok":
      return { at };
    case "empty":
      return [];
    case "unavailable":
      return fail("down", { code: "not_available", retry: "safe" });
    default:
      return fail(outcome, { retry: outcome as "safe" });
  }
}

function contractOf(name: string, kind: string) {
  return {
    name,
    description: "Does a job.",
    aliases: [],
    kind: kind as "search",
    input: { json: { type: "object" }, validate: (value: unknown) => ({ value }) },
    tools: [],
  };
}
