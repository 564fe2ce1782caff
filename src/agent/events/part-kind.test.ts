import { expect, test } from "vitest";
import { isAnswerPart, partKind } from "./part-kind.ts";

test.each([
  ["main", "answer"],
  ["answer", "answer"],
  ["main.summary", "summary"],
  ["plan", "plan"],
  ["verify-1", "check"],
  ["step-2", "step"],
  ["prepare-2", "step"],
])("text of the model in the part %s is of the kind %s", (part, kind) => {
  expect(partKind(part)).toBe(kind);
  expect(isAnswerPart(part)).toBe(kind === "answer");
});
