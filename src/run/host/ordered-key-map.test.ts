import { expect, test } from "vitest";
import { OrderedKeyMap } from "./ordered-key-map.ts";

test("an ordered key map behaves like a Map and keeps the order of its keys", () => {
  const table = new OrderedKeyMap<number>();
  const map = new Map<string, number>();
  let random = 7;
  const below = (max: number): number => {
    random = (random * 48_271) % 2_147_483_647;
    return random % max;
  };
  for (let turn = 0; turn < 5000; turn++) {
    const key = `k${below(4)}`;
    if (below(50) === 0) {
      table.clear();
      map.clear();
    } else if (below(2) === 0) {
      table.set(key, turn);
      map.set(key, turn);
    } else if (table.delete(key) !== map.delete(key)) {
      throw new Error(`deleting ${key} in turn ${turn} said something else than a map says`);
    }
    expect(table.keys()).toEqual([...map.keys()]);
    expect(table.values()).toEqual([...map.values()]);
    expect([table.size, table.get(key), table.has(key)]).toEqual([map.size, map.get(key), map.has(key)]);
  }
});
