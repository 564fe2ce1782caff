import { describe, expect, test } from "vitest";
import {
  type ApprovalRequest,
  type ApprovalStore,
  type ChangeFeed,
  type FeedChange,
  type FeedCursor,
  type FeedFilter,
  type RunStore,
  feedStart,
  neverExpires,
} from "../../src/store/index.ts";
import { sampleEvent, sampleRun } from "./sample-run.ts";

/** The ports of one store. */
export interface FeedPorts {
  readonly runs: RunStore;
  readonly approvals: ApprovalStore;
  readonly changes: ChangeFeed;
  close(): Promise<void>;
}

const everything: FeedFilter = { runs: true, approvals: true, runIds: [] };
const ofRuns = (...runIds: string[]): FeedFilter => ({ runs: false, approvals: false, runIds });

export function approvalOf(runId: string | undefined): ApprovalRequest {
  const request = { key: `k-${runId}`, tool: "wipe", args: { id: 1 }, message: "may I?", callerType: "workflow_node" };
  return { ...request, expiresAt: neverExpires, ...(runId !== undefined && { runId, step: "s" }) };
}

/** A change in short. */
export function short(change: FeedChange): string {
  if (change.kind === "event") return `${change.runId} event ${change.event.seq}`;
  if (change.kind === "approval") return `approval ${change.status}`;
  return `${change.run.id} ${change.status}${change.isSuspended ? " suspended" : ""}`;
}

/** All changes after a position, page by page. */
export async function readAll(
  changes: ChangeFeed,
  filter: FeedFilter,
  after: FeedCursor = feedStart,
): Promise<FeedChange[]> {
  const all: FeedChange[] = [];
  for (let next = after; ;) {
    const page = await changes.read(next, filter);
    expect(page).toBeDefined();
    all.push(...(page?.changes ?? []));
    if (page === undefined || page.isLast) return all;
    next = page.position;
  }
}

/** Executes a run with this number of events. */
export async function executeRun({ runs }: Pick<FeedPorts, "runs">, id: string, events = 2): Promise<void> {
  const { owner } = runs.join();
  await runs.submit(sampleRun(id));
  const claim = await runs.claim(id, owner);
  if (claim.kind !== "claimed") throw new Error(claim.kind);
  for (let seq = 1; seq <= events; seq++) await runs.append(claim.lease, sampleEvent(seq));
  await runs.finish(claim.lease, { status: "success", at: 2000, output: "1" });
}

/** The suite of every {@link ChangeFeed}. */
export function changeFeedConformance(name: string, open: () => Promise<FeedPorts>): void {
  describe(`the changes of ${name}`, () => {
    test("are in the order of their commits, each with the state after it [P03]", async () => {
      const ports = await open();
      await executeRun(ports, "r1");
      const expected = ["r1 waiting", "r1 running", "r1 event 1", "r1 event 2", "r1 success"];
      const changes = await readAll(ports.changes, ofRuns("r1"));
      expect(changes.map(short)).toEqual(expected);
      expect(changes.map(({ position }) => position)).toEqual(
        changes.map(({ position }) => position).toSorted((a, b) => a.event - b.event || a.change - b.change),
      );
      expect(changes[2]).toMatchObject({ runKind: "chain", event: sampleEvent(1) });
      expect(changes[4]).toMatchObject({ run: { name: "research", startedAt: 1000, finishedAt: 2000 } });
      await ports.close();
    });

    test("after any of them come exactly the others [P03]", async () => {
      const ports = await open();
      await Promise.all(["r1", "r2", "r3"].map((id) => executeRun(ports, id)));
      const filter = { runs: true, approvals: true, runIds: ["r1", "r3"] };
      const all = await readAll(ports.changes, filter);
      expect(all).toHaveLength(13);
      for (const [index, { kind, position }] of all.entries()) {
        const rest = all.slice(index + 1).map(short);
        expect((await readAll(ports.changes, filter, position)).map(short)).toEqual(rest);
        // The position of an event does not depend on what else a reader wants.
        const cursor = kind === "event" ? { event: position.event } : position;
        expect((await readAll(ports.changes, filter, cursor)).map(short)).toEqual(rest);
      }
      await ports.close();
    });

    test("are only those that the reader wants; approvals belong to their runs [P03]", async () => {
      const ports = await open();
      await executeRun(ports, "r1");
      await executeRun(ports, "r2");
      const [own, other] = [
        await ports.approvals.request(approvalOf("r1")),
        await ports.approvals.request(approvalOf(undefined)),
      ];
      await ports.approvals.decide(own.id, { approved: true, by: "ann" }, 3000);
      await ports.approvals.decide(other.id, { approved: false }, 3000);
      const runs = await readAll(ports.changes, { ...everything, approvals: false });
      expect(new Set(runs.map(({ kind }) => kind))).toEqual(new Set(["run"]));
      expect(runs).toHaveLength(6);
      const approvals = await readAll(ports.changes, { ...everything, runs: false });
      expect(approvals.map(short)).toEqual([
        "approval pending",
        "approval pending",
        "approval approved",
        "approval rejected",
      ]);
      expect(approvals[2]).toMatchObject({ approval: { tool: "wipe", args: { id: 1 }, decidedBy: "ann" } });
      const ofOne = await readAll(ports.changes, ofRuns("r1"));
      expect(ofOne.map(short).slice(-2)).toEqual(["approval pending", "approval approved"]);
      expect(ofOne).toHaveLength(7);
      expect(await readAll(ports.changes, ofRuns("none"))).toEqual([]);
      await ports.close();
    });

    test("come in pages, without a gap between them [P03]", async () => {
      const ports = await open();
      await Promise.all([executeRun(ports, "r1", 450), executeRun(ports, "r2", 300)]);
      for (const after of [feedStart, await ports.changes.startOf(["r1", "r2"])]) {
        const all = await readAll(ports.changes, ofRuns("r1", "r2"), after);
        for (const [id, count] of [
          ["r1", 450],
          ["r2", 300],
        ] as const) {
          const seqs = all.flatMap((change) =>
            change.kind === "event" && change.runId === id ? [change.event.seq] : [],
          );
          expect(seqs).toEqual(Array.from({ length: count }, (_, index) => index + 1));
        }
        expect(all.filter(({ kind }) => kind === "run")).toHaveLength(6);
      }
      const page = await ports.changes.read(feedStart, ofRuns("r1"));
      expect(page?.isLast).toBe(false);
      expect(page?.changes.length).toBeLessThan(300);
      await ports.close();
    });

    test("end at the head, beyond which there is no position [P03]", async () => {
      const ports = await open();
      await executeRun(ports, "r1");
      const { id, ...head } = await ports.changes.head();
      expect(id).toMatch(/^[\w-]+$/);
      const page = await ports.changes.read(head, everything);
      expect(page).toEqual({ changes: [], isLast: true, position: head });
      expect(await ports.changes.read({ event: head.event + 1, change: head.change + 1 }, everything)).toBeUndefined();
      await ports.close();
    });

    test("are reported to watchers until they leave [P03]", async () => {
      const ports = await open();
      const changed = Promise.withResolvers<string>();
      const leave = ports.changes.watch(() => changed.resolve("changed"));
      await executeRun(ports, "r1");
      expect(await changed.promise).toBe("changed");
      leave();
      await ports.close();
    });
  });
}
