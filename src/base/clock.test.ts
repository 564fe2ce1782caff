import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { systemClock } from "./clock.ts";

test("elapsed time never decreases, and now is wall-clock time", () => {
  const before = systemClock.elapsed();
  expect(systemClock.elapsed()).toBeGreaterThanOrEqual(before);
  expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(1000);
});

test("a timer fires once, a cancelled one never", async () => {
  let fired = 0;
  const cancelled = systemClock.after(1, () => (fired += 100));
  cancelled.cancel();
  await new Promise<void>((resolve) => {
    systemClock.after(5, () => {
      fired++;
      resolve();
    });
  });
  expect(fired).toBe(1);
});

test("a delay beyond Node's maximum does not fire immediately", async () => {
  let fired = false;
  const timer = systemClock.after(Number.POSITIVE_INFINITY, () => (fired = true));
  await new Promise<void>((resolve) => void systemClock.after(5, resolve));
  timer.cancel();
  expect(fired).toBe(false);
});

test("a timer keeps the process alive or not, as configured, from the next turn on", async () => {
  const timer = systemClock.after(60_000, () => {});
  const holding = (): number => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
  const before = holding();
  timer.hold(false);
  await turn();
  expect(holding()).toBe(before - 1);
  timer.hold(true);
  timer.hold(false);
  timer.hold(true);
  await turn();
  expect(holding()).toBe(before);
  timer.cancel();
});
