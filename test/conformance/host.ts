import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { JournalSink } from "../../src/run/host/journal-writer.ts";
import type { LeasedRun } from "../../src/run/leases/run-leases.ts";
import { engineExecutor } from "../../src/run/host/executor.ts";
import { type ExecutedRun, executeRun } from "../../src/chain/interpreter/execute-run.ts";
import type { RunFacts } from "../../src/chain/interpreter/run-facts.ts";
import type { Plan, PlanStep } from "../../src/chain/plan/plan.ts";
import { mockTools } from "../../src/testing/chain/mock-tools.ts";
import { reusableEvents } from "../../src/chain/chain-runs.ts";
import { previewRerun } from "../../src/chain/rerun-preview.ts";
import { createEngine } from "../../src/engine/index.ts";
import type { ApprovalStore, JournalEvent, NewJournalEvent, RunStore, RunLease } from "../../src/store/index.ts";
import { FakeClock, settle } from "../support/fake-clock.ts";
import { planWith } from "../support/record-run.ts";
import { type Scenario, type World, acting, scenarios } from "./host-scenarios.ts";
import { sampleRun } from "./sample-run.ts";

/** An open journal with its approvals, and a function that closes it. */
export interface OpenJournal {
  readonly runs: RunStore;
  readonly approvals: ApprovalStore;
  close(): Promise<void>;
}

/** Wraps the journal of a host. */
export type Between = (journal: JournalSink) => JournalSink;

/** One process of a run: until its end, or until it is killed. */
export interface Life {
  /** Number of events that reach the disk before the process is killed. Default: all of them. */
  readonly crashAfter?: number;
  readonly between?: Between;
  readonly onHost?: (host: LeasedRun) => void;
  readonly stay?: boolean;
  readonly interruptedApprovalMs?: number;
}

/** Runs one scenario in one world on one journal, process after process. */
export class RunOfLives {
  readonly world: World;
  readonly #scenario: Scenario;
  readonly #store: OpenJournal;
  readonly #runId: string;
  /** Events that the run reuses from another run. */
  readonly #taken: readonly JournalEvent[];
  readonly plan: Plan;
  readonly #engine: ReturnType<typeof createEngine>;
  #lives = 0;
  /** Pending calls of the store. */
  #open = 0;

