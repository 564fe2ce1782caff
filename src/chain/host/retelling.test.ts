import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Settled, cancelKey } from "./host.ts";
import { Retelling } from "./retelling.ts";

const fired = (...keys: readonly string[]): Settled[] =>
  keys.map((key, at) => ({ key, at, outcome: { kind: "fired" as const } }));

test("what is asked for is told in the order in which it happened, what is not waits until it is", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(50)), fc.array(fc.option(fc.nat(60))), (happened, asked) => {
      const outcomes = new Retelling(fired(...happened.map(String)));
      const open = new Set<string>();
      const told: (string | undefined)[] = [];
      const expected: (string | undefined)[] = [];
      for (const ask of asked) {
        const key = String(ask);
        const first = happened.map(String).find((one) => open.has(one));
        if (ask === null) {
          told.push(outcomes.next({ has: (one) => open.has(one), keys: () => open })?.key);
          expected.push(first);
          open.delete(String(first));
        } else if (outcomes.ask(key) && !told.includes(key)) open.add(key);
      }
      expect(told).toEqual(expected);
      expect(outcomes.untold).toBe(happened.length - told.filter((key) => key !== undefined).length);
      expect(asked.every((ask) => ask === null || outcomes.ask(String(ask)) === happened.includes(ask))).toBe(true);
    }),
  );
});

test("a wait that was given up is not told, unless it is asked for again", () => {
  const outcomes = new Retelling(fired("a", "b"));
  outcomes.ask("a");
  outcomes.ask("b");
  expect(outcomes.next(new Map([["b", 1]]))?.key).toBe("b");
  expect(outcomes.next(new Map())).toBeUndefined();
  outcomes.ask("a");
  expect(outcomes.next(new Map([["a", 1]]))?.key).toBe("a");
  expect(outcomes.ask("a")).toBe(true);
  expect(outcomes.next(new Map([["a", 1]]))).toBeUndefined();
});

test("a cancellation comes without being asked for, after what was asked for and happened before it", () => {
  const outcomes = new Retelling(fired("a", cancelKey, "b"));
  outcomes.ask("b");
  outcomes.ask("a");
  const pending = new Map([
    ["a", 1],
    ["b", 1],
  ]);
  expect([1, 2, 3].map(() => outcomes.next(pending)?.key)).toEqual(["a", cancelKey, "b"]);
});

test("a hundred thousand outcomes are told in any order in no time", () => {
  const keys = Array.from({ length: 100_000 }, (_, index) => `step${index}#1`);
  const outcomes = new Retelling(fired(...keys));
  for (const key of keys.toReversed()) outcomes.ask(key);
  const pending = { has: () => true, keys: () => keys };
  for (const key of keys) expect(outcomes.next(pending)?.key === key).toBe(true);
  expect([outcomes.next(pending), outcomes.untold]).toEqual([undefined, 0]);
});
