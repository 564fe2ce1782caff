import { expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { PoliteQueue } from "./polite-queue.ts";

const limits = { concurrency: 3, perHost: 2, hostDelayMs: 100 };
const never = new AbortController().signal;

/** Enters the queue, records the time, and returns the release functions. */
function enterAll(queue: PoliteQueue, clock: FakeClock, hosts: readonly string[]) {
  const began: [host: string, at: number][] = [];
  const leaves: (() => void)[] = [];
  const start = clock.elapsed();
  for (const host of hosts) {
    void queue.enter(host, never).then((leave) => {
      began.push([host, clock.elapsed() - start]);
      leaves.push(leave);
    });
  }
  return { began, leaves };
}

test("two of a host at once, with a pause between their starts", async () => {
  const clock = new FakeClock();
  const queue = new PoliteQueue(clock, limits);
  const { began, leaves } = enterAll(queue, clock, ["a", "a", "a"]);
  await clock.pass(1000);
  expect(began).toEqual([
    ["a", 0],
    ["a", 100],
  ]);
  leaves[0]?.();
  await clock.pass(1);
  expect(began.at(-1)).toEqual(["a", 1000]);
  expect(clock.timers).toBe(0);
});

test("hosts take turns, and no more than the limit are under way", async () => {
  const clock = new FakeClock();
  const queue = new PoliteQueue(clock, { ...limits, hostDelayMs: 0 });
  const { began, leaves } = enterAll(queue, clock, ["a", "a", "a", "b", "c"]);
  await clock.pass(0);
  expect(began.map(([host]) => host)).toEqual(["a", "a", "b"]);
  leaves[2]?.();
  await clock.pass(0);
  expect(began.map(([host]) => host)).toEqual(["a", "a", "b", "c"]);
});

test("a paused host waits while others continue", async () => {
  const clock = new FakeClock();
  const queue = new PoliteQueue(clock, limits);
  queue.pause("a", 5000);
  const { began } = enterAll(queue, clock, ["a", "b"]);
  await clock.pass(6000);
  expect(began).toEqual([
    ["b", 0],
    ["a", 5000],
  ]);
});

test("a host that requires more time between requests gets it", async () => {
  const clock = new FakeClock();
  const queue = new PoliteQueue(clock, limits);
  const { began } = enterAll(queue, clock, ["a", "a"]);
  queue.slowDown("a", 2000);
  queue.slowDown("a", 300);
  await clock.pass(3000);
  expect(began).toEqual([
    ["a", 0],
    ["a", 2000],
  ]);
});

test("a cancelled waiter leaves the queue at once and takes no slot", async () => {
  const clock = new FakeClock();
  const queue = new PoliteQueue(clock, limits);
  const { began, leaves } = enterAll(queue, clock, ["a", "a"]);
  await clock.pass(100);
  const controller = new AbortController();
  const input = queue.enter("a", controller.signal);
  controller.abort(new Error("no more"));
  await expect(input).rejects.toThrow("no more");
  await expect(queue.enter("a", controller.signal)).rejects.toThrow("no more");
  const { began: later } = enterAll(queue, clock, ["a"]);
  for (const leave of leaves) leave();
  await clock.pass(200);
  expect([began.length, later.length, clock.timers]).toEqual([2, 1, 0]);
});