  constructor(
    scenario: Scenario,
    parts: { store: OpenJournal; runId: string; clock: FakeClock; taken?: readonly JournalEvent[] },
  ) {
    const { store, runId, clock, taken = [] } = parts;
    this.world = { clock, log: [] };
    this.#taken = taken;
    this.#scenario = scenario;
    this.#store = store;
    this.#runId = runId;
    const { spec, others = [] } = scenario;
    const chains = new Set(others.map(({ name }) => name));
    const names = [spec, ...others].flatMap((chain) => [...mockTools(chain)].map(({ name }) => name));
    const tools = mockTools(
      names.filter((name) => !chains.has(name)),
      scenario.tools(this.world),
    );
    this.#engine = createEngine({ tools, clock: this.world.clock, permissions: { ask: ["ask_*"], allow: ["*"] } });
    this.plan = planWith(spec, this.#engine, others);
  }

  /** Runs one process; undefined if it was killed. */
  async live(life: Life = {}): Promise<RunFacts | undefined> {
    const { clock } = this.world;
    const { lease, events, startedAt } = await this.#take();
    let host: LeasedRun | undefined;
    let isKilled = false;
    const kill = (): void => {
      isKilled = true;
      host?.releaseNow();
    };
    const sink = this.#sink(life, kill);
    const work = executeRun({
      plan: this.plan,
      input: {},
      context: {},
      env: {},
      lease,
      startedAt,
      journal: life.between === undefined ? sink : life.between(sink),
      events,
      executor: engineExecutor({
        begin: (...call) => this.#engine.begin(...call),
        runId: this.#runId,
        secrets: { get: () => undefined },
      }),
      clock,
      approvals: this.#approvals,
      requestApproval: this.#scenario.requestApproval,
      waitForDecisions: life.stay ?? false,
      interruptedApprovalMs: life.interruptedApprovalMs,
      leases: {
        add: (made) => {
          host = made;
          life.onHost?.(made);
        },
        remove: () => {},
      },
    });
    const executed = await this.#drive(work);
    if (isKilled) return undefined;
    const { facts, isReleased } = executed;
    const status = isReleased && facts.status === "waiting" ? "running" : facts.status;
    await this.#store.runs.finish(lease, { status, at: clock.now() });
    return facts;
  }

  async events(): Promise<readonly JournalEvent[]> {
    return (await this.#store.runs.read(this.#runId))?.events ?? [];
  }

  /** Replays the events without executing anything. */
  async look(): Promise<RunFacts> {
    const { facts } = await executeRun({
      plan: this.plan,
      input: {},
      context: {},
      env: {},
      lease: { runId: this.#runId, epoch: 1 },
      startedAt: (await this.#store.runs.read(this.#runId))?.run.startedAt ?? 0,
      events: await this.events(),
      executor: undefined,
      clock: this.world.clock,
    });
    return facts;
  }

  /** Claims the run from its last process. */
  async #take(): Promise<{ lease: RunLease; events: readonly JournalEvent[]; startedAt: number }> {
    const { clock } = this.world;
    const me = `life-${++this.#lives}`;
    if (this.#lives === 1) {
      const startedAt = clock.now();
      const events = this.#taken.map((event) => ({ ...event, at: startedAt }));
      const made = await this.#store.runs.create(sampleRun(this.#runId, { startedAt }), me, events);
      if ("existing" in made) throw new Error(`${this.#runId} exists`);
      return { lease: made.lease, events, startedAt };
    }
    // Its lease holder is silent.
    clock.advance(16_000);
    const claim = await this.#store.runs.claim(this.#runId, me);
    if (claim.kind !== "claimed") throw new Error(`the run is ${claim.kind}`);
    return { lease: claim.lease, events: claim.events, startedAt: claim.run.startedAt };
  }

  /** Lets this number of events through; with the next one the process is killed, and later writes never arrive. */
  #sink({ crashAfter = Infinity }: Life, kill: () => void): JournalSink {
    let written = 0;
    return {
      append: (lease, event) => {
        if (++written > crashAfter) {
          queueMicrotask(kill);
          return new Promise<void>(() => {});
        }
        const stored = this.#store.runs.append(lease, event);
        return stored === undefined ? undefined : this.#counted(stored);
      },
    };
  }

  #counted<T>(answer: Promise<T>): Promise<T> {
    this.#open++;
    return answer.finally(() => this.#open--);
  }

  get #approvals(): ApprovalStore {
    const { approvals } = this.#store;
    return {
      request: (...requested) => this.#counted(approvals.request(...requested)),
      consume: (...requested) => this.#counted(approvals.consume(...requested)),
      restore: (...requested) => this.#counted(approvals.restore(...requested)),
      decide: (...requested) => this.#counted(approvals.decide(...requested)),
      get: (...requested) => this.#counted(approvals.get(...requested)),
      list: (...requested) => this.#counted(approvals.list(...requested)),
    };
  }

  /** Time advances only while no write is pending. */
  async #drive(work: Promise<ExecutedRun>): Promise<ExecutedRun> {
    const state = { isOver: false };
    const over = (): void => void (state.isOver = true);
    work.then(over, over);
    for (let idle = 0; !state.isOver && idle < 2000; idle++) {
      await settle();
      if (state.isOver) break;
      if (this.#open > 0) await new Promise((resolve) => setTimeout(resolve, 1));
      else if (await this.world.clock.passToNext()) idle = 0;
    }
    if (!state.isOver) throw new Error("the run does not end");
    return work;
  }
}

/** Conformance suite of journals and hosts. `open` returns an empty journal on this clock. */
export function hostConformance(name: string, open: (clock: FakeClock) => Promise<OpenJournal>): void {
  describe(`a run on the ${name} journal`, () => {
    let store: OpenJournal;
    let clock: FakeClock;
    let runs = 0;
    beforeEach(async () => {
      clock = new FakeClock();
      store = await open(clock);
    });
    afterEach(() => store.close());

    const make = (scenario: Scenario, taken: readonly JournalEvent[] = []): RunOfLives =>
      new RunOfLives(scenario, { store, runId: `run-${++runs}`, clock, taken });

    for (const [what, scenario] of Object.entries(scenarios)) {
      test(`[N12] ${what}: killed after any event, it ends as if nothing had happened`, async () => {
        const whole = make(scenario);
        const facts = await whole.live();
        const events = await whole.events();
        expect(facts?.status).toBe("success");
        expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
        for (let crashAfter = 0; crashAfter <= events.length; crashAfter++) {
          const run = make(scenario);
          const first = await run.live({ crashAfter });
          const again = first ?? (await run.live());
          expect([crashAfter, again?.status, again?.output]).toEqual([crashAfter, "success", facts?.output]);
          checkWorld(run, `killed after ${crashAfter}`);
          const stored = await run.events();
          expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, index) => index + 1));
        }
      });
    }

