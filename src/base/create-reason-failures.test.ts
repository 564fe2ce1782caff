import { expect, test } from "vitest";
import { createReasonFailures } from "./create-reason-failures.ts";

const made = createReasonFailures({
  plain: { code: "execution_error", meaning: "It broke." },
  certain: { code: "not_available", meaning: "It is not there.", retry: "never" },
});

test("a failure has the code and the verdict of its reason, and the given options", () => {
  const cause = new Error("below");
  expect(made("certain", "gone").toFailure()).toMatchObject({
    code: "not_available",
    reason: "certain",
    retry: "never",
  });
  const later = made("certain", "later", { retry: "safe", retryAfterMs: 5, cause });
  expect(later.toFailure()).toMatchObject({ message: "later", retry: "safe", retryAfterMs: 5 });
  expect(later.cause).toBe(cause);
});

test("a parameter to correct is named as an issue", () => {
  const { issues } = made("plain", "too long", { parameter: "query" });
  expect(issues).toEqual([{ path: ["query"], code: "plain", message: "too long" }]);
  expect(made("plain", "broke").issues).toBeUndefined();
});
