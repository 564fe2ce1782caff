import { describe, expect, test } from "vitest";
import { heard, taking, withTime } from "../../../test/support/chain-runner.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { planWith } from "../../../test/support/record-run.ts";
import { type Clock, fail } from "../../base/index.ts";
import { createEngine } from "../../engine/index.ts";
import { type JournalEvent, createInMemoryApprovals } from "../../store/index.ts";
import { ok } from "../../tool/index.ts";
import { type MockAnswer, mock, mockTools } from "../../testing/chain/mock-tools.ts";
import type { ChainSpec } from "../../chain/plan/chain-spec.ts";
import { type ExecuteRunTask, executeRun } from "../../chain/interpreter/execute-run.ts";
import { ChainCalls } from "../../chain/chain-calls.ts";
import type { RunCalls } from "../call-runner.ts";
import { engineRunner } from "./engine-runner.ts";
import type { JournalSink } from "./journal-writer.ts";
import { JournalHost } from "./journal-host.ts";
import { ReadyQueue } from "./ready-queue.ts";
import { type LeasedRun, RunLeases } from "../leases/run-leases.ts";
import { RunTimers } from "./run-timers.ts";

function execute(
  spec: ChainSpec,
  tools: Readonly<Record<string, MockAnswer>>,
  more: Partial<ExecuteRunTask> & { readonly clock: Clock },
): ReturnType<typeof executeRun> {
  const engine = createEngine({ tools: mockTools(spec, tools), clock: more.clock });
  const plan = planWith(spec, engine);
  const runner = engineRunner({ begin: (target, args, context) => engine.begin(target, args, context) });
  return executeRun({
    plan,
    input: {},
    context: {},
    env: {},
    lease: { runId: "r", epoch: 1 },
    startedAt: more.clock.now(),
    events: [],
    calls: new ChainCalls({ plan, runId: "r", runner }),
    ...more,
  });
}

describe("a journal that cannot be written", () => {
  const full = fail("the disk is full", { code: "store_failed" });
  const fullAfter = (count: number): JournalSink => {
    let written = 0;
    return { append: () => (++written > count ? Promise.reject(full) : Promise.resolve()) };
  };

  test("stops the run: the tool that was about to start never runs, and running tools are aborted", async () => {
    const clock = new FakeClock();
    let [ran, aborts] = [0, 0];
    const spec = {
      name: "c",
      steps: [
        { id: "slow", tool: "slow" },
        { id: "write", tool: "write" },
      ],
    };
    const tools = {
      slow: mock({ effect: "read", answer: heard(taking(clock, 60_000, 1), () => aborts++) }),
      write: mock({ effect: "once", answer: () => ran++ }),
    };
    const run = withTime(execute(spec, tools, { clock, journal: fullAfter(0) }), clock);
    await expect(run).rejects.toBe(full);
    expect([ran, aborts]).toEqual([0, 1]);
  });

  test("stops the run if the end of a call cannot be written: no dependent step starts", async () => {
    const clock = new FakeClock();
    const ran: string[] = [];
    const spec = {
      name: "c",
      steps: [
        { id: "a", tool: "write", params: { me: "a" } },
        { id: "b", tool: "write", params: { me: "b" }, depends_on: ["a"] },
      ],
    };
    const write = mock({ effect: "idempotent", answer: ({ me }) => void ran.push(String(me)) });
    await expect(withTime(execute(spec, { write }, { clock, journal: fullAfter(1) }), clock)).rejects.toBe(full);
    expect(ran).toEqual(["a"]);
  });

  test("a disk that never answers does not keep the process from exiting", async () => {
    const clock = new FakeClock();
    let host: LeasedRun | undefined;
    const spec = { name: "c", steps: [{ id: "a", tool: "t" }] };
    let appended = 0;
    const journal: JournalSink = { append: () => (++appended === 1 ? undefined : new Promise(() => {})) };
    const run = execute(
      spec,
      { t: mock({ effect: "once", answer: 1 }) },
      { clock, journal, leases: { add: (made) => (host = made), remove: () => {} } },
    );
    clock.after(1000, () => host?.releaseNow());
    expect((await withTime(run, clock)).host.isReleased).toBe(true);
  });
});

