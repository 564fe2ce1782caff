import { expect, test } from "vitest";
import { orAborted, unlessAborted } from "./index.ts";

const never = new Promise<never>(() => {});

test("work that ends first gives what it gives", async () => {
  const { signal } = new AbortController();
  expect(await orAborted(Promise.resolve(1), signal)).toBe(1);
  expect(await unlessAborted(Promise.resolve(1), signal)).toBe(1);
  await expect(orAborted(Promise.reject(new Error("broke")), signal)).rejects.toThrow("broke");
  await expect(unlessAborted(Promise.reject(new Error("broke")), signal)).rejects.toThrow("broke");
});

test("work that does not listen is left when the signal is aborted, and may fail unheard", async () => {
  const controller = new AbortController();
  const late = Promise.withResolvers<number>();
  const left = [orAborted(late.promise, controller.signal), orAborted(never, controller.signal, () => "gone")];
  const quiet = unlessAborted(late.promise, controller.signal);
  controller.abort("stop");
  expect(await Promise.allSettled(left)).toMatchObject([{ reason: "stop" }, { reason: "gone" }]);
  expect(await quiet).toBeUndefined();
  late.reject(new Error("too late"));
});

test("a signal that was aborted before is not waited for", async () => {
  await expect(orAborted(never, AbortSignal.abort("before"))).rejects.toBe("before");
  expect(await unlessAborted(never, AbortSignal.abort())).toBeUndefined();
});
