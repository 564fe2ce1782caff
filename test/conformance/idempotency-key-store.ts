import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { IdempotencyKeyStore, NewKeyedRequest } from "../../src/store/index.ts";

/** An open store, and a function that closes it. */
export interface OpenIdempotencyKeys {
  readonly idempotencyKeys: IdempotencyKeyStore;
  close(): Promise<void>;
}

const response = { status: 201, headers: { location: "/v1/runs/磨" }, body: '{"a":"磨坊"}' };

/** Conformance suite of stores of idempotency keys. `open` returns an empty store. */
export function idempotencyKeyStoreConformance(name: string, open: () => Promise<OpenIdempotencyKeys>): void {
  describe(`${name} store of idempotency keys [P11]`, () => {
    let store: OpenIdempotencyKeys;
    let keys: IdempotencyKeyStore;

    beforeEach(async () => {
      store = await open();
      keys = store.idempotencyKeys;
    });
    afterEach(() => store.close());

    const request = (id: string, more: Partial<NewKeyedRequest> = {}): NewKeyedRequest => ({
      id,
      fingerprint: "f",
      workId: `work of ${id}`,
      createdAt: 1000,
      expiresAt: 2000,
      ...more,
    });

    test("the first request of a key is new, and later ones get it as it is", async () => {
      const first = request("a");
      const begun = { ...first, isStarted: false };
      expect(await keys.begin(first)).toEqual({ request: begun, isNew: true });
      const other = request("a", { fingerprint: "g", workId: "other", createdAt: 1500, expiresAt: 2500 });
      expect(await keys.begin(other)).toEqual({ request: begun, isNew: false });
      expect(await keys.begin(request("b"))).toMatchObject({ isNew: true });
    });

    test("of many requests at the same time, one is new", async () => {
      const all = await Promise.all(
        Array.from({ length: 50 }, (_, at) => keys.begin(request("a", { workId: `work ${at}` }))),
      );
      expect(all.filter(({ isNew }) => isNew)).toHaveLength(1);
      expect(new Set(all.map((each) => each.request.workId)).size).toBe(1);
    });

    test("the first response of the work counts, and the start of the work is recorded", async () => {
      await keys.begin(request("a"));
      await keys.started("a", "work of a");
      expect((await keys.begin(request("a"))).request).toEqual({ ...request("a"), isStarted: true });
      await keys.complete("a", "work of a", response);
      await keys.complete("a", "work of a", { status: 500, headers: {}, body: "" });
      await keys.started("a", "work of a");
      expect((await keys.begin(request("a"))).request).toEqual({ ...request("a"), isStarted: true, response });
    });

    test("other work of the key has no effect", async () => {
      await keys.begin(request("a"));
      await keys.started("a", "other work");
      await keys.complete("a", "other work", response);
      await expect(keys.complete("unknown", "work", response)).resolves.toBeUndefined();
      expect((await keys.begin(request("a"))).request).toEqual({ ...request("a"), isStarted: false });
    });

    test("an expired key is free, and its earlier work has no effect any more", async () => {
      await keys.begin(request("a"));
      const last = request("a", { createdAt: 1999, expiresAt: 2999 });
      expect(await keys.begin(last)).toMatchObject({ isNew: false });
      const later = request("a", { workId: "later", createdAt: 2000, expiresAt: 3000 });
      expect(await keys.begin(later)).toEqual({ request: { ...later, isStarted: false }, isNew: true });
      await keys.complete("a", "work of a", response);
      expect((await keys.begin(later)).request).not.toHaveProperty("response");
    });
  });
}