    for (const [what, scenario] of Object.entries(scenarios)) {
      test(`[N12] ${what}: repeated from any step on and killed after any event, it reuses the same results`, async () => {
        const whole = make(scenario);
        const old = await whole.live();
        if (old === undefined) throw new Error("it was not killed");
        const events = await whole.events();
        for (const { id } of whole.plan.steps) {
          const preview = previewRerun({ from: id, plan: whole.plan, old, undone: new Set() });
          const taken = reusableEvents(preview, events);
          const rerun = make(scenario, taken);
          expect([id, (await rerun.live())?.output]).toEqual([id, old.output]);
          const again = new Set(rerun.world.log);
          const before = whole.world.log.filter((line) => !again.has(line));
          const written = (await rerun.events()).length - taken.length;
          for (let crashAfter = 0; crashAfter <= written; crashAfter++) {
            const seen = `from ${id}, killed after ${crashAfter}`;
            const run = make(scenario, taken);
            run.world.log.push(...before);
            const facts = (await run.live({ crashAfter })) ?? (await run.live());
            expect([seen, facts?.status, facts?.output]).toEqual([seen, "success", old.output]);
            expect(run.world.log.slice(before.length).filter((line) => !again.has(line))).toEqual([]);
            checkWorld(run, seen);
            expect((await run.events()).map(({ seq }) => seq)).toEqual((await run.events()).map((_, at) => at + 1));
          }
        }
      });
    }

    test("[N12] killed twice, at any two moments, it still ends as if nothing had happened", async () => {
      const scenario = scenarios["writes, reads and a pause"];
      const facts = await make(scenario).live();
      for (let first = 0; first < 12; first += 2) {
        for (let second = 0; second < 8; second += 2) {
          const run = make(scenario);
          const result =
            (await run.live({ crashAfter: first })) ?? (await run.live({ crashAfter: second })) ?? (await run.live());
          expect([first, second, result?.output]).toEqual([first, second, facts?.output]);
          checkWorld(run, `killed after ${first} and ${second}`);
        }
      }
    });

    test("a run that has ended is replayed from its events, and nothing is called", async () => {
      const run = make(scenarios["sub-chains, items and rounds"]);
      const facts = await run.live();
      const [called, timers] = [run.world.log.length, clock.timers];
      const look = await run.look();
      expect(look.output).toEqual(facts?.output);
      expect(statesOf(look)).toEqual(statesOf(facts));
      expect([run.world.log.length, clock.timers]).toEqual([called, timers]);
    });

