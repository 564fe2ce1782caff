import { expect, test } from "vitest";
import type { Caller, FindCaller } from "./caller.ts";
import { CallerCache } from "./find-callers.ts";

const caller: Caller = { principal: "ci", tokenId: "t1", scopes: new Set(["read"]) };

/** A cache over these answers, with the attempts that it reported. */
function open(find: FindCaller) {
  const log: string[] = [];
  let now = 0;
  const cache = new CallerCache(
    (token) => {
      log.push("read");
      return find(token);
    },
    { elapsed: () => now },
  );
  const check = { before: () => void log.push("before"), refused: () => void log.push("refused") };
  return { log, find: (token: string) => cache.find(token, check), pass: (ms: number) => (now += ms) };
}

test("a valid token is read again after half a second, and does not count as an attempt [P06]", async () => {
  const { log, find, pass } = open(() => caller);
  expect(await find("a")).toBe(caller);
  pass(499);
  expect(await find("a")).toBe(caller);
  expect(log).toEqual(["before", "read"]);
  pass(1);
  await find("a");
  expect(log).toEqual(["before", "read", "read"]);
});

test("a revoked token is refused at the next reading, and then it is an attempt again [P06]", async () => {
  let answer: Awaited<ReturnType<FindCaller>> = caller;
  const { log, find, pass } = open(() => answer);
  await find("a");
  answer = "revoked";
  expect(await find("a")).toBe(caller);
  pass(500);
  expect(await find("a")).toBe("revoked");
  expect(await find("a")).toBe("revoked");
  expect(log).toEqual(["before", "read", "read", "refused", "before", "read", "refused"]);
});

test("concurrent requests with one token are one attempt and one reading [P06]", async () => {
  const { promise, resolve } = Promise.withResolvers<"unknown">();
  const { log, find } = open(() => promise);
  const all = Array.from({ length: 20 }, () => find("a"));
  resolve("unknown");
  expect(await Promise.all(all)).toEqual(Array.from({ length: 20 }, () => "unknown"));
  expect(log).toEqual(["before", "read", "refused"]);
});

test("a reading that fails is not remembered [P06]", async () => {
  const answers = [Promise.reject(new Error("the disk is full")), Promise.resolve(caller)];
  const { log, find } = open(() => answers.shift() ?? "unknown");
  await expect(find("a")).rejects.toThrow("the disk is full");
  expect(await find("a")).toBe(caller);
  expect(log).toEqual(["before", "read", "before", "read"]);
});
