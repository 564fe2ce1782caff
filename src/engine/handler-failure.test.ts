import { describe, expect, test } from "vitest";
import { sampleTool } from "../../test/support/sample-tool.ts";
import { type FailureCode, fail } from "../base/index.ts";
import type { Effect, ToolResult } from "../tool/index.ts";
import { createEngine } from "./engine.ts";
import { toHandlerFailure } from "./handler-failure.ts";

const boom = (): never => {
  throw new Error("boom");
};

const hostileError = Object.defineProperties(new Error("x"), { message: { get: boom }, name: { get: boom } });

/** Values that a handler may throw, and the message that the caller gets. */
const thrown: [string, unknown, string | RegExp][] = [
  ["an error", new Error("plain"), "plain"],
  ["an error without a message", new RangeError(""), "RangeError"],
  ["a text", "just text", "just text"],
  ["an empty text", "", /empty/],
  ["undefined", undefined, /undefined/],
  ["null", null, /null/],
  ["a number", 7, /7/],
  ["a symbol", Symbol("s"), /Symbol\(s\)/],
  ["an object", {}, /object/],
  ["an object without a prototype", Object.create(null), /cannot be shown/],
  ["an error whose message is no text", Object.assign(new Error("x"), { message: { a: 1 } }), /./],
  ["an error whose fields throw", hostileError, /cannot be shown/],
  [
    "a proxy that throws at every touch",
    new Proxy({}, { get: boom, has: boom, getPrototypeOf: boom }),
    /cannot be shown/,
  ],
  ["something that only looks like a failure", { [Symbol.for("windlass.failure")]: true }, /object/],
  ["a failure with an unknown code", fail("odd", { code: "mine" as FailureCode }), "odd"],
];

describe.each([
  ["at once", (value: unknown) => () => raise(value)],
  ["later", (value: unknown) => async () => raise(value)],
  [
    "from a generator",
    (value: unknown) =>
      async function* () {
        yield 1;
        raise(value);
      },
  ],
] as const)("a handler that throws %s", (_when, handler) => {
  test.each(thrown)("%s fails the call and frees its slot", async (_name, value, message) => {
    const engine = createEngine({ concurrency: { maxConcurrent: 1 } });
    const result = await engine.call(sampleTool(handler(value)), {}, { maxRetries: 0 });
    expect(result).toMatchObject({ success: false, error: { code: "execution_error" }, meta: { attempts: 1 } });
    const error = result.success ? undefined : result.error;
    expect(typeof error?.message).toBe("string");
    expect(error?.message).toMatch(message);
    expect(engine.metrics()).toMatchObject({ currentConcurrent: 0, totalAcquired: 1, totalReleased: 1 });
  });
});

test("a handler may return its failure, which is the same as throwing it", async () => {
  const failing = fail("the city is unknown", { reason: "unknown_city", retry: "never", forModel: "Ask for another." });
  const expected = {
    success: false,
    error: {
      code: "execution_error",
      reason: "unknown_city",
      message: "the city is unknown",
      forModel: "Ask for another.",
      retry: "never",
    },
  };
  const engine = createEngine();
  expect(
    await engine.call(
      sampleTool(() => failing),
      {},
    ),
  ).toMatchObject(expected);
  expect(
    await engine.call(
      sampleTool(async () => failing),
      {},
    ),
  ).toMatchObject(expected);
  expect(
    await engine.call(
      sampleTool(() => raise(failing)),
      {},
    ),
  ).toMatchObject(expected);
});

test("a very long message is truncated, and stays well-formed", () => {
  const failed = toHandlerFailure(new Error("😀".repeat(5000)), "read");
  expect(failed.message.length).toBeLessThan(2100);
  expect(failed.message.isWellFormed()).toBe(true);
  expect(toHandlerFailure(fail("x".repeat(100_000)), "read").message.length).toBeLessThan(2100);
});

describe("[N02] the verdict follows the effect", () => {
  const verdict = (effect: Effect, value: unknown): string => toHandlerFailure(value, effect).retry;
  const effects = ["pure", "read", "idempotent", "once"] as const;

  test("an error may be retried unless it would recur or the retry could be destructive", () => {
    expect(effects.map((effect) => verdict(effect, new Error("x")))).toEqual(["never", "safe", "safe", "unsafe"]);
  });

  test("a bug comes again", () => {
    for (const bug of [new TypeError("x"), new ReferenceError("x"), new RangeError("x"), new SyntaxError("x")]) {
      expect(verdict("read", bug)).toBe("never");
    }
  });

  test("an error of the system or of fetch is not a bug, regardless of its class", () => {
    expect(verdict("read", Object.assign(new TypeError("x"), { code: "ECONNRESET" }))).toBe("safe");
    expect(verdict("read", new TypeError("fetch failed", { cause: new Error("socket") }))).toBe("safe");
  });

  test("a verdict in the thrown failure overrides the effect", () => {
    expect(verdict("once", fail("x", { retry: "safe" }))).toBe("safe");
    expect(verdict("read", fail("x", { retry: "never" }))).toBe("never");
    expect(effects.map((effect) => verdict(effect, fail("x")))).toEqual(["never", "safe", "safe", "unsafe"]);
  });

  test("an unknown effect means once", () => {
    expect(verdict("delete" as Effect, new Error("x"))).toBe("unsafe");
    expect(verdict(undefined as unknown as Effect, new Error("x"))).toBe("unsafe");
  });
});

test("an effect function that returns an invalid value means once: no second run", async () => {
  let runs = 0;
  const tool = sampleTool(
    () => {
      runs++;
      throw new Error("x");
    },
    { effect: () => "nonsense" as Effect, destructive: false },
  );
  const result: ToolResult = await createEngine().call(tool, {});
  expect(result).toMatchObject({ error: { retry: "unsafe" } });
  expect(runs).toBe(1);
});

function raise(value: unknown): never {
  throw value;
}