    test("a writing tool starts only after the journal has its event", async () => {
      const durable: string[] = [];
      const run = make({
        spec: {
          name: "c",
          steps: [
            { id: "w", tool: "once_w" },
            { id: "r", tool: "read_r" },
          ],
        },
        tools: ({ log }) => ({
          once_w: acting("once", () => void log.push(`w runs, journal has ${durable.join()}`)),
          read_r: acting("read", () => 1),
        }),
      });
      await run.live({
        between: (journal) => ({
          append: (lease, event) => {
            const stored = journal.append(lease, event);
            const note = (): void => void durable.push(`${event.kind} ${event.key}`);
            if (stored === undefined) note();
            else void stored.then(note);
            return stored;
          },
        }),
      });
      expect(run.world.log).toHaveLength(1);
      expect(run.world.log[0]).toContain("started w#1");
    });

    test.each([
      { decision: "approved", approved: true, status: "success", runs: 2, stored: "used" },
      { decision: "rejected", approved: false, status: "failed", runs: 1, stored: "rejected" },
    ])("[N02] an interrupted once tool waits for a decision; $decision: $status", async (expected) => {
      const run = make({
        spec: { name: "c", steps: [{ id: "w", tool: "once_w" }] },
        tools: ({ log }) => ({ once_w: acting("once", () => void log.push("once w")) }),
      });
      expect(await run.live({ crashAfter: 1 })).toBeUndefined();
      expect((await run.live())?.status).toBe("waiting");
      const [open, ...more] = await store.approvals.list(clock.now(), "pending");
      expect(open).toMatchObject({ tool: "once_w", step: "w", message: expect.stringContaining("must not run twice") });
      // Suspended and resumed without a decision, it requests the same approval.
      expect((await run.live())?.status).toBe("waiting");
      expect([more.length, (await store.approvals.list(clock.now(), "pending")).length]).toEqual([0, 1]);
      const id = String(open?.id);
      await store.approvals.decide(id, { approved: expected.approved }, clock.now());
      expect((await run.live())?.status).toBe(expected.status);
      expect(run.world.log).toHaveLength(expected.runs);
      expect((await store.approvals.get(id, clock.now()))?.status).toBe(expected.stored);
    });

    describe("[F6] the approval of an interrupted once tool", () => {
      const dayMs = 86_400_000;
      const interrupted = async (life: Life = {}): Promise<RunOfLives> => {
        const run = make({
          spec: {
            name: "c",
            steps: [
              { id: "first", tool: "idem_w", compensate: { tool: "idem_undo" } },
              { id: "w", tool: "once_w", depends_on: ["first"] },
            ],
          },
          tools: ({ log }) => ({
            idem_w: acting("idempotent", () => void log.push("first")),
            idem_undo: acting("idempotent", () => void log.push("undo")),
            once_w: acting("once", () => void log.push("once w")),
          }),
        });
        // started first, settled first, started w; then it is killed.
        expect(await run.live({ crashAfter: 3 })).toBeUndefined();
        expect((await run.live(life))?.status).toBe("waiting");
        return run;
      };

      test("[F6] does not expire: years later the run still waits for the same decision", async () => {
        const run = await interrupted();
        const [open] = await store.approvals.list(clock.now(), "pending");
        clock.advance(1000 * dayMs);
        expect((await run.live())?.status).toBe("waiting");
        const [later, ...more] = await store.approvals.list(clock.now(), "pending");
        expect([later?.id, more]).toEqual([open?.id, []]);
        await store.approvals.decide(String(later?.id), { approved: true, done: { output: 1 } }, clock.now());
        expect((await run.live())?.status).toBe("success");
        expect(run.world.log).toEqual(["first", "once w"]);
      });

      test("[F6] is requested again if an earlier version let it expire", async () => {
        const run = await interrupted({ interruptedApprovalMs: dayMs });
        const [open] = await store.approvals.list(clock.now(), "pending");
        clock.advance(30 * dayMs);
        expect((await run.live())?.status).toBe("waiting");
        const [again] = await store.approvals.list(clock.now(), "pending");
        expect(again).toMatchObject({ step: "w", interrupted: true });
        expect(again?.id).not.toBe(open?.id);
        expect((await run.live())?.status).toBe("waiting");
        await store.approvals.decide(String(again?.id), { approved: true }, clock.now());
        expect((await run.live())?.status).toBe("success");
        expect(run.world.log).toEqual(["first", "once w", "once w"]);
      });

      test("[F6] expires if a setting limits it; then the step fails", async () => {
        const run = await interrupted({ interruptedApprovalMs: dayMs });
        clock.advance(dayMs);
        const facts = await run.live({ interruptedApprovalMs: dayMs });
        expect([facts?.status, facts?.error?.reason]).toEqual(["failed", "expired"]);
        expect(run.world.log).toEqual(["first", "once w", "undo"]);
      });
    });