test("no approver is prompted before the journal has the id of the approval", async () => {
  const clock = new FakeClock();
  const seen: string[] = [];
  const spec = { name: "c", steps: [{ id: "a", tool: "t", approval: "?" }] };
  const journal: JournalSink = {
    append: (_, { kind, key }) =>
      new Promise((resolve) => {
        clock.after(1000, () => {
          seen.push(`${kind} ${key}`);
          resolve();
        });
      }),
  };
  const requestApproval = async (): Promise<{ approved: true }> => {
    seen.push("requested");
    return { approved: true };
  };
  const approvals = createInMemoryApprovals({ clock });
  await withTime(
    execute(spec, { t: mock({ effect: "read", answer: 1 }) }, { clock, journal, approvals, requestApproval }),
    clock,
  );
  expect(seen).toEqual(["waiting a?", "requested", "settled a?", "settled a#1"]);
});

test("attachments of a tool's output are not written to the journal, which holds JSON", async () => {
  const clock = new FakeClock();
  const events: unknown[] = [];
  const image = { kind: "image", mimeType: "image/png", data: new Uint8Array(10) } as const;
  const t = mock({ effect: "read", answer: () => ok({ width: 1 }, { attachments: [image] }) });
  const spec = { name: "c", steps: [{ id: "a", tool: "t" }] };
  const journal: JournalSink = { append: (_, { data }) => void events.push(data) };
  const { facts } = await withTime(execute(spec, { t }, { clock, journal }), clock);
  expect(facts.output).toEqual({ a: { width: 1 } });
  expect(events).toHaveLength(1);
  expect(JSON.parse(JSON.stringify(events[0]))).toEqual(events[0]);
});

test("the time of a run stays monotonic if the clock is set back", async () => {
  const clock = new FakeClock();
  let back = 0;
  const wrong: Clock = {
    now: () => clock.now() - back,
    elapsed: () => clock.elapsed(),
    after: (...set) => clock.after(...set),
  };
  const spec = {
    name: "c",
    steps: [
      { id: "a", tool: "t" },
      { id: "b", tool: "t", depends_on: ["a"] },
    ],
  };
  const t = mock({
    effect: "read",
    answer: (args, context) => {
      back += 60_000;
      return taking(clock, 1000)(args, context);
    },
  });
  const { facts } = await withTime(execute(spec, { t }, { clock: wrong }), clock);
  for (const { startedAt, endedAt } of facts.steps) expect(endedAt - startedAt).toBeGreaterThanOrEqual(0);
  expect(facts.endedAt).toBeGreaterThanOrEqual(facts.startedAt);
});

describe("timers of a run", () => {
  test("a pause longer than the longest system timer lasts as long as requested", async () => {
    const clock = new FakeClock();
    const fired: number[] = [];
    const begun = clock.elapsed();
    const day = 86_400_000;
    new RunTimers(clock, { fired: () => fired.push(clock.elapsed() - begun), resumed: () => {} }).set(
      "k",
      60 * day,
      "pause",
    );
    clock.advance(59 * day);
    expect(fired).toEqual([]);
    clock.advance(2 * day);
    expect(fired).toEqual([60 * day]);
  });

  test("deadlines stand still while they are paused, pauses do not", () => {
    const clock = new FakeClock();
    const fired: string[] = [];
    const timers = new RunTimers(clock, { fired: (key) => fired.push(key), resumed: () => {} });
    timers.set("deadline", 1000, "deadline");
    timers.set("pause", 1000, "pause");
    clock.advance(400);
    timers.pauseDeadlines();
    clock.advance(10_000);
    expect([fired, timers.pauses]).toEqual([["pause"], 0]);
    timers.resumeDeadlines();
    clock.advance(599);
    expect(fired).toEqual(["pause"]);
    clock.advance(1);
    expect([fired, clock.timers]).toEqual([["pause", "deadline"], 0]);
  });
});

