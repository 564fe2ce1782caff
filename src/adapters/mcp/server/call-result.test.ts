import { describe, expect, test } from "vitest";
import { failure } from "../../../base/index.ts";
import type { JsonSchema } from "../../../schema/index.ts";
import { createRedactor } from "../../../text/index.ts";
import type { Attachment, ToolResult } from "../../../tool/index.ts";
import { toCallResult } from "./call-result.ts";
import { cutOutput } from "./output-view.ts";

const meta = { callId: "c/1", source: "tools", attempts: 1 };
const gave = (output: unknown, attachments?: readonly Attachment[]): ToolResult => ({
  success: true,
  tool: "t",
  output,
  durationMs: 1,
  executedAt: 0,
  meta,
  ...(attachments && { attachments }),
});
const { text: redact, value: redactValue } = createRedactor(["hunter2-secret"]);
const nobody = { principal: undefined, conversationId: undefined };
const shown = (result: ToolResult, { outputSchema, clientApproves = true }: Given = {}) =>
  toCallResult(result, {
    view: (safe) => cutOutput(100)(safe, nobody),
    redact,
    redactResult: async (given) => ({ ...given, output: redactValue(given.output) }),
    outputSchema,
    clientApproves,
  });
interface Given {
  readonly outputSchema?: JsonSchema;
  readonly clientApproves?: boolean;
}
const text = (value: string) => ({ type: "text", text: value });

describe("an output", () => {
  test.each([
    ["hello", [text("hello")]],
    ["", [text("")]],
    [42, [text("42")]],
    [null, [text("null")]],
    [[1, 2], [text("[1,2]")]],
  ])("%j is a text", async (output, content) => {
    expect(await shown(gave(output))).toEqual({ content });
  });

  test("that is an object is structured, and a text for those who read only that", async () => {
    const output = { sum: 3 };
    expect(await shown(gave(output))).toEqual({ content: [text('{"sum":3}')], structuredContent: output });
  });

  test("that is long is cut with a note, never within a character", async () => {
    const { content } = await shown(gave(`${"x".repeat(99)}\u{1f600}${"y".repeat(50)}`));
    expect(content).toEqual([
      text(`${"x".repeat(99)}\ufffd\n[cut: the first 100 of 151 characters; ask for less, or for a part of it]`),
    ]);
    expect(await shown(gave({ long: "x".repeat(200) }))).not.toHaveProperty("structuredContent");
  });

  test("that was promised is cut as well; the client is told that the tool ran", async () => {
    const output = { long: "x".repeat(20) };
    expect(await shown(gave(output), { outputSchema: { type: "object" } })).toMatchObject({
      structuredContent: output,
    });
    const long = await shown(gave({ long: "x".repeat(200) }), { outputSchema: { type: "object" } });
    // What was promised may be left out of an error alone.
    expect(long).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("The tool ran and succeeded") }, {}],
    });
    expect(long).not.toHaveProperty("structuredContent");
    expect(JSON.stringify(long).length).toBeLessThan(1000);
  });
});

describe("secrets", () => {
  test("are in no part of what a client gets", async () => {
    const file = { kind: "file", mimeType: "text/plain", data: Buffer.from("key: hunter2-secret"), name: "a" } as const;
    const result = await shown(gave({ key: "hunter2-secret", list: ["x hunter2-secret y"] }, [file]));
    expect(result.structuredContent).toEqual({ key: "[redacted]", list: ["x [redacted] y"] });
    expect(result.content[1]).toMatchObject({ resource: { text: "key: [redacted]" } });
    expect(JSON.stringify(result)).not.toContain("hunter2");
    expect(JSON.stringify(await shown(gave("a hunter2-secret")))).not.toContain("hunter2");
  });

  test("that were promised otherwise are left out, and the client is told that the tool ran", async () => {
    const outputSchema = { type: "object", properties: { password: { type: "integer" } } };
    const result = await shown(gave({ password: 12345 }), { outputSchema });
    expect(result).toEqual({
      isError: true,
      content: [text(expect.stringContaining("The tool ran and succeeded")), text('{"password":"[redacted]"}')],
    });
    expect(await shown(gave({ other: 1 }), { outputSchema })).toMatchObject({ structuredContent: { other: 1 } });
  });
});

test("attachments are images, sounds and resources; those that are too large are named", async () => {
  const data = Buffer.from("ab");
  const { content } = await shown(
    gave(null, [
      { kind: "image", mimeType: "image/png", data },
      { kind: "audio", mimeType: "audio/wav", data },
      { kind: "file", mimeType: "application/json", data, name: "a b/ü.json" },
      { kind: "file", mimeType: "application/pdf", data },
      { kind: "file", mimeType: "text/plain", data: new Uint8Array(9 << 20), name: "big" },
    ]),
  );
  expect(content).toEqual([
    { type: "image", mimeType: "image/png", data: "YWI=" },
    { type: "audio", mimeType: "audio/wav", data: "YWI=" },
    {
      type: "resource",
      resource: { uri: "attachment://c%2F1/a%20b%2F%C3%BC.json", mimeType: "application/json", text: "ab" },
    },
    { type: "resource", resource: { uri: "attachment://c%2F1/4", mimeType: "application/pdf", blob: "YWI=" } },
    text("[not handed over: big, 9437184 bytes, too large]"),
  ]);
});

test("a failure says what to do, and no secrets", async () => {
  const error = failure("approval_required", "for people", {
    forModel: "A person has to approve hunter2-secret first.",
    approvalId: "a-1",
    retryAfterMs: 1500,
  });
  const failed: ToolResult = { success: false, tool: "t", error, durationMs: 1, executedAt: 0, meta };
  const result = await shown(failed);
  expect(result.isError).toBe(true);
  expect(result.content).toEqual([
    text(
      "A person has to approve [redacted] first.\nIt waits for approval a-1: windlass approve a-1\n" +
        "After that, make the same call again.\nTry again in 2 s.\n(approval_required)",
    ),
  ]);
  const { content } = await shown(failed, { clientApproves: false });
  expect(content[0]).toMatchObject({ text: expect.stringContaining("approval a-1, which the operator") });
  expect(JSON.stringify(content)).not.toContain("windlass");
});
