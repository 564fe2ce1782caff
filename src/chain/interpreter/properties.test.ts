import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { withTime } from "../../../test/support/chain-runner.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { planWith } from "../../../test/support/record-run.ts";
import { fail } from "../../base/index.ts";
import { createEngine } from "../../engine/index.ts";
import { type JournalEvent, createInMemoryApprovals } from "../../store/index.ts";
import {
  type CallEnd,
  type CallRequest,
  type CallRunner,
  type CallSink,
  type RunningCall,
  wrapSink,
} from "../../run/call-runner.ts";
import { engineRunner } from "../../run/host/engine-runner.ts";
import { ChainCalls } from "../chain-calls.ts";
import { mock, mockTools } from "../../testing/chain/mock-tools.ts";
import type { ChainSpec, StepSpec } from "../plan/chain-spec.ts";
import { executeRun } from "./execute-run.ts";
import type { RunEvent } from "./run-events.ts";
import type { StepState } from "./step-state.ts";

/** Random properties of one step. */
const drawnStep = fc.record({
  needs: fc.array(fc.nat(20), { maxLength: 3 }),
  kind: fc.constantFrom("call", "call", "call", "each", "sub", "rounds", "approved"),
  latency: fc.constantFrom(0, 0, 5, 50),
  failures: fc.constantFrom(0, 0, 0, 1, 2, 9),
  retries: fc.nat(2),
  handling: fc.constantFrom("none", "continue", "fallback", "abort"),
  condition: fc.constantFrom(undefined, undefined, "${true}", "${false}", "prior"),
  compensate: fc.boolean(),
  softly: fc.boolean(),
});

type DrawnStep = typeof drawnStep extends fc.Arbitrary<infer T> ? T : never;

function toStep(drawn: DrawnStep, index: number): StepSpec {
  const needs = index === 0 ? [] : [...new Set(drawn.needs.map((need) => need % index))];
  const read = (need: number): string => `\${steps.s${need}.output${drawn.softly ? " ?? 0" : ""}}`;
  const { latency, failures, retries } = drawn;
  return {
    id: `s${index}`,
    tool: drawn.kind === "sub" ? "sub" : "work",
    params: { me: `s${index}`, latency, failures, of: needs.map(read) },
    ...conditionOf(drawn, needs),
    ...(retries > 0 && { retry: { max: retries, delay: 0.01 } }),
    ...kinds[drawn.kind],
    ...handlings[drawn.handling],
    ...(drawn.compensate && { compensate: { tool: "undo", params: { me: `s${index}` } } }),
  };
}

function conditionOf({ condition }: DrawnStep, [first]: readonly number[]): Pick<StepSpec, "condition"> {
  if (condition !== "prior") return condition === undefined ? {} : { condition };
  return first === undefined ? {} : { condition: `\${steps.s${first}.status == 'success'}` };
}

const kinds = {
  call: {},
  sub: {},
  each: { for_each: [1, 2, 3], concurrency: 2, tolerate: 1 },
  rounds: { repeat: { until: "${index >= 1}", max: 3 } },
  approved: { approval: "go on?" },
} satisfies Record<DrawnStep["kind"], Partial<StepSpec>>;

const handlings = {
  none: {},
  continue: { error_handling: { strategy: "continue" } },
  abort: { error_handling: { strategy: "abort" } },
  fallback: { error_handling: { strategy: "fallback", fallback: [{ tool: "help" }] } },
} satisfies Record<DrawnStep["handling"], Partial<StepSpec>>;

const drawnChain = fc.record({
  steps: fc.array(drawnStep, { minLength: 1, maxLength: 14 }),
  maxParallel: fc.integer({ min: 1, max: 6 }),
  approves: fc.boolean(),
  cancelAfter: fc.option(fc.nat(60), { freq: 6 }),
});

type DrawnChain = typeof drawnChain extends fc.Arbitrary<infer T> ? T : never;

const sub: ChainSpec = {
  name: "sub",
  input: { me: "string", latency: "number", failures: "number", of: "any?" },
  steps: [
    {
      id: "x",
      tool: "work",
      params: { me: "${input.me}/x", latency: "${input.latency}", failures: "${input.failures}" },
    },
    { id: "y", tool: "work", params: { me: "${input.me}/y", latency: 1, failures: 0, of: "${steps.x.output}" } },
  ],
};

