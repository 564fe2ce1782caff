import { expect, test } from "vitest";
import { approvalQuestion, approvalVerdict } from "./approval-question.ts";

const asked = { message: "Allow it?", tool: "remove", args: { path: "/tmp" } };

test("a question shows the tool and its exact arguments", () => {
  const question = approvalQuestion(asked);
  expect(question?.message).toBe('Allow it?\n\nremove\n{\n  "path": "/tmp"\n}');
  expect(question?.schema).toMatchObject({ properties: { approve: { type: "boolean" } }, required: ["approve"] });
});

test("what would hide or pretend is shown as what it is", () => {
  const message = approvalQuestion({
    message: "Allow\nthis\u202e?",
    tool: "a\u001b[2Jb",
    args: { p: "x\u202ey" },
  })?.message;
  expect(message).toBe('Allow␊this<U+202E>?\n\na␛[2Jb\n{\n  "p": "x<U+202E>y"\n}');
});

test("arguments that nobody would read are not asked about", () => {
  expect(approvalQuestion({ ...asked, args: { text: "x".repeat(20_000) } })).toBeUndefined();
});

test("only a plain yes is one", () => {
  expect(approvalVerdict({ action: "accept", content: { approve: true } })).toBe(true);
  expect(approvalVerdict({ action: "accept", content: { approve: false } })).toBe(false);
  expect(approvalVerdict({ action: "accept", content: { approve: "true" } })).toBe(false);
  expect(approvalVerdict({ action: "accept", content: {} })).toBe(false);
  expect(approvalVerdict({ action: "decline" })).toBe(false);
  expect(approvalVerdict({ action: "cancel" })).toBeUndefined();
});
