import { describe, expect, test } from "vitest";
import { type LogEntry, createEngine } from "../src/engine/index.ts";
import { fromJsonSchema } from "../src/schema/index.ts";
import { defineTool } from "../src/tool/index.ts";
import badInputs from "./data/bad-inputs.json" with { type: "json" };

const rows = badInputs.filter(({ area }) => area === "redaction");

interface Known {
  readonly secret: string;
}

/** All supported encodings of a text. */
function encodings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    encodeURIComponent(secret),
    bytes.toString("base64").replace(/=+$/, ""),
    bytes.toString("hex"),
    JSON.stringify(secret).slice(1, -1),
  ];
}

/** Calls a tool that outputs a value everywhere it can, and collects everything that leaves the engine. */
async function leak(value: unknown, secrets: Record<string, string>): Promise<string> {
  const left: unknown[] = [];
  const log = (entry: LogEntry): unknown => left.push(entry);
  const blab = defineTool({
    name: "blab",
    description: "Writes its input everywhere",
    effect: "read",
    input: fromJsonSchema<{ value: unknown }>({ type: "object", properties: { value: {}, count: { type: "number" } } }),
    run: (args, ctx) => {
      const text = typeof args.value === "string" ? args.value : JSON.stringify(args.value);
      ctx.log(text, { value: args.value });
      ctx.report({ text: args.value });
      throw new Error(`it failed with ${text}`);
    },
  });
  const engine = createEngine({ tools: [blab], secrets, onLog: log });
  engine.subscribe((event) => left.push(event));
  const failed = await engine.call(blab, { value }, { maxRetries: 0 });
  if (!failed.success) left.push(failed.error);
  const invalid = await engine.call("blab", {
    value,
    count: typeof value === "string" ? value : JSON.stringify(value),
  });
  if (!invalid.success) left.push(invalid.error);
  left.push((await engine.queryRecords({})).records, await engine.callStatistics());
  expect(left.length).toBeGreaterThan(6);
  return JSON.stringify(left);
}

describe("no secret leaves the engine", () => {
  test.each(rows.flatMap(({ input }) => (typeof input === "string" ? [input] : [])))("%s", async (text) => {
    const secret = /abcdefgh\w+|p4ss/.exec(text)?.[0] ?? "";
    expect(secret.length).toBeGreaterThan(3);
    expect(await leak(text, {})).not.toContain(secret);
  });

  const known = rows.flatMap(({ input }) => (typeof input === "object" && "secret" in input ? [input as Known] : []));
  test.each(known.flatMap(({ secret }) => encodings(secret)))("a known secret, written as %s", async (written) => {
    const [{ secret } = { secret: "" }] = known;
    const left = await leak(`before ${written} after`, { TOKEN: secret });
    for (const form of encodings(secret)) expect(left).not.toContain(form);
  });

  test("[S16] a known secret in the name of a tool, the caller or the conversation", async () => {
    const left: unknown[] = [];
    const engine = createEngine({ secrets: { TOKEN: "hunter2secret" }, onLog: (entry) => left.push(entry) });
    engine.subscribe((event) => left.push(event));
    const context = { callerId: "by hunter2secret", conversationId: "hunter2secret", principal: "hunter2secret" };
    const talker = defineTool({
      name: "hunter2secret",
      description: "Logs a secret in two lines",
      effect: "read",
      run: (_args, ctx) => {
        ctx.log("the key is hunter2se");
        ctx.log("cret");
        return null;
      },
    });
    await engine.call(talker, {}, context);
    await engine.call("call_hunter2secret", {}, context);
    left.push((await engine.queryRecords({})).records, await engine.callStatistics());
    expect(left.length).toBeGreaterThan(5);
    expect(JSON.stringify(left)).not.toContain("hunter2");
  });

  test("values under secret-like names", async () => {
    const row = rows.find(({ input }) => typeof input === "object" && "headers" in input);
    const left = await leak(row?.input, {});
    for (const value of ['"a=b"', '"p"', '"z"', '"x"']) expect(left).not.toContain(value);
    expect(left).toContain("password");
  });
});
