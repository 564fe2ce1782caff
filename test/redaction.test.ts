import { describe, expect, test } from "vitest";
import { type LogEntry, createEngine } from "../src/engine/index.ts";
import { fromJsonSchema } from "../src/schema/index.ts";
import { defineTool } from "../src/tool/index.ts";
import badInputs from "./data/bad-inputs.json" with { type: "json" };

const rows = badInputs.filter(({ area }) => area === "redaction");

interface Known {
  readonly secret: string;
}

/** Every way in which a text may be written down. */
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

/** Lets a tool say something everywhere it can, and collects everything that leaves the engine. */
async function leak(value: unknown, secrets: Record<string, string>): Promise<string> {
  const left: unknown[] = [];
  const log = (entry: LogEntry): unknown => left.push(entry);
  const blab = defineTool({
    name: "blab",
    description: "Says what it was told, everywhere",
    effect: "read",
    input: fromJsonSchema<{ value: unknown }>({ type: "object", properties: { value: {}, count: { type: "number" } } }),
    run: (args, ctx) => {
      const text = typeof args.value === "string" ? args.value : JSON.stringify(args.value);
      ctx.log(text, { value: args.value });
      ctx.report({ said: args.value });
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

describe("what is secret leaves the engine nowhere", () => {
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

  test("values under telling names", async () => {
    const row = rows.find(({ input }) => typeof input === "object" && "headers" in input);
    const left = await leak(row?.input, {});
    for (const value of ['"a=b"', '"p"', '"z"', '"x"']) expect(left).not.toContain(value);
    expect(left).toContain("password");
  });
});
