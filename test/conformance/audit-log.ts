import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AuditLog, NewAuditEntry } from "../../src/store/index.ts";

/** An open log, and a function that closes it. */
export interface OpenAuditLog {
  readonly audit: AuditLog;
  close(): Promise<void>;
}

/** Conformance suite of audit logs. `open` returns an empty one. */
export function auditLogConformance(name: string, open: () => Promise<OpenAuditLog>): void {
  describe(`${name} audit log [P06]`, () => {
    let store: OpenAuditLog;

    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    const add = (at: number, more: Partial<NewAuditEntry> = {}): Promise<void> =>
      store.audit.add({ at, by: "ann", action: "token.create", outcome: "done", ...more });
    const times = async (query: Partial<Parameters<AuditLog["list"]>[0]>): Promise<readonly number[]> =>
      (await store.audit.list({ limit: 100, ...query })).map(({ at }) => at);

    test("an entry can be read back as it is", async () => {
      const entry: NewAuditEntry = {
        at: 5,
        by: "磨坊 ' ann",
        action: "approval.decide",
        target: "a1",
        outcome: "not_an_approver",
        detail: "approve write_file",
        requestId: "r1",
      };
      await store.audit.add(entry);
      await add(6);
      const [second, first] = await store.audit.list({ limit: 2 });
      expect(first).toEqual({ ...entry, number: expect.any(Number) });
      expect(second).toEqual({ at: 6, by: "ann", action: "token.create", outcome: "done", number: expect.any(Number) });
    });

    test("lists are newest first, and pages follow each other while entries are added", async () => {
      // Clocks go back, the order does not.
      for (const at of [3, 1, 2]) await add(at);
      const page = await store.audit.list({ limit: 2 });
      expect(page.map(({ at }) => at)).toEqual([2, 1]);
      await add(9);
      expect(await times({ before: page.at(-1)?.number ?? 0 })).toEqual([3]);
    });

    test("all conditions of a query apply", async () => {
      await add(1, { by: "ann", target: "t1" });
      await add(2, { by: "bob", target: "t1" });
      await add(3, { by: "ann", target: "t2", action: "token.revoke" });
      expect(await times({ by: "ann" })).toEqual([3, 1]);
      expect(await times({ target: "t1" })).toEqual([2, 1]);
      expect(await times({ action: "token.revoke" })).toEqual([3]);
      expect(await times({ since: 2 })).toEqual([3, 2]);
      expect(await times({ by: "ann", target: "t1", since: 2 })).toEqual([]);
      expect(await times({ by: "' OR 1=1 --" })).toEqual([]);
    });

    test("entries that are added at the same time all have their own number", async () => {
      await Promise.all(Array.from({ length: 50 }, (_, at) => add(at)));
      const entries = await store.audit.list({ limit: 100 });
      expect(new Set(entries.map(({ number }) => number)).size).toBe(50);
    });
  });
}
