import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Approval, type ApprovalRequest, type ApprovalStore, maxApprovalBytes } from "../../src/store/index.ts";

/** An open store, and a function that closes it. */
export interface OpenApprovals {
  readonly approvals: ApprovalStore;
  close(): Promise<void>;
}

/** Conformance suite of approval stores. `open` returns an empty store whose clock is `now`. */
export function approvalStoreConformance(name: string, open: (now: () => number) => Promise<OpenApprovals>): void {
  describe(`${name} approval store`, () => {
    let store: OpenApprovals;
    let approvals: ApprovalStore;
    let now = 1000;

    beforeEach(async () => {
      now = 1000;
      store = await open(() => now);
      approvals = store.approvals;
    });
    afterEach(() => store.close());

    const request = (input: Partial<ApprovalRequest> = {}): Promise<Approval> =>
      approvals.request({
        key: "k1",
        tool: "delete_file",
        args: { path: "notes.md" },
        message: "delete_file wants to run",
        callerType: "conversation_agent",
        expiresAt: 5000,
        ...input,
      });

    test("an approval whose use is restored can be used once more", async () => {
      const { id } = await request();
      await approvals.decide(id, { approved: true }, now);
      expect(await approvals.consume("k1", now)).toBe(true);
      await approvals.restore("k1");
      expect((await approvals.get(id, now))?.status).toBe("approved");
      expect(await approvals.consume("k1", now)).toBe(true);
      expect(await approvals.consume("k1", now)).toBe(false);
      await approvals.restore("another");
      expect(await approvals.consume("another", now)).toBe(false);
    });

    test("a request is pending, and can be read back", async () => {
      const approval = await request({ principal: "ann" });
      expect(approval).toEqual({
        id: expect.any(String),
        key: "k1",
        tool: "delete_file",
        args: { path: "notes.md" },
        message: "delete_file wants to run",
        callerType: "conversation_agent",
        principal: "ann",
        expiresAt: 5000,
        status: "pending",
        createdAt: 1000,
      });
      expect(await approvals.get(approval.id, now)).toEqual(approval);
      expect(await approvals.get("unknown", now)).toBeUndefined();
    });

    test("a request stores the run that waits for it, and the approvers", async () => {
      const approval = await request({ runId: "r1", step: "research/send", approvers: ["ann", "漢字"] });
      expect(approval).toMatchObject({ runId: "r1", step: "research/send", approvers: ["ann", "漢字"] });
      expect(await approvals.get(approval.id, now)).toEqual(approval);
      expect(await approvals.list(now)).toEqual([approval]);
    });

    test("repeating a request returns the same approval, with any decision", async () => {
      const first = await request();
      expect(await request({ message: "again" })).toEqual(first);
      await approvals.decide(first.id, { approved: true }, now);
      expect(await request()).toMatchObject({ id: first.id, status: "approved" });
      const other = await request({ key: "k2" });
      expect(other.id).not.toBe(first.id);
      await approvals.decide(other.id, { approved: false }, now);
      expect(await request({ key: "k2" })).toMatchObject({ id: other.id, status: "rejected" });
    });

    test("an approval is used once", async () => {
      const { id } = await request();
      expect(await approvals.consume("k1", now)).toBe(false);
      await approvals.decide(id, { approved: true, by: "bob", note: "fine" }, now);
      const uses = await Promise.all(Array.from({ length: 5 }, () => approvals.consume("k1", now)));
      expect(uses.filter(Boolean)).toHaveLength(1);
      expect(await approvals.get(id, now)).toMatchObject({
        status: "used",
        decidedBy: "bob",
        note: "fine",
        decidedAt: 1000,
      });
      expect((await request()).id).not.toBe(id);
      expect(await approvals.consume("k1", now)).toBe(false);
    });

    test("an approval is not valid for another key", async () => {
      const { id } = await request();
      await approvals.decide(id, { approved: true }, now);
      expect(await approvals.consume("k2", now)).toBe(false);
      expect(await approvals.consume("k1", now)).toBe(true);
    });

    test("the first decision wins", async () => {
      const { id } = await request();
      const decided = await Promise.all([
        approvals.decide(id, { approved: false, by: "ann" }, 1001),
        approvals.decide(id, { approved: true, by: "bob" }, 1002),
      ]);
      for (const approval of decided) {
        expect(approval).toMatchObject({ status: "rejected", decidedBy: "ann", decidedAt: 1001 });
      }
      expect(await approvals.consume("k1", now)).toBe(false);
      expect(await approvals.decide("unknown", { approved: true }, now)).toBeUndefined();
    });

    test("an approval without a decision in time has expired, and a new request gets a new one", async () => {
      const { id } = await request();
      now = 5000;
      expect(await approvals.get(id, now)).toMatchObject({ status: "expired" });
      const late = await approvals.decide(id, { approved: true }, now);
      expect(late).toMatchObject({ status: "expired" });
      expect(late).not.toHaveProperty("decidedAt");
      const next = await request({ expiresAt: 9000 });
      expect(next.id).not.toBe(id);
      expect(next).toMatchObject({ status: "pending", createdAt: 5000 });
    });

    test("an approval that was not used in time is no longer valid", async () => {
      const { id } = await request();
      await approvals.decide(id, { approved: true }, 4999);
      expect(await approvals.consume("k1", 5000)).toBe(false);
      expect(await approvals.get(id, 5000)).toMatchObject({ status: "expired" });
    });

    test("a rejection stays one, but only until it expires", async () => {
      const { id } = await request();
      await approvals.decide(id, { approved: false }, now);
      now = 5000;
      expect(await approvals.get(id, now)).toMatchObject({ status: "rejected" });
      expect((await request({ expiresAt: 9000 })).id).not.toBe(id);
    });

    test("lists are newest first and by status", async () => {
      const ids: string[] = [];
      for (const key of ["a", "b", "c", "d", "e"]) {
        ids.push((await request({ key, expiresAt: key === "e" ? 2000 : 5000 })).id);
      }
      const [a = "", b = "", c = "", d = "", e = ""] = ids;
      await approvals.decide(b, { approved: true }, now);
      await approvals.decide(c, { approved: false }, now);
      await approvals.decide(d, { approved: true }, now);
      await approvals.consume("d", now);
      const listed = async (...status: Parameters<ApprovalStore["list"]> extends [number, ...infer S] ? S : never) =>
        (await approvals.list(3000, ...status)).map(({ id }) => id);
      expect(await listed()).toEqual([e, d, c, b, a]);
      expect(await listed("pending")).toEqual([a]);
      expect(await listed("approved")).toEqual([b]);
      expect(await listed("rejected")).toEqual([c]);
      expect(await listed("used")).toEqual([d]);
      expect(await listed("expired")).toEqual([e]);
    });

    test("arguments are stored completely, in any size; arguments that cannot be stored are rejected", async () => {
      const args = { list: Array.from({ length: 50_000 }, (_, at) => `person-${at}@example.com`) };
      const { id } = await request({ args });
      expect((await approvals.get(id, now))?.args).toEqual(args);
      const large = { text: "x".repeat(3 * maxApprovalBytes) };
      await expect(request({ key: "large", args: large })).rejects.toMatchObject({ reason: "too_large" });
      expect(await approvals.list(now)).toHaveLength(1);
    });

    test("an interrupted call may have completed: its output is stored with the decision", async () => {
      const { id } = await request({ interrupted: true });
      const decided = await approvals.decide(id, { approved: true, done: { output: { id: [7] } } }, now);
      expect(decided).toMatchObject({ interrupted: true, status: "approved", done: { output: { id: [7] } } });
      expect(await approvals.get(id, now)).toEqual(decided);
      const other = await request({ key: "other", interrupted: true });
      expect(await approvals.decide(other.id, { approved: true, done: { output: undefined } }, now)).toMatchObject({
        done: { output: null },
      });
    });

    test("arguments are stored as they were at the time of the request", async () => {
      const args: Record<string, unknown> = { path: "a" };
      const { id } = await request({ args });
      args["path"] = "b";
      expect(await approvals.get(id, now)).toMatchObject({ args: { path: "a" } });
      const odd = await request({ key: "odd", args: { big: 1n } });
      expect(odd.args).toMatchObject({ $not_json: true });
    });
  });
}
