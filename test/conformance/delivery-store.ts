import { beforeEach, describe, expect, test } from "vitest";
import type { Delivery, DeliveryStore } from "../../src/store/index.ts";

/** Conformance suite of stores of deliveries. */
export function deliveryStoreConformance(name: string, open: () => Promise<DeliveryStore>): void {
  describe(`[P05] deliveries in ${name}`, () => {
    let store: DeliveryStore;
    beforeEach(async () => {
      store = await open();
    });

    const message = (subject: string, createdAt = 100) => ({ channel: "callback/a", subject, createdAt });
    const claim = (now: number, channels = ["callback/a"]): Promise<Delivery | undefined> =>
      store.claim({ channels, now, lostAt: now + 60 });

    test("are added once for each subject of a channel", async () => {
      await store.add([message("r1"), message("r2"), { ...message("r1"), channel: "callback/b" }]);
      await store.add([message("r1", 500)]);
      expect(await store.list()).toMatchObject([
        { channel: "callback/b", subject: "r1" },
        { channel: "callback/a", subject: "r2" },
        { channel: "callback/a", subject: "r1", status: "pending", attempts: 0, createdAt: 100, nextAt: 100 },
      ]);
      expect(await store.list({ limit: 1 })).toHaveLength(1);
    });

    test("are claimed by one of many, oldest first, only of the requested channels, and only when they are due", async () => {
      await store.add([message("r1"), message("r2", 300)]);
      expect(await claim(99)).toBeUndefined();
      expect(await claim(200, ["callback/b"])).toBeUndefined();
      const claims = await Promise.all(Array.from({ length: 5 }, () => claim(200)));
      expect(claims.filter((one) => one !== undefined)).toMatchObject([{ subject: "r1", attempts: 1, nextAt: 260 }]);
      expect(await claim(300)).toMatchObject({ subject: "r1", attempts: 2 });
      expect(await claim(300)).toMatchObject({ subject: "r2", attempts: 1 });
    });

    test("are attempted again at the time of a failed attempt, with its reason, until they are delivered", async () => {
      await store.add([message("r1")]);
      const first = await claim(100);
      if (first === undefined) throw new Error("not claimed");
      await store.settle(first, { status: "pending", nextAt: 500, error: "the receiver answered 500" });
      expect(await claim(499)).toBeUndefined();
      const second = await claim(500);
      expect(second).toMatchObject({ attempts: 2, error: "the receiver answered 500" });
      if (second === undefined) throw new Error("not claimed");
      await store.settle(second, { status: "delivered", nextAt: 510 });
      expect(await claim(9000)).toBeUndefined();
      expect(await store.list({ status: "delivered" })).toMatchObject([{ subject: "r1", attempts: 2 }]);
      expect(await store.list({ status: "pending" })).toEqual([]);
    });

    test("whose process died are attempted again, and the result of the lost attempt no longer counts", async () => {
      await store.add([message("r1")]);
      const lost = await claim(100);
      const again = await claim(160);
      expect([again?.attempts, again?.error]).toEqual([2, undefined]);
      if (lost === undefined) throw new Error("not claimed");
      await store.settle(lost, { status: "delivered", nextAt: 170 });
      expect(await store.list()).toMatchObject([{ status: "pending", attempts: 2 }]);
    });
  });
}
