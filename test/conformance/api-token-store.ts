import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ApiToken, ApiTokenStore, NewApiToken } from "../../src/store/index.ts";

/** An open store, and a function that closes it. */
export interface OpenApiTokens {
  readonly tokens: ApiTokenStore;
  close(): Promise<void>;
}

/** Conformance suite of token stores. `open` returns an empty store. */
export function apiTokenStoreConformance(name: string, open: () => Promise<OpenApiTokens>): void {
  describe(`${name} token store [P06]`, () => {
    let store: OpenApiTokens;
    let tokens: ApiTokenStore;

    beforeEach(async () => {
      store = await open();
      tokens = store.tokens;
    });
    afterEach(() => store.close());

    const add = async (id: string, more: Partial<NewApiToken> = {}): Promise<NewApiToken> => {
      const token = { id, hash: `hash of ${id}`, name: "ci", scopes: ["read", "call"], createdAt: 1000, ...more };
      await tokens.add(token);
      return token;
    };

    test("a token can be read back; an unknown one is undefined", async () => {
      const token = await add("a", { name: "磨坊 ' ci", runId: "r1", expiresAt: 5000 });
      expect(await tokens.get("a")).toEqual(token);
      expect(await tokens.get("b")).toBeUndefined();
      expect(await tokens.get("' OR 1=1 --")).toBeUndefined();
      expect(await add("plain")).toEqual(await tokens.get("plain"));
    });

    test("an id is stored once, and the first token stays", async () => {
      const first = await add("a");
      await expect(add("a", { name: "other", scopes: ["admin"] })).rejects.toMatchObject({ code: "store_failed" });
      expect(await tokens.get("a")).toEqual(first);
      const same = await Promise.allSettled([add("b"), add("b"), add("b")]);
      expect(same.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    });

    test("lists are newest first, and several tokens may have one name", async () => {
      for (const id of ["c", "a", "b"]) await add(id);
      expect((await tokens.list()).map(({ id }) => id)).toEqual(["b", "a", "c"]);
    });

    test("the first revocation counts", async () => {
      await add("a");
      const [first, second] = await Promise.all([tokens.revoke("a", 2000), tokens.revoke("a", 3000)]);
      expect([first?.revokedAt, second?.revokedAt]).toEqual([2000, 2000]);
      expect((await tokens.get("a"))?.revokedAt).toBe(2000);
      expect((await tokens.list())[0]).toMatchObject({ id: "a", revokedAt: 2000 });
      expect(await tokens.revoke("unknown", 2000)).toBeUndefined();
    });

    test("the last use is the latest one", async () => {
      await add("a");
      const lastUse = async (): Promise<ApiToken["lastUsedAt"]> => (await tokens.get("a"))?.lastUsedAt;
      expect(await lastUse()).toBeUndefined();
      await tokens.used("a", 3000);
      await tokens.used("a", 2000);
      expect(await lastUse()).toBe(3000);
      await expect(tokens.used("unknown", 3000)).resolves.toBeUndefined();
    });
  });
}