    test("[N06] a once tool that was interrupted while it compensated a step waits for a decision, whose message describes it", async () => {
      const run = make({
        spec: {
          name: "c",
          steps: [
            { id: "w", tool: "idem_w", compensate: { tool: "once_undo", params: { x: 1 } } },
            { id: "bad", tool: "read_bad", depends_on: ["w"] },
          ],
        },
        tools: ({ log }) => ({
          idem_w: acting("idempotent", () => void log.push("w")),
          read_bad: acting("read", () => {
            throw new Error("bad");
          }),
          once_undo: acting("once", () => void log.push("once undo")),
        }),
      });
      // started w, settled w, settled bad, started undo; then it is killed.
      expect(await run.live({ crashAfter: 4 })).toBeUndefined();
      const facts = await run.live();
      const [open] = await store.approvals.list(clock.now(), "pending");
      if (facts === undefined || open === undefined) throw new Error("nothing waits");
      const { id: approvalId, message } = open;
      expect(open).toMatchObject({ tool: "once_undo", step: "w", message: expect.stringMatching(/^Undo of step w: /) });
      expect(facts.status).toBe("waiting");
      expect(facts.steps[0]).toMatchObject({
        status: "success",
        approvalId,
        pendingApprovals: [{ approvalId, tool: "once_undo", args: { x: 1 }, message, isCompensation: true }],
      });
      await store.approvals.decide(approvalId, { approved: false }, clock.now());
      const over = await run.live();
      expect(over?.status).toBe("failed");
      expect(over?.steps[0]).toMatchObject({
        pendingApprovals: undefined,
        compensation: { status: "failed", error: { reason: "rejected" } },
      });
    });

    test("a decision in time counts even if the run resumes later; without a decision the step fails", async () => {
      for (const approved of [true, false, undefined]) {
        const run = make({
          spec: { name: "c", steps: [{ id: "w", tool: "once_w", approval: { message: "?", expires: 60 } }] },
          tools: ({ log }) => ({ once_w: acting("once", () => void log.push("once w")) }),
        });
        expect((await run.live())?.status).toBe("waiting");
        const [open] = await store.approvals.list(clock.now(), "pending");
        const id = String(open?.id);
        if (approved !== undefined) await store.approvals.decide(id, { approved }, clock.now());
        clock.advance(3_600_000);
        const facts = await run.live();
        const reason = approved === undefined ? "expired" : "rejected";
        expect([facts?.status, facts?.error?.reason]).toEqual(
          approved === true ? ["success", undefined] : ["failed", reason],
        );
        expect(await store.approvals.list(clock.now(), "pending")).toEqual([]);
        const stored = approved === true ? "used" : reason;
        expect((await store.approvals.get(id, clock.now()))?.status).toBe(stored);
      }
    });

