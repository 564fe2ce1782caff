import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type SettledOutcome, cancelKey } from "../host.ts";
import { ReplayCursor } from "./replay-cursor.ts";

const fired = (...keys: readonly string[]): SettledOutcome[] =>
  keys.map((key, at) => ({ key, at, outcome: { kind: "fired" as const } }));

test("outcomes are replayed in recorded order, each once its key is requested", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(50)), fc.array(fc.option(fc.nat(60))), (happened, requested) => {
      const outcomes = new ReplayCursor(fired(...happened.map(String)));
      const open = new Set<string>();
      const reported: (string | undefined)[] = [];
      const expected: (string | undefined)[] = [];
      for (const item of requested) {
        const key = String(item);
        const first = happened.map(String).find((one) => open.has(one));
        if (item === null) {
          reported.push(outcomes.next({ has: (one) => open.has(one), keys: () => open })?.key);
          expected.push(first);
          open.delete(String(first));
        } else if (outcomes.request(key) && !reported.includes(key)) open.add(key);
      }
      expect(reported).toEqual(expected);
      expect(outcomes.remaining).toBe(happened.length - reported.filter((key) => key !== undefined).length);
      expect(
        requested.every((item) => item === null || outcomes.request(String(item)) === happened.includes(item)),
      ).toBe(true);
    }),
  );
});

test("the outcome of an abandoned wait is not replayed unless it is requested again", () => {
  const outcomes = new ReplayCursor(fired("a", "b"));
  outcomes.request("a");
  outcomes.request("b");
  expect(outcomes.next(new Map([["b", 1]]))?.key).toBe("b");
  expect(outcomes.next(new Map())).toBeUndefined();
  outcomes.request("a");
  expect(outcomes.next(new Map([["a", 1]]))?.key).toBe("a");
  expect(outcomes.request("a")).toBe(true);
  expect(outcomes.next(new Map([["a", 1]]))).toBeUndefined();
});

test("a cancellation is replayed without being requested, after the requested outcomes that precede it", () => {
  const outcomes = new ReplayCursor(fired("a", cancelKey, "b"));
  outcomes.request("b");
  outcomes.request("a");
  const pending = new Map([
    ["a", 1],
    ["b", 1],
  ]);
  expect([1, 2, 3].map(() => outcomes.next(pending)?.key)).toEqual(["a", cancelKey, "b"]);
});

test("a hundred thousand outcomes are replayed quickly in any order", () => {
  const keys = Array.from({ length: 100_000 }, (_, index) => `step${index}#1`);
  const outcomes = new ReplayCursor(fired(...keys));
  for (const key of keys.toReversed()) outcomes.request(key);
  const pending = { has: () => true, keys: () => keys };
  for (const key of keys) expect(outcomes.next(pending)?.key === key).toBe(true);
  expect([outcomes.next(pending), outcomes.remaining]).toEqual([undefined, 0]);
});
