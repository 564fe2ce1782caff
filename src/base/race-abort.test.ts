import { expect, test } from "vitest";
import { raceAbort, raceAbortOrUndefined } from "./index.ts";

const never = new Promise<never>(() => {});

test("work that ends first provides the result", async () => {
  const { signal } = new AbortController();
  expect(await raceAbort(Promise.resolve(1), signal)).toBe(1);
  expect(await raceAbortOrUndefined(Promise.resolve(1), signal)).toBe(1);
  await expect(raceAbort(Promise.reject(new Error("broke")), signal)).rejects.toThrow("broke");
  await expect(raceAbortOrUndefined(Promise.reject(new Error("broke")), signal)).rejects.toThrow("broke");
});

test("work that ignores the signal is abandoned when it aborts, and its later rejection is ignored", async () => {
  const controller = new AbortController();
  const late = Promise.withResolvers<number>();
  const left = [raceAbort(late.promise, controller.signal), raceAbort(never, controller.signal, () => "gone")];
  const quiet = raceAbortOrUndefined(late.promise, controller.signal);
  controller.abort("stop");
  expect(await Promise.allSettled(left)).toMatchObject([{ reason: "stop" }, { reason: "gone" }]);
  expect(await quiet).toBeUndefined();
  late.reject(new Error("too late"));
});

test("an already aborted signal rejects immediately", async () => {
  await expect(raceAbort(never, AbortSignal.abort("before"))).rejects.toBe("before");
  expect(await raceAbortOrUndefined(never, AbortSignal.abort())).toBeUndefined();
});
