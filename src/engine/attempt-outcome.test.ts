import { describe, expect, test } from "vitest";
import { z } from "zod";
import { sampleTool } from "../../test/support/sample-tool.ts";
import { type Attachment, ok } from "../tool/index.ts";
import type { ToolError, ToolResult } from "../tool/index.ts";
import { createEngine } from "./engine.ts";

const engine = createEngine({ limits: { maxOutputBytes: 1000 } });
const outcome = (output: unknown): Promise<ToolResult> =>
  engine.call(
    sampleTool(() => output),
    {},
    { maxRetries: 0 },
  );
const returned = (output: unknown, limit: number): Promise<ToolResult> =>
  createEngine({ limits: { maxOutputBytes: limit } }).call(
    sampleTool(() => output),
    {},
  );

describe("a value that is not JSON", () => {
  class Point {
    readonly x = 1;
    readonly y = [2];
  }

  const written: [string, unknown, unknown][] = [
    ["nothing", undefined, null],
    ["a date", { at: new Date(0) }, { at: "1970-01-01T00:00:00.000Z" }],
    ["a gap", { a: undefined, b: [undefined] }, { b: [null] }],
    ["an instance of a class", new Point(), { x: 1, y: [2] }],
    ["a URL", new URL("http://a/b"), "http://a/b"],
    ["a toJSON method", { toJSON: () => ({ own: true }) }, { own: true }],
    ["a key named __proto__", JSON.parse('{"__proto__": 1}'), JSON.parse('{"__proto__": 1}')],
    ["a buffer", Buffer.from([1, 2]), { type: "Buffer", data: [1, 2] }],
  ];

  test.each(written)("%s is given as JSON sees it", async (_name, output, expected) => {
    expect(await outcome(output)).toMatchObject({ success: true });
    expect(((await outcome(output)) as { output: unknown }).output).toEqual(expected);
  });

  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;

  const refused: [string, unknown, RegExp][] = [
    ["a map", { a: new Map() }, /Map/],
    ["a set", new Set([1]), /Set/],
    ["a promise that nobody awaited", { a: Promise.resolve(1) }, /Promise/],
    ["an error that was returned instead of thrown", new Error("x"), /Error/],
    ["a BigInt", { a: 1n }, /BigInt/],
    ["a cycle", { cycle }, /circular/],
    ["NaN", { a: Number.NaN }, /NaN/],
    ["Infinity", [Infinity], /Infinity/],
    ["a function", () => 1, /function/],
    ["a symbol", Symbol("s"), /symbol/],
    ["a toJSON that throws", { toJSON: () => raise(new Error("inner trouble")) }, /inner trouble/],
    [
      "a getter that throws",
      {
        get a() {
          return raise(new Error("inner trouble"));
        },
      },
      /inner trouble/,
    ],
  ];

  test.each(refused)("%s is a fault of the tool, and the failure describes it", async (_name, output, why) => {
    expect(await outcome(output)).toMatchObject({
      error: {
        code: "output_invalid",
        reason: "not_json",
        retry: "never",
        message: expect.stringMatching(why),
      },
    });
  });

  test("a plain output is passed on as it is, without a copy", async () => {
    const output = { a: [1, { b: null }] };
    expect(((await outcome(output)) as { output: unknown }).output).toBe(output);
  });
});

describe("the size of an output", () => {
  const exact: [string, unknown][] = [
    ["text", "x".repeat(998)],
    ["text that needs escapes", "\u0001".repeat(166) + "xx"],
    ["text of three bytes a character", "中".repeat(332) + "xx"],
    ["digits", Array.from({ length: 499 }, () => 1).concat(10)],
    ["booleans", [...Array.from({ length: 199 }, () => true), "x"]],
    ["keys", { ["k".repeat(994)]: 1 }],
    ["a class instance", { at: new Date(0), pad: "x".repeat(957) }],
  ];

  test.each(exact)("exactly at the limit is allowed, one byte more is not: %s", async (_name, output) => {
    const bytes = Buffer.byteLength(JSON.stringify(output));
    expect(await returned(output, bytes)).toMatchObject({ success: true });
    expect(await returned(output, bytes - 1)).toMatchObject({
      success: false,
      error: { code: "output_invalid", reason: "too_large", retry: "never" },
    });
  });

  test("one digit fits in one byte", async () => {
    expect(await returned(5, 1)).toMatchObject({ success: true, output: 5 });
    expect(await returned(10, 1)).toMatchObject({ success: false });
  });

  test("reports the limit to people, and gives a model advice", async () => {
    const { error } = (await createEngine({ limits: { maxOutputBytes: 1_000_000 } }).call(
      sampleTool(() => "x".repeat(2_000_000)),
      {},
    )) as ToolError;
    expect(error.message).toBe("the output of work is larger than 1,000,000 bytes");
    expect(error.forModel).toBe("The result of work is too large. Request less, for example with a filter or a limit.");
  });

  test("a list of four million digits fits into the default eight megabytes", async () => {
    const result = await createEngine().call(
      sampleTool(() => Array.from({ length: 4_000_000 }, () => 1)),
      {},
    );
    expect(result.success).toBe(true);
  });
});

