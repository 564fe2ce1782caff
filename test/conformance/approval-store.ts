import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../src/base/index.ts";
import { ApprovalService, endOf } from "../../src/engine/index.ts";
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

    describe("the rules of approvals", () => {
      const rules = (): ApprovalService => new ApprovalService(approvals, { ...systemClock, now: () => now });
      const signal = new AbortController().signal;

      test("only a named approver decides, and the approval stays pending otherwise", async () => {
        const { id } = await request({ approvers: ["ann", "bob"] });
        for (const by of [{}, { by: "eve" }]) {
          const refused = await rules().decide(id, { approved: true, ...by });
          expect(refused).toMatchObject({ isRecorded: false, refusal: { reason: "not_an_approver" } });
          expect(await approvals.get(id, now)).toMatchObject({ status: "pending" });
        }
        const decided = await rules().decide(id, { approved: true, by: "bob" });
        expect(decided).toMatchObject({ isRecorded: true, approval: { status: "approved", decidedBy: "bob" } });
        expect(decided?.refusal).toBeUndefined();
        expect(await rules().decide("unknown", { approved: true })).toBeUndefined();
      });

      test("only an interrupted call is marked as done", async () => {
        const done = { approved: true, done: { output: 1 } };
        const { id } = await request();
        expect(await rules().decide(id, done)).toMatchObject({ refusal: { reason: "not_interrupted" } });
        const interrupted = await request({ key: "interrupted", interrupted: true });
        expect(await rules().decide(interrupted.id, done)).toMatchObject({
          isRecorded: true,
          approval: { done: { output: 1 } },
        });
      });

      test("the first decision counts, and the same one may be repeated", async () => {
        const { id } = await request();
        now = 1001;
        await rules().decide(id, { approved: false, by: "ann", note: "no" });
        now = 1002;
        const other = await rules().decide(id, { approved: true, by: "bob" });
        expect(other?.refusal).toEqual({
          reason: "already_decided",
          message: "was rejected by ann (no); the first decision counts",
        });
        const same = await rules().decide(id, { approved: false, by: "bob" });
        expect(same).toMatchObject({ isRecorded: false, approval: { decidedBy: "ann" } });
        expect(same?.refusal).toBeUndefined();
      });

      test("of two different decisions in the same millisecond one counts", async () => {
        const { id } = await request();
        const decisions = [
          { approved: true, by: "ann" },
          { approved: false, by: "bob" },
        ] as const;
        const decided = await Promise.all(decisions.map((decision) => rules().decide(id, decision)));
        expect(decided.filter((each) => each?.isRecorded === true)).toHaveLength(1);
        expect(decided.find((each) => each?.isRecorded === false)?.refusal).toMatchObject({
          reason: "already_decided",
        });
      });

      test("an expired approval is not decided; one that was decided in time ends as decided, and is used once", async () => {
        const { id } = await request();
        const late = await request({ key: "late" });
        await rules().decide(id, { approved: true });
        now = 5000;
        expect(await rules().decide(late.id, { approved: true })).toMatchObject({ refusal: { reason: "expired" } });
        expect(endOf(await rules().read(late))).toEqual({ status: "expired" });
        const approval = await rules().read({ ...late, id });
        expect(endOf(approval)).toEqual({ status: "approved" });
        await rules().use(approval);
        expect(await rules().find(id)).toMatchObject({ status: "used" });
        expect(endOf(await rules().read({ ...late, id }))).toEqual({ status: "approved" });
      });

      test("a decision that was stored past the rules does not count", async () => {
        const { id } = await request({ approvers: ["ann"] });
        await approvals.decide(id, { approved: true, by: "eve" }, now);
        const stored = await approvals.get(id, now);
        expect(stored && endOf(stored)).toEqual({
          status: "approved",
          disregarded: "the decision of eve does not count: only ann may decide",
        });
      });

      test("an earlier decision takes precedence over a prompt, also one made while a person is prompted", async () => {
        const call = { key: "k1", tool: "t", args: {}, message: "?", callerType: "direct", expiresAt: 5000 };
        let prompts = 0;
        const yes = async () => (prompts++, { approved: true, by: "ann" });
        await rules().decide((await request()).id, { approved: true, by: "bob" });
        expect(await rules().requestForCall(call, signal, yes)).toMatchObject({ kind: "approved" });
        expect(prompts).toBe(0);
        const meanwhile = async () => {
          await rules().decide((await request()).id, { approved: false, by: "bob", note: "no" });
          return yes();
        };
        expect(await rules().requestForCall(call, signal, meanwhile)).toEqual({ kind: "rejected", note: "no" });
        expect(await rules().requestForCall(call, signal, yes)).toEqual({ kind: "rejected", note: "no" });
        expect(prompts).toBe(1);
      });

      test("a rejection by a prompt ends the call only, and a dismissed prompt leaves the approval pending", async () => {
        const call = { key: "k1", tool: "t", args: {}, message: "?", callerType: "direct", expiresAt: 5000 };
        const no = async () => ({ approved: false, note: "no" });
        expect(await rules().requestForCall(call, signal, no)).toEqual({ kind: "rejected", note: "no" });
        expect(await approvals.list(now)).toEqual([]);
        const nothing = async () => undefined;
        const pending = await rules().requestForCall(call, signal, nothing);
        const [open] = await approvals.list(now, "pending");
        expect(pending).toEqual({ kind: "pending", id: open?.id });
        const aborted = AbortSignal.abort();
        expect(await rules().requestForCall(call, aborted, no)).toMatchObject({
          kind: "rejected",
          wasRequested: false,
        });
      });

      test("the pending approvals of a run that has ended are rejected, and no others", async () => {
        const [mine, other] = [await request({ runId: "r1" }), await request({ key: "k2", runId: "r2" })];
        await rules().rejectPending("r1");
        expect(await approvals.get(mine.id, now)).toMatchObject({ status: "rejected", note: "the run is over" });
        expect(await approvals.get(other.id, now)).toMatchObject({ status: "pending" });
      });
    });
  });
}
