import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Ok, isOk } from "../../tool/index.ts";
import { mapContents, mapOutcome } from "./map-outcome.ts";
import type { McpContent } from "./mcp-port.ts";

const text = (text: string): McpContent => ({ type: "text", text });

function mapped(content: McpContent[], more: { structured?: unknown; output?: Record<string, unknown> } = {}): unknown {
  const { structured, output } = more;
  return mapOutcome({ isError: false, content, ...(structured !== undefined && { structured }) }, output);
}

describe("the output of a tool of a server", () => {
  test("is text, several texts as paragraphs", () => {
    expect(mapped([text("one")])).toBe("one");
    expect(mapped([text("one"), text("two")])).toBe("one\n\ntwo");
    expect(mapped([])).toBe("");
  });

  test("is structured content if there is some", () => {
    expect(mapped([text("{}")], { structured: { a: [1] } })).toEqual({ a: [1] });
    expect(mapped([], { structured: null })).toBeNull();
  });

  test("is JSON if the output schema requires more than text", () => {
    expect(mapped([text('{"a":1}')], { output: { type: "object" } })).toEqual({ a: 1 });
    expect(mapped([text('{"a":1}')])).toBe('{"a":1}');
    expect(mapped([text("no JSON")], { output: { type: "object" } })).toBe("no JSON");
  });

  test("has images, sounds and bytes as attachments", () => {
    const result = mapped([
      text("see"),
      { type: "image", mimeType: "image/png", data: "AAEC" },
      { type: "audio", mimeType: "audio/wav", data: "AAEC" },
      { type: "resource", resource: { uri: "file:///a.pdf", mimeType: "application/pdf", blob: "AAEC" } },
      { type: "resource", resource: { uri: "file:///b.txt", text: "inside" } },
      { type: "resource_link", uri: "https://x", name: "link", mimeType: "text/html" },
    ]) as Ok<unknown>;
    expect(isOk(result)).toBe(true);
    expect(result.output).toEqual({
      text: "see",
      resources: [
        { uri: "file:///a.pdf", mime_type: "application/pdf" },
        { uri: "file:///b.txt", text: "inside" },
        { uri: "https://x", name: "link", mime_type: "text/html" },
      ],
    });
    expect(result.attachments).toEqual([
      { kind: "image", mimeType: "image/png", data: new Uint8Array([0, 1, 2]) },
      { kind: "audio", mimeType: "audio/wav", data: new Uint8Array([0, 1, 2]) },
      { kind: "file", mimeType: "application/pdf", data: new Uint8Array([0, 1, 2]), name: "file:///a.pdf" },
    ]);
  });

  test("describes its attachments if it has no text", () => {
    expect(mapped([{ type: "image", mimeType: "image/png", data: "AAEC" }])).toMatchObject({
      output: "[image: image/png]",
    });
  });

  test("is stripped of invisible characters, including keys, and no key reaches a prototype", () => {
    expect(mapped([text("a\u202eb\u001b[31mc\u{e0041}")])).toBe("abc");
    const structured: unknown = JSON.parse('{"k\u200b":"v\u202e","__proto__":{"x":"y\u200b"}}');
    const result = mapped([], { structured }) as Record<string, unknown>;
    expect(Object.entries(result)).toEqual([
      ["k", "v"],
      ["__proto__", { x: "y" }],
    ]);
  });

  test("an output that is an error is a failure with the tool's message", () => {
    const failure = mapOutcome({ isError: true, content: [text("no such file")] }, undefined);
    expect(failure).toMatchObject({ code: "execution_error", reason: "tool_failed", message: "no such file" });
    expect(mapOutcome({ isError: true, content: [] }, undefined)).toMatchObject({
      message: expect.stringContaining("without a message"),
    });
  });

  const rows = (
    JSON.parse(readFileSync(new URL("../../../test/data/bad-inputs.json", import.meta.url), "utf8")) as {
      area: string;
      input: string;
    }[]
  ).filter(({ area }) => area === "tool-output");

  test.each(rows)("is data and stays as it is: $input", ({ input }) => {
    expect(mapped([text(input)])).toBe(input);
    expect(mapped([], { structured: { a: input } })).toEqual({ a: input });
  });

  test("contents of resources are the same", () => {
    expect(mapContents([{ uri: "a://b", text: "x\u202e" }])).toEqual({ contents: [{ uri: "a://b", text: "x" }] });
    expect(mapContents([{ uri: "a://b", blob: "AAEC", mimeType: "image/gif" }])).toMatchObject({
      output: { contents: [{ uri: "a://b", mime_type: "image/gif" }] },
      attachments: [{ kind: "image", name: "a://b" }],
    });
  });
});
