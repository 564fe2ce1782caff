import { describe, expect, test } from "vitest";
import { isFailureError } from "../base/index.ts";
import { concurrencySettings } from "./concurrency.ts";

describe("[B18] the concurrency settings", () => {
  test("default to the documented values", () => {
    expect(concurrencySettings({})).toMatchObject({
      maxConcurrent: 10,
      queueSize: 100,
      queueTimeoutMs: 30_000,
      strategy: "fifo",
    });
  });

  test("are the configured values", () => {
    const settings = concurrencySettings({
      maxConcurrent: 3,
      queueSize: 0,
      queueTimeoutMs: 0,
      strategy: "priority",
      bucketLimits: { http: 5 },
      rateLimits: { http: "10/s" },
    });
    expect(settings).toMatchObject({ maxConcurrent: 3, queueSize: 0, queueTimeoutMs: 0, strategy: "priority" });
    expect(settings.bucketLimits.get("http")).toBe(5);
    expect(settings.rateLimits.get("http")).toEqual({ count: 10, windowMs: 1000 });
    expect(settings.bucketLimits.get("constructor")).toBeUndefined();
  });

  test("no limit at all is allowed", () => {
    expect(
      concurrencySettings({ maxConcurrent: Infinity, queueSize: Infinity, queueTimeoutMs: Infinity }),
    ).toMatchObject({
      maxConcurrent: Infinity,
    });
  });

  const wrong: [string, object, string][] = [
    ["maxConcurrent", { maxConcurrent: 0 }, "concurrency maxConcurrent must be a whole number of at least 1, got 0"],
    ["maxConcurrent", { maxConcurrent: 1.5 }, "a whole number of at least 1, got 1.5"],
    ["maxConcurrent", { maxConcurrent: Number.NaN }, "a whole number"],
    ["maxConcurrent", { maxConcurrent: "5" }, 'got "5"'],
    ["queueSize", { queueSize: -1 }, "at least 0, got -1"],
    ["queueTimeoutMs", { queueTimeoutMs: -1 }, "a number of at least 0, got -1"],
    ["strategy", { strategy: "lifo" }, 'concurrency strategy must be fifo, priority or reject, got "lifo"'],
    ["bucketLimits", { bucketLimits: { http: 0 } }, "bucketLimits.http must be a whole number of at least 1, got 0"],
    ["rateLimits", { rateLimits: { http: "fast" } }, '"fast" is not a rate'],
  ];

  test.each(wrong)("a wrong %s is refused: %j", (_name, options, message) => {
    let thrown: unknown;
    try {
      concurrencySettings(options);
    } catch (error) {
      thrown = error;
    }
    expect(isFailureError(thrown) && thrown.code).toBe("file_invalid");
    expect(String(thrown)).toContain(message);
  });
});
