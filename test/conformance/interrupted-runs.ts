import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RunResult } from "../../src/chain/index.ts";
import type { NewJournalEvent, RunLease } from "../../src/store/index.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { type Life, type OpenPortsAt, RunOfLives } from "./in-process-lab.ts";
import { checkOrder } from "./run-conformance.ts";
import { type LabResult, type OpenPorts } from "./run-lab.ts";
import { type ChainScenario, type RunScenario, acting, scenarios } from "./run-scenarios.ts";

type InlineChain = Omit<ChainScenario, "kind">;

/**
 * Conformance suite of journals with a host: what happens to a run in its next process, by the minute. `open` returns
 * empty ports on this clock.
 */
export function interruptedRuns(name: string, open: OpenPortsAt): void {
  describe(`an interrupted run ${name}`, () => {
    let store: OpenPorts;
    let clock: FakeClock;
    let runs = 0;
    beforeEach(async () => {
      clock = new FakeClock();
      store = await open(clock);
    });
    afterEach(() => store.close());

    const make = (chain: InlineChain, noted: readonly string[] = []): RunOfLives =>
      new RunOfLives({ ...chain, kind: "chain" }, { ports: store, runId: `run-${++runs}`, clock, noted });

    const chains = Object.entries(scenarios as Readonly<Record<string, RunScenario>>).flatMap(([name, scenario]) =>
      // One that is suspended does not end in one process.
      scenario.kind === "chain" && scenario.requestApproval !== undefined && scenario.events === undefined
        ? [{ name, scenario }]
        : [],
    );
    test.each(chains)(
      "[N12] $name: repeated from any step on and killed before any commit, it reuses the same results",
      async ({ scenario }) => {
        const whole = make(scenario);
        const old = await whole.chain();
        for (const { id } of scenario.spec.steps) {
          const repeat = (run: RunOfLives, killBefore?: number): Promise<LabResult | undefined> =>
            run.live({ killBefore, execute: (lab) => lab.rerun(whole.runId, id) });
          const rerun = make(scenario);
          expect([id, (await repeat(rerun))?.output]).toEqual([id, old?.output]);
          const again = new Set(rerun.world.noted());
          const before = whole.world.noted().filter((line) => !again.has(line));
          for (let commit = 1; commit <= rerun.commits; commit++) {
            const seen = `from ${id}, killed before ${commit}`;
            let run = make(scenario, before);
            expect([seen, await repeat(run, commit)]).toEqual([seen, undefined]);
            const [left] = await store.journal.list({ status: "running" });
            if (left !== undefined) {
              run = new RunOfLives(scenario, { ports: store, runId: left.id, clock, noted: run.world.noted() });
              clock.advance(16_000);
            }
            const ended = await (left === undefined ? repeat(run) : run.live());
            expect([seen, ended?.status, ended?.output]).toEqual([seen, "success", old?.output]);
            const noted = run.world.noted();
            expect(noted.slice(before.length).filter((line) => !again.has(line))).toEqual([]);
            checkOrder(scenario, noted, seen);
            const seqs = await run.seqs();
            expect(seqs).toEqual(seqs.map((_, at) => at + 1));
          }
        }
      },
    );

    test("a run that has ended is replayed from its events, and nothing is called", async () => {
      const run = make(scenarios["a chain with sub-chains, items and rounds"]);
      const facts = await run.chain();
      const [called, timers] = [run.world.noted().length, clock.timers];
      const look = (await run.inspect()).chain;
      expect(look?.output).toEqual(facts?.output);
      expect(statesOf(look)).toEqual(statesOf(facts));
      expect([run.world.noted().length, clock.timers]).toEqual([called, timers]);
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
        tools: ({ note }) => ({
          once_w: acting("once", () => note(`w runs, journal has ${durable.join()}`)),
          read_r: acting("read", () => 1),
        }),
      });
      await run.chain({
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
      expect(run.world.noted()).toHaveLength(1);
      expect(run.world.noted()[0]).toContain("started w#1");
    });

    test.each([
      { decision: "approved", approved: true, status: "success", runs: 2, stored: "used" },
      { decision: "rejected", approved: false, status: "failed", runs: 1, stored: "rejected" },
    ])("[N02] an interrupted once tool waits for a decision; $decision: $status", async (expected) => {
      const run = make({
        spec: { name: "c", steps: [{ id: "w", tool: "once_w" }] },
        tools: ({ note }) => ({ once_w: acting("once", () => note("once w")) }),
      });
      expect(await run.chain({ crashAfter: 1 })).toBeUndefined();
      expect((await run.chain())?.status).toBe("waiting");
      const [open, ...more] = await store.approvals.list(clock.now(), "pending");
      expect(open).toMatchObject({ tool: "once_w", step: "w", message: expect.stringContaining("must not run twice") });
      // Suspended and resumed without a decision, it requests the same approval.
      expect((await run.chain())?.status).toBe("waiting");
      expect([more.length, (await store.approvals.list(clock.now(), "pending")).length]).toEqual([0, 1]);
      const id = String(open?.id);
      await store.approvals.decide(id, { approved: expected.approved }, clock.now());
      expect((await run.chain())?.status).toBe(expected.status);
      expect(run.world.noted()).toHaveLength(expected.runs);
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
          tools: ({ note }) => ({
            idem_w: acting("idempotent", () => note("first")),
            idem_undo: acting("idempotent", () => note("undo")),
            once_w: acting("once", () => note("once w")),
          }),
        });
        // started first, settled first, started w; then it is killed.
        expect(await run.chain({ crashAfter: 3 })).toBeUndefined();
        expect((await run.chain(life))?.status).toBe("waiting");
        return run;
      };

      test("[F6] does not expire: years later the run still waits for the same decision", async () => {
        const run = await interrupted();
        const [open] = await store.approvals.list(clock.now(), "pending");
        clock.advance(1000 * dayMs);
        expect((await run.chain())?.status).toBe("waiting");
        const [later, ...more] = await store.approvals.list(clock.now(), "pending");
        expect([later?.id, more]).toEqual([open?.id, []]);
        await store.approvals.decide(String(later?.id), { approved: true, done: { output: 1 } }, clock.now());
        expect((await run.chain())?.status).toBe("success");
        expect(run.world.noted()).toEqual(["first", "once w"]);
      });

      test("[F6] is requested again if an earlier version let it expire", async () => {
        const run = await interrupted({ interruptedApprovalMs: dayMs });
        const [open] = await store.approvals.list(clock.now(), "pending");
        clock.advance(30 * dayMs);
        expect((await run.chain())?.status).toBe("waiting");
        const [again] = await store.approvals.list(clock.now(), "pending");
        expect(again).toMatchObject({ step: "w", interrupted: true });
        expect(again?.id).not.toBe(open?.id);
        expect((await run.chain())?.status).toBe("waiting");
        await store.approvals.decide(String(again?.id), { approved: true }, clock.now());
        expect((await run.chain())?.status).toBe("success");
        expect(run.world.noted()).toEqual(["first", "once w", "once w"]);
      });

      test("[F6] expires if a setting limits it; then the step fails", async () => {
        const run = await interrupted({ interruptedApprovalMs: dayMs });
        clock.advance(dayMs);
        const facts = await run.chain({ interruptedApprovalMs: dayMs });
        expect([facts?.status, facts?.error?.reason]).toEqual(["failed", "expired"]);
        expect(run.world.noted()).toEqual(["first", "once w", "undo"]);
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
        tools: ({ note }) => ({
          idem_w: acting("idempotent", () => note("w")),
          read_bad: acting("read", () => {
            throw new Error("bad");
          }),
          once_undo: acting("once", () => note("once undo")),
        }),
      });
      // started w, settled w, settled bad, started undo; then it is killed.
      expect(await run.chain({ crashAfter: 4 })).toBeUndefined();
      const facts = await run.chain();
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
      const over = await run.chain();
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
          tools: ({ note }) => ({ once_w: acting("once", () => note("once w")) }),
        });
        expect((await run.chain())?.status).toBe("waiting");
        const [open] = await store.approvals.list(clock.now(), "pending");
        const id = String(open?.id);
        if (approved !== undefined) await store.approvals.decide(id, { approved }, clock.now());
        clock.advance(3_600_000);
        const facts = await run.chain();
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
          tools: ({ note }) => ({
            once_w: acting("once", () => note("once w")),
            idem_w: acting("idempotent", () => 1),
            once_undo: acting("once", () => note("once undo")),
            read_r: acting("read", ({ id }) => id),
            read_bad: acting("read", () => {
              throw new Error("bad");
            }),
          }),
        });
        expect(await run.chain({ crashAfter: undoing ? 4 : 1 })).toBeUndefined();
        expect((await run.chain())?.status).toBe("waiting");
        const [open] = await store.approvals.list(clock.now(), "pending");
        expect(open?.interrupted).toBe(true);
        const id = String(open?.id);
        const decided = await store.approvals.decide(id, { approved: true, done: { output: { id: 7 } } }, clock.now());
        expect(decided).toMatchObject({ status: "approved", done: { output: { id: 7 } } });
        const facts = await run.chain();
        expect(run.world.noted()).toHaveLength(1);
        const { compensation, confirmedDone } = facts?.steps[0] ?? {};
        const became = { output: facts?.output, compensation, confirmedDone };
        expect(became).toEqual(
          undoing ? { compensation: { status: "success" } } : { output: { w: { id: 7 }, r: 7 }, confirmedDone: true },
        );
        // Every replay results in the same states.
        expect(statesOf((await run.inspect()).chain)).toEqual(statesOf(facts));
      },
    );

    test("[N02] a call that was not running cannot be confirmed as done: its approval is requested once more", async () => {
      const run = make({
        spec: { name: "c", steps: [{ id: "w", tool: "once_w", approval: "Go?" }] },
        tools: ({ note }) => ({ once_w: acting("once", () => note("once w")) }),
      });
      await run.chain();
      const [open] = await store.approvals.list(clock.now(), "pending");
      expect(open?.interrupted).toBeUndefined();
      await store.approvals.decide(String(open?.id), { approved: true, done: { output: 1 } }, clock.now());
      expect((await run.chain())?.status).toBe("waiting");
      const [again] = await store.approvals.list(clock.now(), "pending");
      expect(again).toMatchObject({ tool: "once_w", message: "Go?" });
      expect([again?.id === open?.id, run.world.noted()]).toEqual([false, []]);
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
        tools: ({ note }) => ({
          once_a: acting("once", () => 1),
          once_w: acting("once", () => 1),
          idem_undo: acting("idempotent", ({ x }) => note(`undo ${String(x)}`)),
        }),
      });
      // started a, settled a, started w; then it is killed.
      expect(await run.chain({ crashAfter: 3 })).toBeUndefined();
      await run.chain();
      const [open] = await store.approvals.list(clock.now(), "pending");
      await store.approvals.decide(String(open?.id), { approved: false, by: "ann" }, clock.now());
      const facts = await run.chain();
      expect(facts?.error).toMatchObject({
        code: "permission_denied",
        message: expect.stringMatching(/rejected by ann; once_w was running when its process ended/),
      });
      expect(facts?.steps.map(({ compensation }) => compensation)).toMatchObject([
        { status: "success" },
        { status: "failed", error: { code: "interrupted", message: expect.stringContaining("undo its work by hand") } },
      ]);
      expect(run.world.noted()).toEqual(["undo a"]);
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
        expect(await run.chain({ crashAfter })).toBeUndefined();
        clock.advance(3_600_000);
      }
      const facts = await run.chain();
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
        requestApproval: () => () => new Promise((resolve) => clock.after(60_000, () => resolve({ approved: true }))),
      });
      // Events: started a, settled a, approval requested, remaining time, decided; then the process is killed, a minute
      // later.
      expect(await run.chain({ crashAfter: 6 })).toBeUndefined();
      clock.advance(3_600_000);
      expect((await run.chain())?.status).toBe("success");
    });

    test("a pause ends when it would have ended without the crash", async () => {
      const run = make({
        spec: {
          name: "c",
          timeout: 100,
          steps: [{ id: "r", tool: "read_r", retry: { max: 1, delay: 60, max_delay: 120, jitter: false } }],
        },
        tools: ({ note, noted }) => ({
          read_r: acting("read", () => {
            note(String(clock.now()));
            if (noted().length === 1) throw new Error("down");
            return 1;
          }),
        }),
      });
      const begun = clock.now();
      // Its process ends while it waits.
      await run.chain({ onHost: (host) => clock.after(30_000, () => host.releaseNow()) });
      const facts = await run.chain();
      expect(facts?.status).toBe("success");
      expect(Number(run.world.noted()[1]) - begun).toBe(60_000);
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
        tools: ({ note }) => ({
          idem_a: acting("idempotent", () => note("a")),
          idem_undo: acting("idempotent", () => note("undo")),
          read_slow: acting("read", () => new Promise((resolve) => clock.after(10_000, () => resolve(1)))),
          once_never: acting("once", () => note("never")),
        }),
      });
      // started a, settled a, the cancellation; then it is killed.
      await run.chain({ crashAfter: 3, onHost: (host) => clock.after(1000, () => host.cancelRun("ann")) });
      const facts = await run.chain();
      expect([facts?.status, facts?.error?.message]).toEqual(["cancelled", "the run was cancelled by ann"]);
      expect(run.world.noted()).toEqual(["a", "undo"]);
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
        tools: ({ note }) => ({
          read_slow: acting("read", () => new Promise((resolve) => clock.after(60_000, () => resolve(1)))),
          once_w: acting("once", () => note("once w")),
        }),
      });
      const lost = run.chain({
        isSilent: true,
        onHost: ({ runId }) => {
          clock.after(20_000, () => void store.journal.claim(runId, "thief"));
        },
      });
      await expect(lost).rejects.toMatchObject({ code: "run_lost" });
      expect(run.world.noted()).toEqual([]);
      expect(await run.seqs()).toEqual([]);
    });

    test("a released run finishes its running work, starts nothing more, and resumes elsewhere", async () => {
      const scenario = scenarios["a chain of writes, reads and a pause"];
      const expected = (await make(scenario).live())?.output;
      const run = make(scenario);
      const left = await run.chain({ onHost: (host) => clock.after(5, () => host.release()) });
      expect(left?.status).toBe("running");
      expect((await run.chain())?.output).toEqual(expected);
      checkOrder(scenario, run.world.noted(), "left");
    });

    test("a deliberately wrong order of commits is detected", async () => {
      const early: Life["between"] = (journal) => {
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
      const scenario = scenarios["a chain of writes, reads and a pause"];
      const broken: string[] = [];
      for (let crashAfter = 0; crashAfter < 8; crashAfter++) {
        const run = make(scenario);
        const ended = await run.chain({ crashAfter, between: early }).catch(() => undefined);
        if (ended !== undefined) continue;
        await run.chain();
        try {
          checkOrder(scenario, run.world.noted(), `killed after ${crashAfter}`);
        } catch (error) {
          broken.push(String(error));
        }
      }
      expect(broken.length).toBeGreaterThan(0);
    });
  });
}

function statesOf(facts: RunResult | undefined): unknown {
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