describe("the output schema", () => {
  test("the value that the schema returns is the output", async () => {
    const tool = sampleTool(() => ({ keep: "1", strip: 2 }), {
      output: z.object({ keep: z.string().transform(Number) }),
    });
    expect(await createEngine().call(tool, {})).toMatchObject({ success: true, output: { keep: 1 } });
    expect(((await createEngine().call(tool, {})) as { output: object }).output).not.toHaveProperty("strip");
  });

  test("the value that the schema returns must be JSON too", async () => {
    const tool = sampleTool(() => "5", { output: z.string().transform((text) => BigInt(text)) });
    expect(await createEngine().call(tool, {})).toMatchObject({
      error: { code: "output_invalid", reason: "not_json" },
    });
  });

  test("an output that does not match is the tool's fault, reported to people in detail and to a model briefly", async () => {
    const tool = sampleTool(() => ({ count: "many" }), { output: z.object({ count: z.number() }), effect: "once" });
    expect(await createEngine().call(tool, {})).toMatchObject({
      error: {
        code: "output_invalid",
        reason: "schema",
        message: expect.stringMatching(/^the output of work does not match its schema: .*count/),
        forModel: "work returned an output in an unexpected form, which is a fault of the tool. Continue without it.",
        issues: [{ path: ["count"] }],
        retry: "unsafe",
      },
    });
  });

  test("it holds for ok() as well", async () => {
    const tool = sampleTool(() => ok("text"), { output: z.number() });
    expect(await createEngine().call(tool, {}, { maxRetries: 0 })).toMatchObject({ error: { code: "output_invalid" } });
  });
});

describe("[D02] ok() and values beside the output", () => {
  const image: Attachment = { kind: "image", mimeType: "image/png", data: new Uint8Array([1, 2, 3]) };

  test("attachments and facts reach the caller", async () => {
    const result = await outcome(ok({ width: 640 }, { attachments: [image], meta: { tokensUsed: 5 } }));
    expect(result).toMatchObject({
      success: true,
      output: { width: 640 },
      attachments: [image],
      meta: { tokensUsed: 5 },
    });
  });

  test("without attachments there is no such field", async () => {
    expect(await outcome(ok(1))).not.toHaveProperty("attachments");
    expect(await outcome(ok(1, { attachments: [] }))).not.toHaveProperty("attachments");
  });

  test("attachments have the same limit, all together", async () => {
    const large = (bytes: number): Attachment => ({ ...image, data: new Uint8Array(bytes) });
    expect(await outcome(ok(1, { attachments: [large(500), large(500)] }))).toMatchObject({ success: true });
    expect(await outcome(ok(1, { attachments: [large(500), large(501)] }))).toMatchObject({
      error: { code: "output_invalid", reason: "too_large" },
    });
  });

  test("an attachment without bytes is the tool's fault", async () => {
    for (const data of [undefined, "text", [1, 2], {}]) {
      const attachments = [{ ...image, data: data as unknown as Uint8Array }];
      expect(await outcome(ok(1, { attachments }))).toMatchObject({
        error: { code: "output_invalid", reason: "attachment", retry: "never" },
      });
    }
  });

  test("an output that fails takes its attachments with it", async () => {
    const result = await outcome(ok(1n, { attachments: [image] }));
    expect(result.success).toBe(false);
    expect(result).not.toHaveProperty("attachments");
  });
});

function raise(value: unknown): never {
  throw value;
}
