import { describe, expect, test } from "vitest";
import { failure } from "../../../base/index.ts";
import type { JsonSchema } from "../../../schema/index.ts";
import { createRedactor } from "../../../secrets/index.ts";
import type { Attachment, ToolResult } from "../../../tool/index.ts";
import { toCallResult } from "./tool-calls.ts";
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
const anonymous = { principal: undefined, conversationId: undefined };
const shown = (result: ToolResult, { outputSchema, clientApproves = true }: Input = {}) =>
  toCallResult(result, {
    view: (safe) => cutOutput(100)(safe, anonymous),
    redact,
    redactResult: async (input) => ({ ...input, output: redactValue(input.output) }),
    outputSchema,
    clientApproves,
  });
interface Input {
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

  test("an output that is an object is structured, and a text for clients that read only texts", async () => {
    const output = { sum: 3 };
    expect(await shown(gave(output))).toEqual({ content: [text('{"sum":3}')], structuredContent: output });
  });

  test("an output that is long is cut with a note, never within a character", async () => {
    const { content } = await shown(gave(`${"x".repeat(99)}\u{1f600}${"y".repeat(50)}`));
    expect(content).toEqual([
      text(`${"x".repeat(99)}\ufffd\n[truncated: the first 100 of 151 characters; request less, or only a part]`),
    ]);
    expect(await shown(gave({ long: "x".repeat(200) }))).not.toHaveProperty("structuredContent");
  });

  test("an output with a declared schema is truncated as well, and a text says that the tool ran", async () => {
    const output = { long: "x".repeat(20) };
    expect(await shown(gave(output), { outputSchema: { type: "object" } })).toMatchObject({
      structuredContent: output,
    });
    const long = await shown(gave({ long: "x".repeat(200) }), { outputSchema: { type: "object" } });
    // Structured content with a declared schema may only be omitted from an error.
    expect(long).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("The tool ran and succeeded") }, {}],
    });
    expect(long).not.toHaveProperty("structuredContent");
    expect(JSON.stringify(long).length).toBeLessThan(1000);
  });
});

describe("secrets", () => {
  test("are in no part of the client's result", async () => {
    const file = { kind: "file", mimeType: "text/plain", data: Buffer.from("key: hunter2-secret"), name: "a" } as const;
    const result = await shown(gave({ key: "hunter2-secret", list: ["x hunter2-secret y"] }, [file]));
    expect(result.structuredContent).toEqual({ key: "[redacted]", list: ["x [redacted] y"] });
    expect(result.content[1]).toMatchObject({ resource: { text: "key: [redacted]" } });
    expect(JSON.stringify(result)).not.toContain("hunter2");
    expect(JSON.stringify(await shown(gave("a hunter2-secret")))).not.toContain("hunter2");
  });

  test("an output that violates its declared schema after redaction is omitted, and a text says that the tool ran", async () => {
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
        "After that, repeat the same call.\nTry again in 2 s.\n(approval_required)",
    ),
  ]);
  const { content } = await shown(failed, { clientApproves: false });
  expect(content[0]).toMatchObject({ text: expect.stringContaining("approval a-1, which only the operator") });
  expect(JSON.stringify(content)).not.toContain("windlass");
});
