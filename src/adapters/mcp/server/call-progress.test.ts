import { expect, test } from "vitest";
import { FakeClock } from "../../../../test/support/fake-clock.ts";
import { CallProgress, type ProgressNotification } from "./call-progress.ts";

function setup() {
  const clock = new FakeClock();
  const sent: ProgressNotification[] = [];
  const redact = (text: string): string => text.replaceAll("hunter2", "[redacted]");
  const progress = new CallProgress({ clock, redact, send: (each) => sent.push(each) });
  return { clock, sent, progress };
}

test("the progress reported by a handler is sent as protocol notifications", async () => {
  const { clock, sent, progress } = setup();
  for (const value of [
    { progress: 0, total: 100 },
    10,
    "half-way",
    { rows: 3 },
    { progress: 100, total: 100, message: "done" },
  ]) {
    progress.report(value);
    await clock.pass(100);
  }
  expect(sent).toEqual([
    { progress: 0, total: 100 },
    { progress: 10 },
    { progress: 11, message: "half-way" },
    { progress: 12, message: '{"rows":3}' },
    { progress: 100, total: 100, message: "done" },
  ]);
});

test("it only ever rises, and never past its total", async () => {
  const { clock, sent, progress } = setup();
  const values = [
    5,
    5,
    3,
    -1,
    Number.NaN,
    { progress: 4, total: 10 },
    { progress: 10, total: 10 },
    { progress: 10, total: 10 },
  ];
  for (const value of values) {
    progress.report(value);
    await clock.pass(100);
  }
  for (const [at, { progress: now, total = Infinity }] of sent.entries()) {
    expect(now).toBeGreaterThan(sent[at - 1]?.progress ?? -1);
    expect(now).toBeLessThanOrEqual(total);
  }
  expect(sent.length).toBe(values.length);
});

test("only the newest of frequent updates is sent, and the last one before the result", async () => {
  const { clock, sent, progress } = setup();
  for (let n = 0; n < 10_000; n++) progress.report(n);
  expect(sent).toEqual([{ progress: 0 }]);
  await clock.pass(25);
  expect(sent).toEqual([{ progress: 0 }, { progress: 9999 }]);
  progress.report("almost");
  progress.flush();
  expect(sent.at(-1)).toEqual({ progress: 10_000, message: "almost" });
  await clock.pass(100);
  expect(sent.length).toBe(3);
});

test("messages are without secrets and not long", async () => {
  const { clock, sent, progress } = setup();
  progress.report("with hunter2");
  await clock.pass(100);
  progress.report("x".repeat(10_000));
  await clock.pass(100);
  const cyclic: { self?: unknown } = {};
  cyclic.self = cyclic;
  progress.report(cyclic);
  expect(sent.map(({ message }) => message?.slice(0, 20))).toEqual(["with [redacted]", "x".repeat(20), ""]);
  expect(sent[1]?.message?.length).toBe(501);
});