    test.each(["the step", "undoing the step"])(
      "[N02] a person may confirm that an interrupted once tool had completed: %s",
      async (what) => {
        const undoing = what !== "the step";
        const run = make({
          spec: {
            name: "c",
            steps: undoing
              ? [
                  { id: "w", tool: "idem_w", compensate: { tool: "once_undo" } },
                  { id: "bad", tool: "read_bad", depends_on: ["w"] },
                ]
              : [
                  // A person provides the step's output: select applies only to the output of the tool.
                  { id: "w", tool: "once_w", output: { select: "$.inner" } },
                  { id: "r", tool: "read_r", params: { id: "${steps.w.output.id}" } },
                ],
          },
          tools: ({ log }) => ({
            once_w: acting("once", () => void log.push("once w")),
            idem_w: acting("idempotent", () => 1),
            once_undo: acting("once", () => void log.push("once undo")),
            read_r: acting("read", ({ id }) => id),
            read_bad: acting("read", () => {
              throw new Error("bad");
            }),
          }),
        });
        expect(await run.live({ crashAfter: undoing ? 4 : 1 })).toBeUndefined();
        expect((await run.live())?.status).toBe("waiting");
        const [open] = await store.approvals.list(clock.now(), "pending");
        expect(open?.interrupted).toBe(true);
        const id = String(open?.id);
        const decided = await store.approvals.decide(id, { approved: true, done: { output: { id: 7 } } }, clock.now());
        expect(decided).toMatchObject({ status: "approved", done: { output: { id: 7 } } });
        const facts = await run.live();
        expect(run.world.log).toHaveLength(1);
        const { compensation, confirmedDone } = facts?.steps[0] ?? {};
        const became = { output: facts?.output, compensation, confirmedDone };
        expect(became).toEqual(
          undoing ? { compensation: { status: "success" } } : { output: { w: { id: 7 }, r: 7 }, confirmedDone: true },
        );
        // Every replay results in the same states.
        expect(statesOf(await run.look())).toEqual(statesOf(facts));
      },
    );

    test("[N02] a call that was not running cannot be confirmed as done: its approval is requested once more", async () => {
      const run = make({
        spec: { name: "c", steps: [{ id: "w", tool: "once_w", approval: "Go?" }] },
        tools: ({ log }) => ({ once_w: acting("once", () => void log.push("once w")) }),
      });
      await run.live();
      const [open] = await store.approvals.list(clock.now(), "pending");
      expect(open?.interrupted).toBeUndefined();
      await store.approvals.decide(String(open?.id), { approved: true, done: { output: 1 } }, clock.now());
      expect((await run.live())?.status).toBe("waiting");
      const [again] = await store.approvals.list(clock.now(), "pending");
      expect(again).toMatchObject({ tool: "once_w", message: "Go?" });
      expect([again?.id === open?.id, run.world.log]).toEqual([false, []]);
    });

    test("[N06] work that may have been done, and was not allowed to run again, is reported as not undone", async () => {
      const run = make({
        spec: {
          name: "c",
          steps: [
            { id: "a", tool: "once_a", compensate: { tool: "idem_undo", params: { x: "a" } } },
            { id: "w", tool: "once_w", depends_on: ["a"], compensate: { tool: "idem_undo", params: { x: "w" } } },
          ],
        },
        tools: ({ log }) => ({
          once_a: acting("once", () => 1),
          once_w: acting("once", () => 1),
          idem_undo: acting("idempotent", ({ x }) => void log.push(`undo ${String(x)}`)),
        }),
      });
      // started a, settled a, started w; then it is killed.
      expect(await run.live({ crashAfter: 3 })).toBeUndefined();
      await run.live();
      const [open] = await store.approvals.list(clock.now(), "pending");
      await store.approvals.decide(String(open?.id), { approved: false, by: "ann" }, clock.now());
      const facts = await run.live();
      expect(facts?.error).toMatchObject({
        code: "permission_denied",
        message: expect.stringMatching(/rejected by ann; once_w was running when its process ended/),
      });
      expect(facts?.steps.map(({ compensation }) => compensation)).toMatchObject([
        { status: "success" },
        { status: "failed", error: { code: "interrupted", message: expect.stringContaining("undo its work by hand") } },
      ]);
      expect(run.world.log).toEqual(["undo a"]);
    });

