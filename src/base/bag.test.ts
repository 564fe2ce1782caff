import { expect, test } from "vitest";
import { Bag, type Bagged } from "./bag.ts";

interface Ball extends Bagged {
  readonly name: string;
}

const ball = (name: string): Ball => ({ name, position: -1 });
const names = (bag: Bag<Ball>): string[] =>
  bag
    .toArray()
    .map(({ name }) => name)
    .sort();

test("a bag holds what was added and not removed", () => {
  const bag = new Bag<Ball>();
  const [a, b, c, d] = ["a", "b", "c", "d"].map(ball) as [Ball, Ball, Ball, Ball];
  for (const each of [a, b, c, d]) bag.add(each);
  bag.remove(b);
  expect(names(bag)).toEqual(["a", "c", "d"]);
  bag.remove(d);
  bag.remove(a);
  expect(names(bag)).toEqual(["c"]);
  expect(bag.size).toBe(1);
  bag.add(a);
  bag.remove(c);
  expect(names(bag)).toEqual(["a"]);
});

test("removing an item twice removes nothing else", () => {
  const bag = new Bag<Ball>();
  const [a, b] = [ball("a"), ball("b")];
  bag.add(a);
  bag.add(b);
  bag.remove(a);
  bag.remove(a);
  expect(names(bag)).toEqual(["b"]);
  expect([a.position, b.position]).toEqual([-1, 0]);
});

test("any order of additions and removals leaves the positions right", () => {
  const bag = new Bag<Ball>();
  const inside = new Set<Ball>();
  let seed = 7;
  const random = (max: number): number => (seed = (seed * 1103515245 + 12345) % 2147483648) % max;
  for (let round = 0; round < 2000; round++) {
    if (inside.size === 0 || random(2) === 0) {
      const added = ball(String(round));
      bag.add(added);
      inside.add(added);
    } else {
      const removed = [...inside][random(inside.size)] as Ball;
      bag.remove(removed);
      inside.delete(removed);
    }
    expect(bag.size).toBe(inside.size);
  }
  expect(new Set(bag.toArray())).toEqual(inside);
  bag.toArray().forEach((each, position) => expect(each.position).toBe(position));
});
