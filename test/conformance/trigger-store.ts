import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Firing, NewFiring, TriggerState, TriggerStore } from "../../src/store/index.ts";

/** An open store, and a function that closes it. */
export interface OpenTriggers {
  readonly triggers: TriggerStore;
  close(): Promise<void>;
}

export function newFiring(key: string, more: Partial<NewFiring> = {}): NewFiring {
  return { key, runId: `run-${key}`, at: 1000, status: "waiting", input: "{}", tainted: false, ...more };
}

/** Conformance suite of trigger stores. `open` returns an empty store. */
export function triggerStoreConformance(name: string, open: () => Promise<OpenTriggers>): void {
  describe(`${name} trigger store [P09]`, () => {
    let store: OpenTriggers;
    let triggers: TriggerStore;

    beforeEach(async () => {
      store = await open();
      triggers = store.triggers;
      await triggers.register([{ id: "t", digest: "d1" }], 100);
    });
    afterEach(() => store.close());

    const state = async (): Promise<TriggerState | undefined> => (await triggers.list())[0];
    const statuses = async (): Promise<string[]> =>
      (await triggers.open("t")).map(({ key, status }) => `${key} ${status}`);

    test("a trigger keeps its first registration, and a changed definition begins anew", async () => {
      expect(await triggers.list()).toEqual([{ id: "t", digest: "d1", registeredAt: 100, cursor: 100 }]);
      await triggers.register([{ id: "t", digest: "d1" }], 200);
      expect(await state()).toMatchObject({ registeredAt: 100, cursor: 100 });
      await triggers.register(
        [
          { id: "t", digest: "d2" },
          { id: "磨坊 ' u", digest: "x" },
        ],
        300,
      );
      expect(await state()).toMatchObject({ registeredAt: 100, cursor: 300, digest: "d2" });
      expect((await triggers.list()).map(({ id }) => id)).toEqual(["t", "磨坊 ' u"]);
    });

    test("a pause begins once, and times that pass in the meantime are not considered", async () => {
      await triggers.pause("t", { pausedAt: 200 });
      await triggers.pause("t", { pausedAt: 300 });
      expect(await state()).toMatchObject({ pausedAt: 200, cursor: 100 });
      await triggers.pause("t", { resumedAt: 400 });
      const resumed = await state();
      expect([resumed?.cursor, resumed?.pausedAt]).toEqual([400, undefined]);
      await triggers.pause("t", { resumedAt: 500 });
      expect((await state())?.cursor).toBe(400);
      await triggers.pause("unknown", { pausedAt: 1 });
    });

    test("an approval states the definition and the write that it knows, and begins anew", async () => {
      await triggers.approve("t", { digest: "d1", write: 3 }, 500);
      expect(await state()).toMatchObject({ approved: { digest: "d1", write: 3 }, cursor: 500 });
    });

    test("of two that advance a trigger, one succeeds", async () => {
      const change = (to: number) => triggers.advance("t", { from: 100, to, firings: [newFiring(String(to))] });
      const done = await Promise.all([change(200), change(300), change(400)]);
      expect(done.filter(Boolean)).toHaveLength(1);
      expect(await triggers.open("t")).toHaveLength(1);
      expect(await triggers.advance("unknown", { from: 0, to: 1, firings: [] })).toBe(false);
    });

    test("a firing with a known key is not added again, also if the first is over", async () => {
      expect(await triggers.add("t", newFiring("a", { tainted: true, principal: "ann" }), 10)).toBe("added");
      expect(await triggers.add("t", newFiring("a", { runId: "other" }), 10)).toBe("known");
      await triggers.settle("t", "a", { from: "waiting", to: "skipped", reason: "why" });
      expect(await triggers.add("t", newFiring("a"), 10)).toBe("known");
      await triggers.advance("t", { from: 100, to: 200, firings: [newFiring("a", { runId: "third" })] });
      const expected: Firing = {
        triggerId: "t",
        key: "a",
        runId: "run-a",
        at: 1000,
        status: "skipped",
        tainted: true,
        principal: "ann",
        reason: "why",
      };
      expect(await triggers.get("t", "a")).toEqual(expected);
      expect(await triggers.get("t", "b")).toBeUndefined();
      expect(await triggers.known("t", ["b", "a", "' OR 1=1 --"])).toEqual(["a"]);
      // Keys belong to their trigger.
      expect(await triggers.add("u", newFiring("a"), 10)).toBe("added");
    });

    test("as many firings wait as allowed", async () => {
      const added = await Promise.all(["a", "b", "c", "d"].map((key) => triggers.add("t", newFiring(key), 2)));
      expect(added.toSorted()).toEqual(["added", "added", "full", "full"]);
      await triggers.begin("t", "a", "always");
      expect(await triggers.add("t", newFiring("e"), 2)).toBe("added");
    });

    test("open firings are listed in the order in which they were added", async () => {
      for (const key of ["c", "a", "b"]) await triggers.add("t", newFiring(key), 10);
      await triggers.add("u", newFiring("x"), 10);
      expect(await statuses()).toEqual(["c waiting", "a waiting", "b waiting"]);
      await triggers.begin("t", "a", "alone");
      await triggers.settle("t", "c", { from: "waiting", to: "failed" });
      expect(await statuses()).toEqual(["a starting", "b waiting"]);
      expect((await triggers.open()).map(({ key }) => key)).toEqual(["a", "b", "x"]);
    });

    test("of several that begin alone, one succeeds, until its run has ended", async () => {
      for (const key of ["a", "b"]) await triggers.add("t", newFiring(key), 10);
      const begun = await Promise.all(["a", "a", "b", "b"].map((key) => triggers.begin("t", key, "alone")));
      expect(begun.filter(Boolean)).toHaveLength(1);
      await triggers.settle("t", "a", { from: "starting", to: "started" });
      expect(await triggers.begin("t", "b", "alone")).toBe(false);
      await triggers.settle("t", "a", { from: "started", to: "ended" });
      expect(await triggers.begin("t", "b", "alone")).toBe(true);
      expect(await triggers.begin("t", "none", "always")).toBe(false);
    });

    test("a status changes only from the expected one; a start is remembered and removes the input", async () => {
      for (const [key, at] of [
        ["a", 5000],
        ["b", 4000],
      ] as const)
        await triggers.add("t", newFiring(key, { at }), 10);
      expect(await triggers.settle("t", "a", { from: "starting", to: "started" })).toBe(false);
      for (const key of ["a", "b"]) {
        await triggers.begin("t", key, "always");
        expect((await triggers.get("t", key))?.input).toBe("{}");
        expect(await triggers.settle("t", key, { from: "starting", to: "started" })).toBe(true);
        expect((await triggers.get("t", key))?.input).toBeUndefined();
      }
      // The latest time, not the latest start.
      expect((await state())?.last).toEqual({ at: 5000, runId: "run-a" });
    });

    test("writes of tools are numbered over all files", async () => {
      for (const file of ["chains/a.yaml", "chains/b.yaml", "chains/a.yaml"]) await triggers.toolWrites(file);
      const written = await triggers.writtenFiles();
      expect(written.get("chains/a.yaml")).toBeGreaterThan(written.get("chains/b.yaml") ?? Infinity);
      expect(written.size).toBe(2);
    });
  });
}