/** Runs a random chain and checks the invariants of every run. */
async function check({ steps, maxParallel, approves, cancelAfter }: DrawnChain): Promise<void> {
  const clock = new FakeClock();
  const spec: ChainSpec = { name: "drawn", max_parallel: maxParallel, steps: steps.map(toStep) };
  const failed = new Map<string, number>();
  const work = mock({
    effect: "idempotent",
    answer: ({ me, latency, failures }, { idempotencyKey, signal }) => {
      const before = failed.get(idempotencyKey) ?? 0;
      failed.set(idempotencyKey, before + 1);
      const fails = before < Number(failures);
      if (latency === 0) return fails ? fail("down", { retry: "safe" }) : me;
      return new Promise((resolve, reject) => {
        const timer = clock.after(Number(latency), () =>
          fails ? reject(fail("down", { retry: "safe" })) : resolve(me),
        );
        signal.addEventListener("abort", () => {
          timer.cancel();
          reject(new Error("aborted"));
        });
      });
    },
  });
  const tools = mockTools(["work", "help", "undo"], {
    work,
    help: "helped",
    undo: mock({ effect: "idempotent", answer: 1 }),
  });
  const engine = createEngine({ tools, clock });
  const plan = planWith(spec, engine, [sub]);
  const events: JournalEvent[] = [];
  const reported: RunEvent[] = [];
  const stop = new AbortController();
  if (cancelAfter !== null) clock.after(cancelAfter, () => stop.abort());
  const task = {
    plan,
    input: {},
    context: {},
    env: {},
    lease: { runId: "r", epoch: 1 },
    startedAt: clock.now(),
    clock,
  };
  const runner = counting(engineRunner({ begin: (target, args, context) => engine.begin(target, args, context) }));
  const { facts } = await withTime(
    executeRun({
      ...task,
      journal: { append: (_, event) => void events.push(event) },
      events: [],
      calls: new ChainCalls({ plan, runId: "r", runner }),
      approvals: createInMemoryApprovals({ clock }),
      requestApproval: async () => ({ approved: approves }),
      signal: stop.signal,
      onEvent: (event) => reported.push(event),
    }),
    clock,
  );
  expect(["success", "failed", "cancelled"]).toContain(facts.status);
  checkSettled(facts.steps);
  checkReported(reported, facts.steps);
  expect(runner.peak).toBeLessThanOrEqual(maxParallel);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  const again = await executeRun({ ...task, events, calls: undefined });
  expect(plain(again.facts.steps)).toEqual(plain(facts.steps));
  expect([again.facts.status, again.facts.output]).toEqual([facts.status, facts.output]);
}

const ends = new Set(["success", "recovered", "skipped", "failed", "cancelled"]);

/** Every step has ended, none began before its needs had ended, and only work that was, or may have been, completed was compensated. */
function checkSettled(states: readonly StepState[]): void {
  for (const { step, status, startedAt, children, compensation, items, iterations } of states) {
    expect(ends, `${step.id} is ${status}`).toContain(status);
    for (const need of step.needs) {
      if (startedAt > 0) expect(states[need]?.endedAt).toBeLessThanOrEqual(startedAt);
    }
    const done = [status, ...(items ?? []).map((item) => item.status)];
    const ended = done.some((end) => end === "success" || end === "recovered");
    const unknown = compensation?.error?.code === "interrupted";
    if (compensation !== undefined) expect(ended || iterations > 0 || unknown).toBe(true);
    checkSettled(children ?? []);
  }
}

/** Every step that began is reported once, and its end once. */
function checkReported(reported: readonly RunEvent[], states: readonly StepState[]): void {
  for (const { path, startedAt, step, status } of states) {
    const of = reported.filter((event) => "step" in event && event.step === path);
    const finished = of.filter(({ type }) => type === "step-finished");
    const started = of.filter(({ type }) => type === "step-started");
    expect(finished.length, `${path} is ${status}`).toBe(startedAt > 0 ? 1 : 0);
    expect(started.length).toBeLessThanOrEqual(1);
    if (started.length === 1) expect(of[0]?.type).toBe("step-started");
    for (const need of step.needs) {
      const settled = reported.findIndex(
        (event) => event.type === "step-finished" && event.step === states[need]?.path,
      );
      const began = reported.indexOf(started[0] as RunEvent);
      if (began >= 0) expect(settled >= 0 && settled < began).toBe(true);
    }
  }
  expect(reported.at(-1)?.type).toBe("run-finished");
}

/** Counts the steps of the outermost chain with a running call. */
function counting(runner: CallRunner): CallRunner & { peak: number } {
  const working = new Map<string, number>();
  const counted = {
    peak: 0,
    begin: (call: CallRequest, sink: CallSink): RunningCall => {
      // Compensations come after everything else.
      const step = /^[\w-]+/.exec(call.key)?.[0] ?? "";
      const leave = (): void => {
        const left = (working.get(step) ?? 1) - 1;
        if (left === 0) working.delete(step);
        else working.set(step, left);
      };
      working.set(step, (working.get(step) ?? 0) + 1);
      counted.peak = Math.max(counted.peak, working.size);
      const ended = (end: CallEnd): void => {
        leave();
        sink.ended(end);
      };
      return runner.begin(call, wrapSink(sink, { ended }));
    },
  };
  return counted;
}

function plain(states: readonly StepState[]): unknown {
  return states.map(({ step: _step, children, approvalId: _id, ...state }) => ({
    ...state,
    children: plain(children ?? []),
  }));
}

describe("any chain", () => {
  test("ends; every step settles once, after its needs; slots are respected; a replay of its events gives the same run", async () => {
    await fc.assert(fc.asyncProperty(drawnChain, check), { numRuns: 150, seed: 20_260_101 });
  });
});
