import { expect, test } from "vitest";
import { toApprovalElicitation, readApprovalElicitation } from "./approval-elicitation.ts";

const requested = { message: "Allow it?", tool: "remove", args: { path: "/tmp" } };

test("an approval elicitation shows the tool and its exact arguments", () => {
  const prompt = toApprovalElicitation(requested);
  expect(prompt?.message).toBe('Allow it?\n\nremove\n{\n  "path": "/tmp"\n}');
  expect(prompt?.schema).toMatchObject({ properties: { approve: { type: "boolean" } }, required: ["approve"] });
});

test("characters that hide or imitate text are shown escaped", () => {
  const message = toApprovalElicitation({
    message: "Allow\nthis\u202e?",
    tool: "a\u001b[2Jb",
    args: { p: "x\u202ey" },
  })?.message;
  expect(message).toBe('Allow␊this<U+202E>?\n\na␛[2Jb\n{\n  "p": "x<U+202E>y"\n}');
});

test("arguments too long to be read are not elicited", () => {
  expect(toApprovalElicitation({ ...requested, args: { text: "x".repeat(20_000) } })).toBeUndefined();
});

test("only a plain yes is one", () => {
  expect(readApprovalElicitation({ action: "accept", content: { approve: true } })).toBe(true);
  expect(readApprovalElicitation({ action: "accept", content: { approve: false } })).toBe(false);
  expect(readApprovalElicitation({ action: "accept", content: { approve: "true" } })).toBe(false);
  expect(readApprovalElicitation({ action: "accept", content: {} })).toBe(false);
  expect(readApprovalElicitation({ action: "decline" })).toBe(false);
  expect(readApprovalElicitation({ action: "cancel" })).toBeUndefined();
});