    test("a timeout counts in all processes of a run, and only while it is executed", async () => {
      const steps = Array.from({ length: 9 }, (_, at) => ({
        id: `s${at}`,
        tool: "idem_slow",
        ...(at > 0 && { depends_on: [`s${at - 1}`] }),
      }));
      const run = make({
        spec: { name: "c", timeout: 50, steps: [{ id: "sub", tool: "inner" }] },
        others: [{ name: "inner", timeout: 45, steps }],
        tools: () => ({
          idem_slow: acting("idempotent", () => new Promise((resolve) => clock.after(10_000, () => resolve(1)))),
        }),
      });
      // Started and settled twice, started; then the remaining time of both limits, and the same again.
      for (const crashAfter of [5, 6]) {
        expect(await run.live({ crashAfter })).toBeUndefined();
        clock.advance(3_600_000);
      }
      const facts = await run.live();
      expect([facts?.status, facts?.error?.code]).toEqual(["failed", "timeout"]);
      expect(facts?.error?.message).toContain("inner took longer than 45000 ms");
      expect(facts?.steps[0]?.children?.filter(({ status }) => status === "success")).toHaveLength(4);
    });

    test("the time until a decision does not count as work, in any process", async () => {
      const run = make({
        spec: {
          name: "c",
          timeout: 25,
          steps: [
            { id: "a", tool: "idem_slow" },
            { id: "b", tool: "idem_slow", depends_on: ["a"], approval: "?" },
          ],
        },
        tools: () => ({
          idem_slow: acting("idempotent", () => new Promise((resolve) => clock.after(10_000, () => resolve(1)))),
        }),
        requestApproval: () => new Promise((resolve) => clock.after(3_600_000, () => resolve({ approved: true }))),
      });
      // Events: started a, settled a, approval requested, remaining time, decided; then the process is killed, an hour
      // later.
      expect(await run.live({ crashAfter: 6 })).toBeUndefined();
      clock.advance(3_600_000);
      expect((await run.live())?.status).toBe("success");
    });

    test("a pause ends when it would have ended without the crash", async () => {
      const run = make({
        spec: {
          name: "c",
          timeout: 100,
          steps: [{ id: "r", tool: "read_r", retry: { max: 1, delay: 60, max_delay: 120, jitter: false } }],
        },
        tools: ({ log }) => ({
          read_r: acting("read", () => {
            log.push(String(clock.now()));
            if (log.length === 1) throw new Error("down");
            return 1;
          }),
        }),
      });
      const begun = clock.now();
      // Its process ends while it waits.
      await run.live({ onHost: (host) => clock.after(30_000, () => host.releaseNow()) });
      const facts = await run.live();
      expect(facts?.status).toBe("success");
      expect(Number(run.world.log[1]) - begun).toBe(60_000);
    });

    test("a cancellation survives a crash, and steps that had not started never start", async () => {
      const run = make({
        spec: {
          name: "c",
          steps: [
            { id: "a", tool: "idem_a", compensate: { tool: "idem_undo" } },
            { id: "slow", tool: "read_slow", depends_on: ["a"] },
            { id: "never", tool: "once_never", depends_on: ["slow"] },
          ],
        },
        tools: ({ log }) => ({
          idem_a: acting("idempotent", () => void log.push("a")),
          idem_undo: acting("idempotent", () => void log.push("undo")),
          read_slow: acting("read", () => new Promise((resolve) => clock.after(10_000, () => resolve(1)))),
          once_never: acting("once", () => void log.push("never")),
        }),
      });
      // started a, settled a, the cancellation; then it is killed.
      await run.live({ crashAfter: 3, onHost: (host) => clock.after(1000, () => host.cancelRun("ann")) });
      const facts = await run.live();
      expect([facts?.status, facts?.error?.message]).toEqual(["cancelled", "the run was cancelled by ann"]);
      expect(run.world.log).toEqual(["a", "undo"]);
    });

