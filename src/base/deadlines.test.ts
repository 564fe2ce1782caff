import * as fc from "fast-check";
import { expect, test } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { Deadlines, type Deadline } from "./deadlines.ts";

function started() {
  const clock = new FakeClock();
  const deadlines = new Deadlines(clock);
  const expired: string[] = [];
  const set = (ms: number, name: string): Deadline => deadlines.set(ms, { expire: () => expired.push(name) });
  return { clock, deadlines, expired, set };
}

test("a deadline expires at its time, not before", () => {
  const { clock, deadlines, expired, set } = started();
  set(100, "a");
  clock.advance(99);
  expect(expired).toEqual([]);
  clock.advance(1);
  expect(expired).toEqual(["a"]);
  expect(deadlines.size).toBe(0);
});

test("deadlines of one duration share one timer", () => {
  const { clock, expired, set } = started();
  for (let at = 0; at < 5; at++) {
    set(100, `d${at}`);
    clock.advance(10);
  }
  expect(clock.timers).toBe(1);
  clock.advance(50);
  expect(expired).toEqual(["d0"]);
  expect(clock.timers).toBe(1);
  clock.advance(40);
  expect(expired).toEqual(["d0", "d1", "d2", "d3", "d4"]);
  expect(clock.timers).toBe(0);
});

test("a cancelled deadline does not expire, and cancelling is idempotent", () => {
  const { clock, deadlines, expired, set } = started();
  const first = set(10, "first");
  set(10, "second");
  deadlines.cancel(first);
  deadlines.cancel(first);
  expect(deadlines.size).toBe(1);
  clock.advance(10);
  expect(expired).toEqual(["second"]);
  deadlines.cancel(first);
  expect(deadlines.size).toBe(0);
});

test("only pending deadlines keep the process alive", () => {
  const { clock, deadlines, set } = started();
  const deadline = set(1000, "a");
  expect(clock.holding).toBe(1);
  deadlines.cancel(deadline);
  expect(clock.holding).toBe(0);
  set(1000, "b");
  expect(clock.holding).toBe(1);
});

test("a timer that is still armed serves the next deadline at its own time", () => {
  const { clock, deadlines, expired, set } = started();
  deadlines.cancel(set(100, "early"));
  clock.advance(60);
  set(100, "late");
  clock.advance(99);
  expect(expired).toEqual([]);
  clock.advance(1);
  expect(expired).toEqual(["late"]);
});

test("a deadline may set and cancel others of the same duration while it expires", () => {
  const { clock, deadlines, expired, set } = started();
  const doomed: Deadline[] = [];
  deadlines.set(10, {
    expire: () => {
      expired.push("first");
      for (const other of doomed) deadlines.cancel(other);
      set(10, "next");
    },
  });
  doomed.push(set(10, "doomed"));
  clock.advance(10);
  expect(expired).toEqual(["first"]);
  clock.advance(10);
  expect(expired).toEqual(["first", "next"]);
  expect(clock.timers).toBe(0);
});

test("a deadline that sets another while it expires does not delay the pending ones", () => {
  const { clock, deadlines, expired, set } = started();
  deadlines.set(100, { expire: () => set(100, "third") });
  clock.advance(3);
  set(100, "second");
  clock.advance(100);
  expect(expired).toEqual(["second"]);
  clock.advance(97);
  expect(expired).toEqual(["second", "third"]);
});

test("a target that throws does not stop the others", () => {
  const { clock, deadlines, expired, set } = started();
  deadlines.set(10, {
    expire: () => {
      throw new Error("broken");
    },
  });
  set(10, "other");
  expect(() => clock.advance(10)).toThrow("broken");
  clock.advance(1);
  expect(expired).toEqual(["other"]);
});

test("a timer of a queue that emptied in the meantime does not lose later deadlines", () => {
  const { clock, deadlines, expired, set } = started();
  // Sets and cancels while expiring: its timer stays armed although nothing waits.
  deadlines.set(10, { expire: () => deadlines.cancel(set(10, "never")) });
  clock.advance(15);
  set(10, "later");
  clock.advance(6);
  expect(deadlines.size).toBe(1);
  clock.advance(4);
  expect(expired).toEqual(["later"]);
  expect(deadlines.size).toBe(0);
});

test("a zero, negative or NaN delay is due immediately", () => {
  const { clock, expired, set } = started();
  set(0, "zero");
  set(-5, "negative");
  set(Number.NaN, "nan");
  clock.advance(0);
  expect(expired.toSorted()).toEqual(["nan", "negative", "zero"]);
  expect(clock.timers).toBe(0);
});

test("a deadline beyond the maximum of a system timer still holds", () => {
  const { clock, expired, set } = started();
  set(Number.POSITIVE_INFINITY, "never");
  clock.advance(1e12);
  expect(expired).toEqual([]);
});

test("for any sequence of setting, cancelling and waiting, each deadline expires once, on time, unless cancelled", () => {
  const step = fc.record({
    wait: fc.nat(7),
    ms: fc.nat(12),
    cancel: fc.option(fc.nat(40), { nil: undefined }),
    again: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
      const clock = new FakeClock();
      const deadlines = new Deadlines(clock);
      const all: { due: number; handle: Deadline; cancelled: boolean; firedAt: number[] }[] = [];
      const set = (ms: number, again: boolean): void => {
        const firedAt: number[] = [];
        const expire = (): void => {
          firedAt.push(clock.elapsed());
          if (again) set(ms, false);
        };
        const handle = deadlines.set(ms, { expire });
        all.push({ due: clock.elapsed() + ms, handle, cancelled: false, firedAt });
      };
      for (const { wait, ms, cancel, again } of steps) {
        clock.advance(wait);
        set(ms, again);
        const victim = cancel === undefined ? undefined : all[cancel];
        if (victim?.firedAt.length === 0) {
          deadlines.cancel(victim.handle);
          victim.cancelled = true;
        }
      }
      clock.advance(100);
      // A timer lasts at least a millisecond, so a zero delay may take one.
      for (const { due, cancelled, firedAt } of all) {
        const late = firedAt.map((at) => Math.max(0, at - due - 1));
        expect(late).toEqual(cancelled ? [] : [0]);
        expect(Math.min(Infinity, ...firedAt)).toBeGreaterThanOrEqual(due);
      }
      expect(deadlines.size).toBe(0);
      expect(clock.timers).toBe(0);
    }),
    { seed: 11, numRuns: 300 },
  );
});
