import { describe, expect, test } from "vitest";
import { type FailureCode, FailureError, fail, failure, failureKinds, isFailureError } from "./failure.ts";

const codes = Object.keys(failureKinds) as FailureCode[];

describe("the table of failures", () => {
  test("every code is a snake_case word with a meaning and a remedy", () => {
    expect(codes.length).toBeGreaterThan(15);
    for (const code of codes) {
      const kind = failureKinds[code];
      expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect(kind.meaning).toMatch(/^[A-Z].*\.$/);
      expect(kind.remedy).toMatch(/^[A-Z].*\.$/);
      expect(["call", "definition", "run", "store"]).toContain(kind.area);
      expect(["safe", "unsafe", "never", "effect"]).toContain(kind.retry);
    }
  });

  test.each(codes)("%s has a default verdict", (code) => {
    const { retry } = failureKinds[code];
    expect(failure(code, "m").retry).toBe(retry === "effect" ? "unsafe" : retry);
    expect(failure(code, "m", { byEffect: "safe" }).retry).toBe(retry === "effect" ? "safe" : retry);
    expect(failure(code, "m", { retry: "never" }).retry).toBe("never");
  });
});

describe("failure values", () => {
  test("carry their options and nothing else", () => {
    expect(failure("rejected", "full")).toEqual({
      code: "rejected",
      message: "full",
      forModel: "full",
      retry: "safe",
    });
    const issues = [{ path: ["a"], code: "type", message: "wrong" }];
    expect(
      failure("approval_required", "wait", { forModel: "f", reason: "r", issues, retryAfterMs: 0, approvalId: "1" }),
    ).toEqual({
      code: "approval_required",
      message: "wait",
      forModel: "f",
      reason: "r",
      issues,
      retry: "safe",
      retryAfterMs: 0,
      approvalId: "1",
    });
  });
});

describe("thrown failures", () => {
  test("are errors with a stack, a code and a cause", () => {
    const cause = new Error("below");
    const error = fail("broken", { code: "not_available", reason: "no_key", cause });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: "FailureError", message: "broken", code: "not_available", reason: "no_key" });
    expect(error.cause).toBe(cause);
    expect("cause" in fail("plain")).toBe(false);
  });

  test("become values; the thrower's verdict wins over the effect's", () => {
    expect(fail("x").toFailure()).toMatchObject({ code: "execution_error", retry: "unsafe" });
    expect(fail("x").toFailure("safe").retry).toBe("safe");
    expect(fail("x", { retry: "never" }).toFailure("safe").retry).toBe("never");
    expect(fail("x", { code: "not_available" }).toFailure("unsafe").retry).toBe("safe");
  });

  test("an unknown code becomes an execution error", () => {
    const error = fail("x", { code: "my_own" as FailureCode });
    expect(error.toFailure("safe")).toMatchObject({ code: "execution_error", message: "x", retry: "safe" });
    expect(fail("x", { code: "constructor" as FailureCode }).code).toBe("execution_error");
  });

  test("are recognized by their brand, across copies of the class", () => {
    expect(isFailureError(new FailureError("x"))).toBe(true);
    expect(isFailureError({ [Symbol.for("windlass.failure")]: true })).toBe(true);
    for (const other of [undefined, null, "x", 1, {}, new Error("x"), () => 1])
      expect(isFailureError(other)).toBe(false);
  });

  test("show neither brand nor options when they are printed", () => {
    expect(Object.keys(fail("x", { reason: "r" })).toSorted()).toEqual(["code", "name"]);
  });
});
