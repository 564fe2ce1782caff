import { describe, expect, test } from "vitest";
import { fromJsonSchema } from "../schema/index.ts";
import { defineTool } from "../tool/index.ts";
import { createEngine } from "./engine.ts";

const day = 86_400_000;
const wrong = [0, -5, Number.NaN, Infinity, day + 1, "30" as unknown as number];
let runs = 0;
const input = fromJsonSchema<{ a?: number }>({ type: "object", properties: { a: { type: "number" } } });
const run = (args: { a?: number }): { a?: number } => (runs++, args);
const echo = defineTool({ name: "echo", description: "Returns its input", effect: "read", input, run });

describe("[H10] timeouts are above 0 and at most 24 hours", () => {
  const engine = createEngine({ tools: [echo] });

  test.each(wrong)("a context with a timeout of %s is refused, and nothing runs", async (value) => {
    runs = 0;
    for (const key of ["timeoutMs", "limitMs", "overrideTimeoutMs"] as const) {
      const result = await engine.call("echo", {}, { [key]: value });
      expect(result).toMatchObject({
        success: false,
        error: { code: "validation_error", reason: "invalid_timeout", retry: "never" },
      });
      expect(result.success ? "" : result.error.message).toContain(
        `${key} must be a number of milliseconds above 0 and at most 86400000 (24 hours), got ${String(value)}`,
      );
    }
    expect(runs).toBe(0);
  });

  test("24 hours are allowed", async () => {
    expect(await engine.call("echo", {}, { timeoutMs: day, limitMs: day })).toMatchObject({ success: true });
  });

  test.each(wrong)("a tool or an engine with a timeout of %s is refused", (timeoutMs) => {
    expect(() => defineTool({ name: "slow", description: "Slow", effect: "read", input, run, timeoutMs })).toThrow(
      /timeoutMs.*24 hours/,
    );
    expect(() => createEngine({ limits: { timeoutMs } })).toThrow(RangeError);
  });

  test("a timeout that a tool computes from its arguments is capped", async () => {
    const computed = defineTool({
      name: "computed",
      description: "Slow",
      effect: "read",
      input,
      run,
      timeoutMs: () => 9e15,
    });
    expect(await engine.call(computed, {})).toMatchObject({ success: true });
  });
});