describe("the queue of outcomes", () => {
  const settled = (key: string) => ({ key, outcome: { kind: "fired" as const }, at: 1 });

  test("an outcome that is not durable holds back the outcomes behind it", () => {
    let news = 0;
    const queue = new ReadyQueue(
      () => false,
      () => news++,
    );
    const durable = queue.reserve(settled("write"));
    queue.add(settled("read"));
    expect([queue.take(), news]).toEqual([undefined, 0]);
    durable();
    expect(news).toBe(1);
    expect([queue.take(), queue.take(), news]).toEqual([settled("write"), settled("read"), 1]);
  });

  test("a consumer that found the queue empty is notified once when there is an outcome", () => {
    let news = 0;
    const queue = new ReadyQueue(
      () => false,
      () => news++,
    );
    queue.add(settled("before"));
    expect([queue.take(), queue.take(), news]).toEqual([settled("before"), undefined, 0]);
    queue.add(settled("one"));
    queue.add(settled("two"));
    expect(news).toBe(1);
    queue.fail(new Error("no disk"));
    expect(() => queue.take()).toThrow("no disk");
  });

  test("tens of thousands of outcomes stay in order", () => {
    const queue = new ReadyQueue(
      () => true,
      () => {},
    );
    const keys = Array.from({ length: 30_000 }, (_, index) => `k${index}`);
    const reported: (string | undefined)[] = [];
    for (const [index, key] of keys.entries()) {
      queue.add(settled(key));
      if (index % 3 === 0) reported.push(queue.take()?.key);
    }
    for (let next = queue.take(); next?.outcome.kind !== "suspended"; next = queue.take()) reported.push(next?.key);
    expect(reported).toEqual(keys);
  });
});

test("run leases have at most one poll under way, however many runs are added and removed", async () => {
  const clock = new FakeClock();
  let [looks, now, peak] = [0, 0, 0];
  const store = new RunLeases({
    clock,
    liveness: { owner: "o", onLost: () => () => {} },
    journal: {
      changes: async () => {
        looks++;
        peak = Math.max(peak, ++now);
        await new Promise<void>((resolve) => clock.after(10, resolve));
        now--;
        return [];
      },
    },
  });
  const run = (runId: string) => ({
    runId,
    cancelRun: () => {},
    poll: async () => {},
    release: () => {},
    releaseNow: () => {},
  });
  const [a, b] = [run("a"), run("b")];
  store.add(a);
  await clock.pass(255);
  store.remove(a);
  store.add(b);
  await clock.pass(10_000);
  expect(peak).toBe(1);
  expect(looks).toBeLessThanOrEqual(42);
  expect(looks).toBeGreaterThanOrEqual(35);
  store.remove(b);
  await clock.pass(1000);
  expect(clock.timers).toBe(0);
});

test("after replay, all steps that were deferred start", async () => {
  const clock = new FakeClock();
  const steps = Array.from({ length: 500 }, (_, index) => ({
    id: `s${index}`,
    tool: "t",
    depends_on: ["a"],
    condition: "${steps.a.output == 2}",
  }));
  const spec = { name: "c", max_parallel: 1000, steps: [{ id: "a", tool: "t" }, ...steps] };
  const events: JournalEvent[] = [];
  const journal: JournalSink = {
    append: (_, event) => {
      events.push(event);
      return undefined;
    },
  };
  const tools = { t: mock({ effect: "read", answer: 1 }) };
  await withTime(execute(spec, tools, { clock, journal }), clock);
  const again = await withTime(execute(spec, tools, { clock, events: [...events] }), clock);
  expect(again.facts.status).toBe("success");
});

test("a run without pending work fails instead of waiting indefinitely", () => {
  const clock = new FakeClock();
  const host = new JournalHost({
    lease: { runId: "r", epoch: 1 },
    startedAt: 0,
    journal: undefined,
    events: [],
    calls: {} as unknown as RunCalls,
    clock,
    approvals: undefined,
    waitForDecisions: true,
  });
  host.wait("a#1@0", { kind: "timer", ms: 1000 });
  expect(host.next(new Map([["a#1", 1]]))).toBeUndefined();
  host.cancel("a#1@0");
  expect(() => host.next(new Map([["a#1", 1]]))).toThrow("run r cannot continue");
});
