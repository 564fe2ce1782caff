import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  type ApprovalStore,
  type Claim,
  type ExecutableRun,
  type JournalEvent,
  type NewJournalEvent,
  type NewRun,
  type RecordStore,
  type RunStore,
  type RunLease,
  eventsPerUpdate,
} from "../../src/store/index.ts";
import { sampleEvent, sampleRun, settledCall } from "./sample-run.ts";

/** An open journal, the store for the records of its events, and a function that closes it. */
export interface OpenRuns {
  readonly runs: RunStore;
  readonly records: RecordStore;
  readonly approvals: ApprovalStore;
  close(): Promise<void>;
}

/**
 * Conformance suite of run journals. `open` returns an empty journal whose clock is `now`; 15 s of silence free a run.
 */
export function runJournalConformance(name: string, open: (now: () => number) => Promise<OpenRuns>): void {
  describe(`${name} run journal`, () => {
    let store: OpenRuns;
    let runs: RunStore;
    let now = 1000;
    const ann = "ann";
    const bob = "bob";

    beforeEach(async () => {
      now = 1000;
      store = await open(() => now);
      runs = store.runs;
    });
    afterEach(() => store.close());

    async function make(id: string, input: Partial<NewRun> = {}, owner = ann): Promise<RunLease> {
      const made = await runs.create(sampleRun(id, input), owner);
      if ("existing" in made) throw new Error(`${id} exists`);
      return made.lease;
    }

    /** Resolves once the event is stored, for journals that store immediately and later. */
    const append = async (lease: RunLease, event: NewJournalEvent): Promise<void> => runs.append(lease, event);

    async function taken(id: string, owner = bob): Promise<Extract<Claim, { kind: "claimed" }>> {
      const claim = await runs.claim(id, owner);
      if (claim.kind !== "claimed") throw new Error(`${id} is ${claim.kind}`);
      return claim;
    }

    describe("making a run", () => {
      test("returns a lease, and the run can be read back unchanged", async () => {
        const made = sampleRun("r1", { rerunOf: "r0" });
        expect(await runs.create(made, ann)).toEqual({ lease: { runId: "r1", epoch: 1 } });
        const expected = { ...made, status: "running", cancelRequested: false, leaseHolder: ann, epoch: 1, deaths: 0 };
        expect(await runs.read("r1")).toEqual({ run: expected, events: [] });
        expect(await runs.read("r2")).toBeUndefined();
      });

      test("returns the existing run with that id, and does not change it", async () => {
        const lease = await make("r1");
        await append(lease, sampleEvent(1));
        const again = await runs.create(sampleRun("r1", { name: "other", input: "{}" }), bob);
        expect(again).toMatchObject({
          existing: { id: "r1", kind: "chain", name: "research", leaseHolder: ann, epoch: 1 },
        });
        await append(lease, sampleEvent(2));
        expect((await runs.read("r1"))?.events).toHaveLength(2);
      });

      test("starts with events from an earlier run, and continues from there", async () => {
        const large = { text: "漢字🚀".repeat(100_000) };
        const events = [sampleEvent(1), sampleEvent(2, large), sampleEvent(3, null)];
        const made = await runs.create(sampleRun("r1"), ann, events);
        if ("existing" in made) throw new Error("it exists");
        expect((await runs.read("r1"))?.events).toEqual(events);
        await expect(append(made.lease, sampleEvent(3))).rejects.toMatchObject({ reason: "journal_gap" });
        await append(made.lease, sampleEvent(4));
        now += 20_000;
        expect((await taken("r1")).events).toEqual([...events, sampleEvent(4)]);
        // An existing run keeps its events.
        expect(await runs.create(sampleRun("r1"), ann, [sampleEvent(1, "other")])).toHaveProperty("existing");
        expect((await runs.read("r1"))?.events).toHaveLength(4);
      });

      test("events that leave a gap create no run", async () => {
        const gap = { code: "store_failed", reason: "journal_gap" };
        for (const events of [[sampleEvent(2)], [sampleEvent(1), sampleEvent(3)], [sampleEvent(1), sampleEvent(1)]]) {
          await expect(runs.create(sampleRun("r1"), ann, events)).rejects.toMatchObject(gap);
        }
        expect(await runs.read("r1")).toBeUndefined();
      });

      test("succeeds for only one of two concurrent callers", async () => {
        const made = await Promise.all([1, 2, 3, 4].map(() => runs.create(sampleRun("r1"), ann)));
        expect(made.filter((one) => "lease" in one)).toHaveLength(1);
      });
    });

    describe("events", () => {
      test("come back in order and unchanged", async () => {
        const lease = await make("r1");
        const outputs: unknown[] = [null, "", "text\u0000\u2028🚀", 0, -1.5e300, true, [], {}, [[{ a: [null] }]]];
        const odd = JSON.parse('{"__proto__":{"x":1},"constructor":2,"a.b":{"":3},"result":{"output":4}}') as unknown;
        const events = [...outputs, odd].map((output, index) => sampleEvent(index + 1, output));
        events.push({ seq: events.length + 1, kind: "started", key: "", at: 0.5, data: {} });
        events.push({ seq: events.length + 1, kind: "waiting", key: "漢字/0#1", at: 1e15, data: [1, "2"] });
        for (const event of events) await append(lease, event);
        expect((await runs.read("r1"))?.events).toEqual(events);
        const { data } = (await runs.read("r1"))?.events[9] ?? {};
        expect(JSON.stringify(data)).toBe(JSON.stringify(events[9]?.data));
      });

      test("are in order without waiting for each, and all stored when the last is", async () => {
        const lease = await make("r1");
        const events = Array.from({ length: 3000 }, (_, index) => sampleEvent(index + 1));
        const stored = events.map((event) => append(lease, event));
        await stored.at(-1);
        expect((await runs.read("r1"))?.events).toEqual(events);
        await Promise.all(stored);
      });

      test("events that leave a gap, or come twice, are rejected, and the run continues", async () => {
        const lease = await make("r1");
        await append(lease, sampleEvent(1));
        const gap = { code: "store_failed", reason: "journal_gap" };
        await expect(append(lease, sampleEvent(3))).rejects.toMatchObject(gap);
        await expect(append(lease, sampleEvent(1))).rejects.toMatchObject(gap);
        await expect(append(lease, sampleEvent(0))).rejects.toMatchObject(gap);
        await append(lease, sampleEvent(2));
        expect((await runs.read("r1"))?.events.map(({ seq }) => seq)).toEqual([1, 2]);
      });

      test("store the records of their calls in the same form as all others", async () => {
        const lease = await make("r1");
        const outputs: unknown[] = [{ list: [1, { deep: "漢字" }] }, "text", null, 12.5, false, [], { output: 1 }];
        const sent = outputs.map((output, index) => settledCall(index + 1, output));
        for (const event of sent) await append(lease, event);
        const found = (await store.records.query({})).records.toReversed();
        expect(found).toEqual(sent.map(({ record }) => record));
        expect((await runs.read("r1"))?.events).toEqual(outputs.map((output, index) => sampleEvent(index + 1, output)));
        expect(await store.records.statistics()).toMatchObject({ totalCalls: 7, failedCalls: 0 });
      });

      test("events of 5 MB work, and their records show a preview", async () => {
        const lease = await make("r1");
        const output = { text: "漢字🚀".repeat(500_000), list: ["x"] };
        await append(lease, settledCall(1, output));
        const data = { args: ["y".repeat(300_000)] };
        await append(lease, { seq: 2, kind: "started", key: "k", at: 1, data });
        const whole = settledCall(3, ["z".repeat(300_000)]);
        await append(lease, whole);
        await runs.finish(lease, { status: "success", at: 5, output: JSON.stringify(output) });
        const read = await runs.read("r1");
        expect(read?.events).toEqual([
          sampleEvent(1, output),
          { seq: 2, kind: "started", key: "k", at: 1, data },
          sampleEvent(3, ["z".repeat(300_000)]),
        ]);
        expect(JSON.parse(read?.run.output ?? "")).toEqual(output);
        const [, record] = (await store.records.query({})).records;
        expect(record?.output).toMatchObject({ $truncated: true });
      });
    });

    describe("a lease", () => {
      test("is invalid after the run ended or was released", async () => {
        const over = await make("r1");
        await runs.finish(over, { status: "success", at: 2000, output: "1" });
        await expect(append(over, sampleEvent(1))).rejects.toMatchObject({ code: "run_lost" });
        await expect(runs.finish(over, { status: "failed", at: 1 })).rejects.toMatchObject({ code: "run_lost" });
        const left = await make("r2");
        await runs.finish(left, { status: "waiting", at: 2000 });
        await expect(append(left, sampleEvent(1))).rejects.toMatchObject({ code: "run_lost" });
        expect((await runs.read("r1"))?.run).toMatchObject({ status: "success", output: "1" });
      });

      test("only the write with a lease of an older epoch is rejected; the others of the batch are written", async () => {
        const lost = await make("r1");
        const other = await make("r2");
        await append(lost, sampleEvent(1));
        now += 15_001;
        const { lease } = await taken("r1");
        const outcomes = await Promise.allSettled([
          append(other, sampleEvent(1)),
          append(lost, sampleEvent(2, "stale")),
          append(lease, sampleEvent(2, "right")),
          runs.finish(lost, { status: "success", at: 1 }),
          append(other, sampleEvent(2)),
          append(lease, sampleEvent(3)),
        ]);
        expect(outcomes.map(({ status }) => status === "fulfilled")).toEqual([true, false, true, false, true, true]);
        expect(outcomes[1]).toMatchObject({ reason: { code: "run_lost" } });
        expect((await runs.read("r1"))?.events).toEqual([sampleEvent(1), sampleEvent(2, "right"), sampleEvent(3)]);
        expect((await runs.read("r1"))?.run).toMatchObject({ status: "running", leaseHolder: bob, epoch: 2 });
      });

      test("a lease of an unknown run, or an invented lease, is rejected", async () => {
        await make("r1");
        for (const lease of [
          { runId: "unknown", epoch: 1 },
          { runId: "r1", epoch: 2 },
          { runId: "r1", epoch: 0 },
          { runId: "__proto__", epoch: 1 },
        ]) {
          await expect(append(lease, sampleEvent(1))).rejects.toMatchObject({ code: "run_lost" });
          await expect(runs.finish(lease, { status: "failed", at: 1 })).rejects.toMatchObject({ code: "run_lost" });
        }
        expect((await runs.read("r1"))?.events).toEqual([]);
      });

      test("a rejected lease keeps the record: the call was made", async () => {
        const lost = await make("r1");
        await runs.finish(lost, { status: "cancelled", at: 1 });
        const event = settledCall(1, { answer: 42 });
        await expect(append(lost, event)).rejects.toMatchObject({ code: "run_lost" });
        expect((await store.records.query({})).records).toEqual([event.record]);
      });
    });

    describe("the end", () => {
      test.each(["success", "failed", "cancelled"] as const)(
        "%s is stored, after all earlier events",
        async (status) => {
          const lease = await make("r1");
          const stored = [1, 2, 3].map((seq) => append(lease, sampleEvent(seq)));
          await runs.finish(lease, { status, at: 9000, output: '{"a":1}', error: '{"code":"timeout"}' });
          await Promise.all(stored);
          const read = await runs.read("r1");
          expect(read?.run).toEqual({
            ...sampleRun("r1"),
            status,
            finishedAt: 9000,
            output: '{"a":1}',
            error: '{"code":"timeout"}',
            cancelRequested: false,
            epoch: 1,
            deaths: 0,
          });
          expect(read?.events).toHaveLength(3);
          expect(await runs.claim("r1", bob)).toEqual({ kind: "finished", ...read });
        },
      );

      test("an end that is only a suspension releases the run for the next claim", async () => {
        const lease = await make("r1");
        await append(lease, sampleEvent(1));
        await runs.finish(lease, { status: "waiting", at: 9000 });
        const { run } = (await runs.read("r1")) ?? {};
        expect(run).toMatchObject({ status: "waiting" });
        expect(run).not.toHaveProperty("finishedAt");
        expect(run).not.toHaveProperty("owner");
        const claim = await taken("r1");
        expect(claim).toMatchObject({ lease: { runId: "r1", epoch: 2 }, run: { status: "running", leaseHolder: bob } });
        expect(claim.was).toBe("waiting");
        expect(claim.events).toEqual([sampleEvent(1)]);
        await append(claim.lease, sampleEvent(2));
      });
    });

    describe("claiming a run", () => {
      test("fails while its owner gives signs of life", async () => {
        const lease = await make("r1");
        now += 14_000;
        expect(await runs.claim("r1", bob)).toMatchObject({ kind: "held", run: { leaseHolder: ann, epoch: 1 } });
        await runs.changes(ann, ["r1"]);
        now += 14_000;
        expect(await runs.claim("r1", bob)).toMatchObject({ kind: "held" });
        await append(lease, sampleEvent(1));
        expect(await runs.claim("unknown", bob)).toEqual({ kind: "unknown" });
      });

      test("works if its owner was silent for too long, and returns all events", async () => {
        const lease = await make("r1");
        await append(lease, sampleEvent(1));
        now += 15_001;
        const claim = await taken("r1");
        expect(claim).toMatchObject({ lease: { runId: "r1", epoch: 2 }, run: { leaseHolder: bob, epoch: 2 } });
        expect(claim.events).toEqual([sampleEvent(1)]);
        expect(await runs.claim("r1", ann)).toMatchObject({ kind: "held", run: { leaseHolder: bob } });
        now += 15_001;
        expect((await taken("r1", ann)).lease.epoch).toBe(3);
      });

      test("fails for its own owner, which may have been stopped for long and still executes it", async () => {
        const lease = await make("r1");
        now += 15_001;
        expect(await runs.claim("r1", ann)).toMatchObject({ kind: "held", run: { leaseHolder: ann } });
        await append(lease, sampleEvent(1));
      });

      test("succeeds for only one of many concurrent callers", async () => {
        const lease = await make("r1");
        await runs.finish(lease, { status: "running", at: 1 });
        const owners = Array.from({ length: 8 }, (_, index) => `o${index}`);
        const claims = await Promise.all(owners.map((owner) => runs.claim("r1", owner)));
        expect(claims.filter(({ kind }) => kind === "claimed")).toHaveLength(1);
        expect(claims.filter(({ kind }) => kind === "held")).toHaveLength(7);
      });
    });

    describe("deaths of the processes of a run", () => {
      const deathsOf = async (id: string): Promise<number | undefined> => (await runs.read(id))?.run.deaths;
      /** Another owner claims the run after the last one has died. */
      const died = async (id: string, owner = bob): Promise<RunLease> => {
        now += 15_001;
        return (await taken(id, owner)).lease;
      };

      test("are counted by the claims after them, not by those after a release", async () => {
        const lease = await make("r1");
        expect(await deathsOf("r1")).toBe(0);
        await runs.finish(lease, { status: "running", at: 1 });
        await runs.finish((await taken("r1")).lease, { status: "waiting", at: 1 });
        expect((await taken("r1")).run.deaths).toBe(0);
        await died("r1", ann);
        expect(await deathsOf("r1")).toBe(1);
        await runs.finish(await died("r1"), { status: "running", at: 1 });
        expect((await taken("r1")).run.deaths).toBe(2);
        expect((await runs.list())[0]?.deaths).toBe(2);
      });

      test("are forgotten once there is a new outcome", async () => {
        await append(await make("r1"), sampleEvent(1));
        await died("r1", bob);
        const lease = await died("r1", ann);
        expect(await deathsOf("r1")).toBe(2);
        await append(lease, { ...sampleEvent(2), kind: "started" });
        await append(lease, { ...sampleEvent(3), kind: "waiting" });
        expect(await deathsOf("r1")).toBe(2);
        await append(lease, sampleEvent(4));
        await append(lease, sampleEvent(5));
        expect(await deathsOf("r1")).toBe(0);
        await died("r1", bob);
        expect(await deathsOf("r1")).toBe(1);
      });

      test("are listed with executable runs, including the death that made a run executable", async () => {
        await make("r1");
        await runs.submit(sampleRun("r2"));
        await died("r1");
        now += 15_001;
        const found = await runs.executable({ kinds: ["chain"], after: 0, limit: 9 });
        expect(found.map(({ id, deaths }) => [id, deaths])).toEqual([
          ["r1", 2],
          ["r2", 0],
        ]);
      });

      test("are forgotten when a failed run is reopened; no other finished run can be", async () => {
        await make("r1");
        const error = JSON.stringify({ code: "crash_loop", message: "it crashed" });
        await append(await died("r1"), { ...sampleEvent(1), kind: "started" });
        await runs.finish(await died("r1", ann), { status: "failed", at: 7, error, metrics: "{}" });
        expect(await runs.claim("r1", bob)).toMatchObject({ kind: "finished", run: { status: "failed", deaths: 2 } });
        const claim = await runs.claim("r1", bob, true);
        expect(claim).toMatchObject({
          kind: "claimed",
          was: "failed",
          run: { status: "running", deaths: 0, epoch: 4 },
        });
        expect(claim).toHaveProperty("events.length", 1);
        const { run } = (await runs.read("r1")) ?? {};
        for (const name of ["finishedAt", "error", "output"]) expect(run).not.toHaveProperty(name);
        if (claim.kind === "claimed") await runs.finish(claim.lease, { status: "success", at: 9 });
        expect((await runs.read("r1"))?.run).toMatchObject({ status: "success", finishedAt: 9 });
        for (const status of ["success", "cancelled"] as const) {
          await runs.finish(await make(status), { status, at: 1 });
          expect(await runs.claim(status, bob, true)).toMatchObject({ kind: "finished" });
        }
      });
    });

    describe("an owner", () => {
      test("has a name of its own, and is not gone as long as it reads its changes", async () => {
        const [one, two] = [runs.join(), runs.join()];
        expect(one.owner).not.toBe(two.owner);
        await make("r1", {}, one.owner);
        now += 14_000;
        expect(await two.isGone(one.owner)).toBe(false);
        await runs.changes(one.owner, ["r1"]);
        now += 14_000;
        expect(await two.isGone(one.owner)).toBe(false);
        expect(await runs.claim("r1", two.owner)).toMatchObject({ kind: "held" });
        now += 1001;
        expect(await two.isGone(one.owner)).toBe(true);
        expect(await runs.claim("r1", two.owner)).toMatchObject({ kind: "claimed" });
      });

      test("that never gave a sign of life is gone", async () => {
        expect(await runs.join().isGone("unknown")).toBe(true);
      });
    });

    describe("cancelling", () => {
      test("is requested once, and reported to the lease holder until the run ends", async () => {
        const lease = await make("r1");
        await make("r2");
        expect(await runs.changes(ann, ["r1", "r2"])).toEqual([]);
        expect(await runs.requestCancel("r1", "bob")).toBe(true);
        expect(await runs.requestCancel("r1", "eve")).toBe(true);
        expect(await runs.requestCancel("unknown", "bob")).toBe(false);
        expect(await runs.changes(ann, ["r1", "r2"])).toEqual([{ runId: "r1", by: "bob" }]);
        expect(await runs.changes(ann, ["r2"])).toEqual([]);
        expect((await runs.read("r1"))?.run).toMatchObject({ cancelRequested: true, cancelBy: "bob" });
        await runs.finish(lease, { status: "cancelled", at: 1 });
        expect(await runs.requestCancel("r1", "bob")).toBe(false);
      });

      test("needs no name", async () => {
        await make("r1");
        expect(await runs.requestCancel("r1", undefined)).toBe(true);
        expect(await runs.changes(ann, ["r1"])).toEqual([{ runId: "r1", by: undefined }]);
      });

      test("the cancellation of a suspended run is found by the process that claims it", async () => {
        await runs.finish(await make("r1"), { status: "waiting", at: 1 });
        expect(await runs.requestCancel("r1", "bob")).toBe(true);
        expect((await taken("r1")).run).toMatchObject({ cancelRequested: true, cancelBy: "bob" });
        expect(await runs.changes(bob, ["r1"])).toEqual([{ runId: "r1", by: "bob" }]);
      });
    });

    describe("a submitted run", () => {
      const executable = async (): Promise<string[]> =>
        (await runs.executable({ kinds: ["chain"], after: 0, limit: 100 })).map(({ id }) => id);

      test("waits for a worker, is not abandoned, and is claimed once", async () => {
        expect(await runs.submit(sampleRun("r1"), [sampleEvent(1)])).toBeUndefined();
        expect(await executable()).toEqual(["r1"]);
        expect(await runs.list({ abandoned: true })).toEqual([]);
        expect(await runs.read("r1")).toMatchObject({ run: { status: "waiting", epoch: 0 }, events: [sampleEvent(1)] });
        const claims = await Promise.all([runs.claim("r1", ann), runs.claim("r1", bob)]);
        expect(claims.map(({ kind }) => kind).toSorted()).toEqual(["claimed", "held"]);
        expect(await executable()).toEqual([]);
        const lease = claims.flatMap((claim) => (claim.kind === "claimed" ? [claim.lease] : []));
        expect(lease).toEqual([{ runId: "r1", epoch: 1 }]);
      });

      test("does not replace the run that has its id", async () => {
        await make("r1");
        expect(await runs.submit(sampleRun("r1", { name: "other" }))).toMatchObject({ existing: { name: "research" } });
      });
    });

    describe("a suspended run", () => {
      const executable = async (): Promise<string[]> =>
        (await runs.executable({ kinds: ["chain"], after: 0, limit: 100 })).map(({ id }) => id);
      const request = async (key: string): Promise<string> => {
        const of = { key, tool: "send", args: {}, message: "?", callerType: "direct", expiresAt: 100_000 };
        return (await store.approvals.request(of)).id;
      };
      const suspend = async (id: string, approvals: readonly string[], until?: number): Promise<string> =>
        runs.finish(await make(id), { status: "waiting", at: now, waitsFor: { approvals, ...(until && { until }) } });

      test("is executable once one of its approvals is decided, and only then", async () => {
        const [a, b, c] = [await request("a"), await request("b"), await request("c")];
        expect(await suspend("one", [a, b])).toBe("finished");
        expect(await suspend("other", [c])).toBe("finished");
        expect(await executable()).toEqual([]);
        await store.approvals.decide(b, { approved: false }, now);
        expect(await executable()).toEqual(["one"]);
        expect((await runs.read("one"))?.run.status).toBe("waiting");
        await taken("one");
        expect(await executable()).toEqual([]);
      });

      test("is woken by a decision that was made while it was being suspended", async () => {
        const a = await request("a");
        await store.approvals.decide(a, { approved: true }, now);
        expect(await suspend("r1", [a])).toBe("woken");
        expect(await executable()).toEqual(["r1"]);
      });

      test("is executable from its time on", async () => {
        const a = await request("a");
        expect(await suspend("r1", [a], now + 5000)).toBe("finished");
        expect(await executable()).toEqual([]);
        now += 5000;
        expect(await executable()).toEqual(["r1"]);
      });

      const awaiting = async (id: string, name: string, after = 0): Promise<string> =>
        runs.finish(await make(id), {
          status: "waiting",
          at: now,
          waitsFor: { approvals: [], events: [{ name, after }] },
        });
      const deliver = (runId: string, name: string, id: string): Promise<string> =>
        runs.deliver({ runId, name, id, at: now, data: JSON.stringify({ id }) });

      test("is executable once an event that it waits for is delivered, and only then", async () => {
        expect(await awaiting("r1", "payment")).toBe("finished");
        expect(await awaiting("r2", "payment")).toBe("finished");
        expect(await deliver("r1", "delivery", "a")).toBe("delivered");
        expect(await executable()).toEqual([]);
        expect(await deliver("r1", "payment", "b")).toBe("delivered");
        expect(await executable()).toEqual(["r1"]);
        expect((await runs.updates([{ runId: "r1" }]))[0]?.isSuspended).toBe(false);
      });

      test("is woken by an event that was delivered while it was being suspended, but not by one that it consumed", async () => {
        const lease = await make("r1");
        await deliver("r1", "payment", "a");
        const [first] = await runs.inbox("r1", 0);
        const wait = (after: number) => ({ approvals: [], events: [{ name: "payment", after }] });
        const end = { status: "waiting", at: now, waitsFor: wait(first?.position ?? 0) } as const;
        expect(await runs.finish(lease, end)).toBe("finished");
        const { lease: again } = await taken("r1");
        expect(await runs.finish(again, { ...end, waitsFor: wait(0) })).toBe("woken");
      });

      test("keeps events in the order of their delivery, each id of a name once", async () => {
        await make("r1");
        await make("r2");
        const names = ["b", "a", "b", "c"];
        for (const id of names) await deliver("r1", "payment", id);
        expect(await deliver("r1", "payment", "a")).toBe("repeated");
        expect(await deliver("r1", "delivery", "a")).toBe("delivered");
        await deliver("r2", "payment", "z");
        const inbox = await runs.inbox("r1", 0);
        expect(inbox.map(({ name, id }) => `${name} ${id}`)).toEqual([
          "payment b",
          "payment a",
          "payment c",
          "delivery a",
        ]);
        expect(inbox.map(({ data }) => JSON.parse(data))).toMatchObject([
          { id: "b" },
          { id: "a" },
          { id: "c" },
          { id: "a" },
        ]);
        const [, second] = inbox;
        expect(await runs.inbox("r1", second?.position ?? 0)).toEqual(inbox.slice(2));
      });

      test("takes no event for a run that has ended or does not exist, but recognizes a repeated one", async () => {
        const lease = await make("r1");
        expect(await deliver("r1", "payment", "a")).toBe("delivered");
        await runs.finish(lease, { status: "success", at: now, output: "1" });
        expect(await deliver("r1", "payment", "a")).toBe("repeated");
        expect(await deliver("r1", "payment", "b")).toBe("ended");
        expect(await deliver("unknown-run", "payment", "a")).toBe("unknown");
        expect(await runs.inbox("unknown-run", 0)).toEqual([]);
      });

      test("is woken once by many events delivered at the same time, and none of them is lost", async () => {
        await awaiting("r1", "payment");
        const ids = Array.from({ length: 50 }, (_, index) => `e${index}`);
        const deliveries = await Promise.all([...ids, ...ids].map((id) => deliver("r1", "payment", id)));
        expect(deliveries.filter((delivery) => delivery === "delivered")).toHaveLength(50);
        expect((await runs.inbox("r1", 0)).map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
        expect(await executable()).toEqual(["r1"]);
      });

      test("is executable after a cancellation request, before or after it was suspended", async () => {
        const a = await request("a");
        await suspend("after", [a]);
        await runs.requestCancel("after", "ann");
        const lease = await make("before");
        await runs.requestCancel("before", "ann");
        expect(await runs.finish(lease, { status: "waiting", at: now, waitsFor: { approvals: [a] } })).toBe("woken");
        expect((await executable()).toSorted()).toEqual(["after", "before"]);
      });

      test("that does not say what it waits for is executable", async () => {
        expect(await runs.finish(await make("r1"), { status: "waiting", at: now })).toBe("finished");
        expect(await executable()).toEqual(["r1"]);
        await taken("r1");
        expect(await executable()).toEqual([]);
      });
    });

    describe("executable runs", () => {
      const page = async (after = 0, limit = 100): Promise<readonly ExecutableRun[]> =>
        runs.executable({ kinds: ["chain", "call"], after, limit });
      const ids = async (...range: Parameters<typeof page>): Promise<string[]> =>
        (await page(...range)).map(({ id }) => id);

      test("are listed in the order in which they were stored, page by page", async () => {
        const stored = ["e", "d", "c", "b", "a"];
        for (const [index, id] of stored.entries()) await runs.submit(sampleRun(id, { startedAt: 9 - index }));
        const first = await page(0, 2);
        const second = await page(first.at(-1)?.position, 2);
        const third = await page(second.at(-1)?.position, 2);
        expect([first, second, third].map((found) => found.map(({ id }) => id))).toEqual([
          ["e", "d"],
          ["c", "b"],
          ["a"],
        ]);
        expect(await page(third.at(-1)?.position)).toEqual([]);
        await runs.finish((await taken("d")).lease, { status: "success", at: 1 });
        expect(await ids()).toEqual(["e", "c", "b", "a"]);
      });

      test("are those that were submitted, released, abandoned or woken, mixed", async () => {
        await runs.submit(sampleRun("submitted"));
        await make("held", {}, bob);
        await make("silent");
        await runs.finish(await make("due"), {
          status: "waiting",
          at: 1,
          waitsFor: { approvals: [], until: now + 15_000 },
        });
        await runs.finish(await make("released"), { status: "running", at: 1 });
        await runs.finish(await make("over"), { status: "failed", at: 1 });
        await runs.finish(await make("later"), {
          status: "waiting",
          at: 1,
          waitsFor: { approvals: [], until: now + 90_000 },
        });
        expect(await ids()).toEqual(["submitted", "released"]);
        now += 14_000;
        await runs.changes(bob, ["held"]);
        now += 1001;
        expect(await ids()).toEqual(["submitted", "silent", "due", "released"]);
        expect(await ids(0, 3)).toEqual(["submitted", "silent", "due"]);
      });

      test("are of the requested kinds, and called by no other run", async () => {
        await runs.submit(sampleRun("agent", { kind: "agent" }));
        await runs.submit(sampleRun("called", { calledBy: "outer" }));
        await runs.submit(sampleRun("call", { kind: "call" }));
        expect(await page()).toEqual([{ id: "call", kind: "call", deaths: 0, position: expect.any(Number) as number }]);
        expect(await runs.executable({ kinds: [], after: 0, limit: 9 })).toEqual([]);
        expect((await runs.list({ calledBy: "outer" })).map(({ id }) => id)).toEqual(["called"]);
      });
    });

    describe("an update", () => {
      const updateOf = async (runId: string, after?: number) =>
        (await runs.updates([{ runId, ...(after !== undefined && { after }) }]))[0];

      test("has the state of a run, and the events after the cursor", async () => {
        const lease = await make("r1");
        for (const seq of [1, 2, 3]) await append(lease, sampleEvent(seq));
        const state = { id: "r1", kind: "chain", status: "running", epoch: 1, isSuspended: false };
        expect(await updateOf("r1")).toEqual({ ...state, events: [] });
        expect(await updateOf("r1", 0)).toEqual({ ...state, events: [1, 2, 3].map((seq) => sampleEvent(seq)) });
        expect(await updateOf("r1", 2)).toEqual({ ...state, events: [sampleEvent(3)] });
        expect(await updateOf("r1", 3)).toEqual({ ...state, events: [] });
        await runs.finish(lease, { status: "success", at: 1 });
        expect(await updateOf("r1", 3)).toEqual({ ...state, status: "success", events: [] });
      });

      test("of many runs has the order of the cursors; a run that does not exist has none", async () => {
        await make("a");
        await runs.submit(sampleRun("b", { kind: "call" }));
        const found = await runs.updates([{ runId: "b" }, { runId: "none" }, { runId: "a", after: 0 }]);
        expect(found.map((update) => update?.id)).toEqual(["b", undefined, "a"]);
        expect(found[0]).toMatchObject({ kind: "call", status: "waiting", epoch: 0 });
      });

      test("has a limited number of events; the next one continues", async () => {
        const lease = await make("r1");
        const events = Array.from({ length: 450 }, (_, index) => sampleEvent(index + 1));
        const stored = events.map((event) => append(lease, event));
        await Promise.all(stored);
        const read: JournalEvent[] = [];
        for (;;) {
          const next = (await updateOf("r1", read.length))?.events ?? [];
          read.push(...next);
          if (next.length < eventsPerUpdate) break;
          expect(next).toHaveLength(eventsPerUpdate);
        }
        expect(read).toEqual(events);
      });

      test("says that a run is suspended as long as no worker can claim it", async () => {
        await runs.submit(sampleRun("submitted"));
        expect(await updateOf("submitted")).toMatchObject({ status: "waiting", isSuspended: false });
        const wait = { approvals: [], until: now + 5000 };
        await runs.finish(await make("r1"), { status: "waiting", at: now, waitsFor: wait });
        expect(await updateOf("r1")).toMatchObject({ status: "waiting", isSuspended: true });
        now += 5000;
        expect(await updateOf("r1")).toMatchObject({ status: "waiting", isSuspended: false });
        await runs.finish(await make("r2"), { status: "waiting", at: now, waitsFor: { approvals: ["a"] } });
        expect(await updateOf("r2")).toMatchObject({ status: "waiting", isSuspended: true });
        await runs.requestCancel("r2", "ann");
        expect(await updateOf("r2")).toMatchObject({ status: "waiting", isSuspended: false });
      });

      test("is announced to watchers, with the run that was written here, until they stop", async () => {
        const seen: unknown[] = [];
        const stop = runs.watch((runId) => seen.push(runId));
        const lease = await make("r1");
        await append(lease, sampleEvent(1));
        expect(seen).toContain("r1");
        seen.length = 0;
        await runs.finish(lease, { status: "waiting", at: 1, waitsFor: { approvals: ["a"] } });
        expect(seen).toContain("r1");
        stop();
        seen.length = 0;
        await append(await make("r2"), sampleEvent(1));
        expect(seen).toEqual([]);
      });
    });

    describe("a list", () => {
      const ids = async (query?: Parameters<RunStore["list"]>[0]): Promise<string[]> =>
        (await runs.list(query)).map(({ id }) => id);

      test("is newest first, by chain and status, and as long as requested", async () => {
        const leases = new Map<string, RunLease>();
        for (const [id, startedAt] of [
          ["a", 1],
          ["b", 3],
          ["c", 2],
          ["d", 3],
        ] as const) {
          leases.set(id, await make(id, { startedAt, name: id === "a" ? "write" : "research" }));
        }
        await runs.finish(leases.get("b")!, { status: "failed", at: 5, error: "{}" });
        await runs.finish(leases.get("c")!, { status: "waiting", at: 5 });
        expect(await ids()).toEqual(["d", "b", "c", "a"]);
        expect(await ids({ limit: 2 })).toEqual(["d", "b"]);
        expect(await ids({ name: "research" })).toEqual(["d", "b", "c"]);
        expect(await ids({ status: "failed" })).toEqual(["b"]);
        expect(await ids({ id: "b" })).toEqual(["b"]);
        expect(await ids({ id: "b", status: "waiting" })).toEqual([]);
        expect(await ids({ status: "waiting", name: "write" })).toEqual([]);
        expect((await runs.list({ status: "failed" }))[0]).toEqual((await runs.read("b"))?.run);
        expect(await ids({ limit: -5 })).toEqual(["d"]);
      });

      test("continues after a run, also among runs that started together, while others are stored and removed", async () => {
        for (const [id, startedAt] of Object.entries({ a: 1, b: 3, c: 2, d: 3, e: 3 })) await make(id, { startedAt });
        const after = async (id: string, startedAt: number): Promise<string[]> =>
          ids({ after: { id, startedAt }, limit: 2 });
        expect(await ids({ limit: 2 })).toEqual(["e", "d"]);
        await make("new", { startedAt: 4 });
        await make("late", { startedAt: 3 });
        expect(await after("d", 3)).toEqual(["b", "c"]);
        expect(await after("c", 2)).toEqual(["a"]);
        expect(await after("a", 1)).toEqual([]);
        // A run that no longer exists leaves out none of those that started with it.
        expect(await after("gone", 3)).toEqual(["late", "e"]);
        expect(await ids({ after: { id: "d", startedAt: 3 }, since: 2 })).toEqual(["b", "c"]);
      });

      test("finds runs since a time, and by text in their id, name or error", async () => {
        const error = JSON.stringify({ code: "timeout", message: 'Step "ask" took 100% of its time_limit, 太慢' });
        await runs.finish(await make("r1", { startedAt: 1, name: "daily" }), { status: "failed", at: 5, error });
        await runs.finish(await make("r2", { startedAt: 2 }), { status: "success", at: 5, output: '"took 100%"' });
        expect(await ids({ since: 2 })).toEqual(["r2"]);
        expect(await ids({ since: 1 })).toEqual(["r2", "r1"]);
        for (const text of ["TOOK 100% of", 'step "ask"', "太慢", "time_limit", "dAIly", "R1"]) {
          expect([text, await ids({ text })]).toEqual([text, ["r1"]]);
        }
        for (const text of ["100%%", "time.limit", "took_100", "\\", "'"]) expect(await ids({ text })).toEqual([]);
        expect(await ids({ text: "" })).toEqual(["r2", "r1"]);
      });

      test("lists abandoned runs, including one without any events", async () => {
        await make("silent");
        await runs.finish(await make("left"), { status: "running", at: 1 });
        await runs.finish(await make("waits"), { status: "waiting", at: 1 });
        await runs.finish(await make("over"), { status: "success", at: 1 });
        now += 10_000;
        await make("fresh", {}, bob);
        expect(await ids({ abandoned: true })).toEqual(["left"]);
        now += 6000;
        expect(await ids({ abandoned: true })).toEqual(["left", "silent"]);
        expect(await ids({ abandoned: true, status: "waiting" })).toEqual([]);
        expect(await ids({ abandoned: true, limit: 1, name: "research" })).toEqual(["left"]);
        expect(await ids({ abandoned: false })).toHaveLength(5);
      });

      test("omits outputs above 256 KiB", async () => {
        const output = JSON.stringify("x".repeat(300_000));
        await runs.finish(await make("r1"), { status: "success", at: 1, output });
        const [listed] = await runs.list();
        expect(listed && Object.keys(listed)).not.toContain("output");
        expect((await runs.read("r1"))?.run.output === output).toBe(true);
      });
    });

    describe("a conversation", () => {
      const inTalk = (id: string, talk: string, after = 0): Promise<RunLease> =>
        make(id, { conversation: { id: talk, after } });
      const answer = (lease: RunLease, turn = `"${lease.runId}"`): Promise<unknown> =>
        runs.finish(lease, { status: "success", at: 5, turn });
      const text = async (talk: string, range?: Parameters<RunStore["turns"]>[1]): Promise<unknown[]> =>
        (await runs.turns(talk, range)).map(({ data }) => JSON.parse(data));

      test("consists of the turns of its runs, in the order of their ends, and of no others", async () => {
        const [a, b, c] = [await inTalk("a", "t"), await inTalk("b", "t"), await inTalk("c", "other")];
        await answer(b);
        await answer(c);
        await answer(a, JSON.stringify("漢字🚀\u0000".repeat(200_000)));
        const [first, second, ...more] = await runs.turns("t");
        expect(first).toEqual({ number: expect.any(Number), after: 0, runId: "b", at: 5, data: '"b"' });
        expect(second).toMatchObject({ after: 0, runId: "a" });
        expect(JSON.parse(second?.data ?? "") === "漢字🚀\u0000".repeat(200_000)).toBe(true);
        expect(more).toEqual([]);
        expect(second!.number).toBeGreaterThan(first!.number);
        expect(first!.number).toBeGreaterThan(0);
        expect(await text("other")).toEqual(["c"]);
        expect(await text("none")).toEqual([]);
      });

      test("gets its data from `turn` when the run ends, and does not call it if the run has not ended", async () => {
        const never = (): string => {
          throw new Error("nobody needs it");
        };
        await runs.finish(await inTalk("waits", "t"), { status: "waiting", at: 1, turn: never });
        await runs.finish(await inTalk("a", "t"), { status: "success", at: 5, turn: () => '"written"' });
        expect(await text("t")).toEqual(["written"]);
      });

      test("returns the turns between two numbers, with the last turn that each run knew of", async () => {
        for (const id of ["a", "b", "c"]) await answer(await inTalk(id, "t", (await runs.turns("t")).at(-1)?.number));
        const [a = 0, b = 0, c = 0] = (await runs.turns("t")).map(({ number }) => number);
        expect((await runs.turns("t")).map(({ after }) => after)).toEqual([0, a, b]);
        expect(await text("t", { from: b })).toEqual(["b", "c"]);
        expect(await text("t", { to: b })).toEqual(["a", "b"]);
        expect(await text("t", { from: b, to: b })).toEqual(["b"]);
        expect(await text("t", { from: c + 1 })).toEqual([]);
        expect(await text("t", { last: 2 })).toEqual(["b", "c"]);
        expect(await text("t", { to: b, last: 1 })).toEqual(["b"]);
        expect(await text("t", { from: b, last: 9 })).toEqual(["b", "c"]);
        expect(await text("t", { from: c, to: a, last: 9 })).toEqual([]);
        expect((await runs.read("c"))?.run.conversation).toEqual({ id: "t", after: b });
      });

      test("has no turn of a run that is suspended, failed, lost its lease, or belongs to no conversation", async () => {
        await runs.finish(await inTalk("waits", "t"), { status: "waiting", at: 1, turn: '"waits"' });
        await runs.finish(await inTalk("failed", "t"), { status: "failed", at: 1 });
        const lost = await inTalk("lost", "t");
        await expect(answer({ ...lost, epoch: 9 })).rejects.toMatchObject({ code: "run_lost" });
        await answer(await make("alone"));
        expect(await text("t")).toEqual([]);
        const again = await taken("waits");
        await answer(again.lease);
        expect(await text("t")).toEqual(["waits"]);
      });

      test("appends a turn without a run only if the conversation has runs", async () => {
        await runs.addTurn("t", { at: 1, data: "1" });
        expect(await text("t")).toEqual([]);
        await answer(await inTalk("a", "t"));
        await runs.addTurn("t", { at: 7, data: "2" });
        const [first, second] = await runs.turns("t");
        expect(second).toEqual({ number: second!.number, after: first!.number, at: 7, data: "2" });
        await runs.addTurn("t", { after: 0, at: 8, data: "3" });
        expect((await runs.turns("t")).at(-1)).toMatchObject({ after: 0, data: "3" });
      });

      test("is listed with its first and last run, the one with the newest run first, page by page", async () => {
        await make("alone");
        for (const [id, talk] of [
          ["a", "t"],
          ["b", "u"],
          ["c", "v"],
          ["d", "t"],
        ] as const)
          await inTalk(id, talk);
        const all = await runs.conversations({ limit: 9 });
        expect(all.map(({ position: _position, ...rest }) => rest)).toEqual([
          { id: "t", runs: 2, firstRun: "a", lastRun: "d" },
          { id: "v", runs: 1, firstRun: "c", lastRun: "c" },
          { id: "u", runs: 1, firstRun: "b", lastRun: "b" },
        ]);
        const [first] = await runs.conversations({ limit: 1 });
        expect(first).toEqual(all[0]);
        expect(await runs.conversations({ limit: 9, before: first!.position })).toEqual(all.slice(1));
      });

      test("is removed with its runs, the runs that those called and their records, but not before they end", async () => {
        expect(await runs.removeConversation("t")).toBe("unknown");
        const lease = await inTalk("a", "t");
        await append(lease, settledCall(1, "a/1"));
        await answer(lease);
        const called = await make("called", { calledBy: "a" });
        await answer(await inTalk("other", "u"));
        expect(await runs.removeConversation("t")).toBe("unfinished");
        expect(await text("t")).toEqual(["a"]);
        await answer(called);
        expect(await runs.removeConversation("t")).toBe("removed");
        expect((await runs.list()).map(({ id }) => id)).toEqual(["other"]);
        expect((await runs.conversations({ limit: 9 })).map(({ id }) => id)).toEqual(["u"]);
        await answer(await inTalk("again", "t"));
        expect(await text("t")).toEqual(["again"]);
      });

      test("is found among many others", async () => {
        await answer(await inTalk("a", "t"));
        for (let n = 0; n < 50; n++) await answer(await inTalk(`x${n}`, `x${n}`));
        await inTalk("b", "t");
        expect((await runs.list({ conversation: "t" })).map(({ id }) => id)).toEqual(["b", "a"]);
        expect((await runs.list({ conversation: "t", status: "success" })).map(({ id }) => id)).toEqual(["a"]);
        expect(await text("t")).toEqual(["a"]);
      });
    });

    test("1,000 runs at once keep their own order", async () => {
      const many = Array.from({ length: 1000 }, (_, index) => `r${index}`);
      await Promise.all(
        many.map(async (id, index) => {
          const lease = await make(id, { startedAt: index });
          for (let seq = 1; seq <= 6; seq += 2) {
            // Every other one is not waited for.
            void append(lease, sampleEvent(seq, `${id}/${seq}`));
            await append(lease, settledCall(seq + 1, `${id}/${seq + 1}`));
          }
          await runs.finish(lease, { status: "success", at: 1 });
        }),
      );
      expect((await runs.list({ limit: 1000, status: "success" })).length).toBeGreaterThanOrEqual(1000);
      for (const id of many.filter((_, index) => index % 50 === 0)) {
        expect((await runs.read(id))?.events).toEqual(
          [1, 2, 3, 4, 5, 6].map((seq) => sampleEvent(seq, `${id}/${seq}`)),
        );
      }
      expect((await store.records.statistics()).totalCalls).toBe(3000);
    });
  });
}