    test("a run that another process has claimed stops, and writes nothing more", async () => {
      const run = make({
        spec: {
          name: "c",
          steps: [
            { id: "slow", tool: "read_slow" },
            { id: "w", tool: "once_w", depends_on: ["slow"] },
          ],
        },
        tools: ({ log }) => ({
          read_slow: acting("read", () => new Promise((resolve) => clock.after(60_000, () => resolve(1)))),
          once_w: acting("once", () => void log.push("once w")),
        }),
      });
      const lost = run.live({
        onHost: ({ runId }) => {
          clock.after(20_000, () => void store.runs.claim(runId, "thief"));
        },
      });
      await expect(lost).rejects.toMatchObject({ code: "run_lost" });
      expect(run.world.log).toEqual([]);
      expect(await run.events()).toEqual([]);
    });

    test("a released run finishes its running work, starts nothing more, and resumes elsewhere", async () => {
      const scenario = scenarios["writes, reads and a pause"];
      const expected = (await make(scenario).live())?.output;
      const run = make(scenario);
      const left = await run.live({ onHost: (host) => clock.after(5, () => host.release()) });
      expect(left?.status).toBe("waiting");
      expect((await run.live())?.output).toEqual(expected);
      checkWorld(run, "left");
    });

    test("a deliberately wrong order of commits is detected", async () => {
      const early: Between = (journal) => {
        const held: (() => void)[] = [];
        return {
          // Reports events as stored that are still pending: the last five events of a killed process are lost.
          append: (lease: RunLease, event: NewJournalEvent) => {
            held.push(() => void journal.append(lease, event));
            if (held.length > 5) held.shift()?.();
            return undefined;
          },
        };
      };
      const scenario = scenarios["writes, reads and a pause"];
      const broken: string[] = [];
      for (let crashAfter = 0; crashAfter < 8; crashAfter++) {
        const run = make(scenario);
        const ended = await run.live({ crashAfter, between: early }).catch(() => undefined);
        if (ended !== undefined) continue;
        await run.live();
        try {
          checkWorld(run, `killed after ${crashAfter}`);
        } catch (error) {
          broken.push(String(error));
        }
      }
      expect(broken.length).toBeGreaterThan(0);
    });
  });
}

/** Checks the invariants of a world after any kill. */
export function checkWorld({ world: { log }, plan }: Pick<RunOfLives, "world" | "plan">, what: string): void {
  const seen = `${what}: ${log.join(", ")}`;
  const once = log.filter((line) => line.startsWith("once "));
  expect(new Set(once).size, `a once tool ran twice; ${seen}`).toBe(once.length);
  const begun = new Set<string>();
  for (const line of log) {
    const [effect = "", name = ""] = line.split(" ");
    const step = plan.byId.get(name);
    const early = step?.needs.find((need) => isMissed(plan.steps[need], begun));
    expect(early, `${name} ran before its needs; ${seen}`).toBeUndefined();
    // A read may be repeated as long as nothing was written because of it.
    const late = step?.dependents.find((index) => {
      const dependent = plan.steps[index];
      return begun.has(dependent?.id ?? "") && !(effect === "read" && dependent?.target.name === "read");
    });
    expect(late, `${name} ran again after a dependent had begun; ${seen}`).toBeUndefined();
    begun.add(name);
  }
}

/** A step that should have run. Chains write no line of their own, and a fallback may have replaced a once tool. */
function isMissed(need: PlanStep | undefined, begun: ReadonlySet<string>): boolean {
  if (need?.target.tool === undefined || need.target.name.endsWith("once")) return false;
  return !begun.has(need.id);
}

function statesOf(facts: RunFacts | undefined): unknown {
  return facts?.steps.map(({ path, status, output, attempts, startedAt, endedAt, children }) => ({
    path,
    status,
    output,
    attempts,
    startedAt,
    endedAt,
    children: children?.map((child) => [child.path, child.status, child.output]),
  }));
}
