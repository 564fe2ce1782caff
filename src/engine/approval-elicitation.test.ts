import { expect, test } from "vitest";
import type { ElicitResult } from "../tool/index.ts";
import { elicitApproval, toApprovalElicitation } from "./approval-elicitation.ts";

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

test.each<[ElicitResult, boolean | undefined]>([
  [{ action: "accept", content: { approve: true } }, true],
  [{ action: "accept", content: { approve: false } }, false],
  [{ action: "accept", content: { approve: "true" } }, false],
  [{ action: "accept", content: {} }, false],
  [{ action: "decline" }, false],
  [{ action: "cancel" }, undefined],
])("only a plain yes approves, and a dismissal decides nothing: %j", async (answer, approved) => {
  const requestApproval = elicitApproval(async () => answer, { by: "ann", declined: "no" });
  const request = { ...requested, key: "k", callerType: "mcp_client", expiresAt: 1 };
  const decision = approved === undefined ? undefined : { approved, by: "ann", ...(!approved && { note: "no" }) };
  expect(await requestApproval(request, new AbortController().signal)).toEqual(decision);
});
