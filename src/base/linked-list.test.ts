import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Linked, LinkedList } from "./linked-list.ts";

class Item implements Linked<Item> {
  previous: Item | undefined = undefined;
  next: Item | undefined = undefined;
  linked = false;
  readonly id: number;

  constructor(id: number) {
    this.id = id;
  }
}

test("items are removed from the front, the middle and the end", () => {
  const list = new LinkedList<Item>();
  const items = [0, 1, 2, 3].map((id) => new Item(id));
  for (const item of items) list.append(item);
  for (const at of [1, 0, 3]) list.remove(items[at]!);
  expect(list.toArray()).toEqual([items[2]]);
  expect(list.first).toBe(items[2]);
  expect(list.size).toBe(1);
});

test("a removed item is not removed again, and keeps nothing alive", () => {
  const list = new LinkedList<Item>();
  const items = [0, 1, 2].map((id) => new Item(id));
  for (const item of items) list.append(item);
  list.remove(items[1]!);
  list.remove(items[1]!);
  expect(list.size).toBe(2);
  expect(items[1]).toMatchObject({ previous: undefined, next: undefined, linked: false });
});

test("the items of toArray can be removed while they are visited", () => {
  const list = new LinkedList<Item>();
  for (let id = 0; id < 5; id++) list.append(new Item(id));
  for (const item of list.toArray()) list.remove(item);
  expect(list.size).toBe(0);
  expect(list.first).toBeUndefined();
});

test("any appending and removing leaves the same items as an array", () => {
  const step = fc.oneof(fc.constant("append" as const), fc.nat(30));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const list = new LinkedList<Item>();
      const model: Item[] = [];
      const all: Item[] = [];
      for (const what of steps) {
        if (what === "append") {
          const item = new Item(all.length);
          all.push(item);
          model.push(item);
          list.append(item);
        } else if (what < all.length) {
          const item = all[what]!;
          if (model.includes(item)) model.splice(model.indexOf(item), 1);
          list.remove(item);
        }
        expect(list.toArray().map(({ id }) => id)).toEqual(model.map(({ id }) => id));
        expect(list.size).toBe(model.length);
        expect(list.first).toBe(model[0]);
      }
    }),
    { seed: 7, numRuns: 200 },
  );
});
