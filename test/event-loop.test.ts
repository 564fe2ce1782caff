import { expect, test } from "vitest";
import { createEngine } from "../src/engine/index.ts";
import { createMcpToolServer } from "../src/adapters/mcp/server/mcp-tool-server.ts";
import { fromJsonSchema, parseArguments } from "../src/schema/index.ts";
import { parseYaml } from "../src/text/index.ts";
import { defineTool } from "../src/tool/index.ts";

/** CPU time for which one refusal may block the event loop. Parsing all of these inputs took one to six seconds. */
const maxMs = 600;

/** Measured by CPU time, not by the clock: other programs do not count. */
async function cost<Result>(work: () => Promise<Result>): Promise<{ readonly result: Result; readonly ms: number }> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { result, ms: (user + system) / 1000 };
}

const input = fromJsonSchema({ type: "object", properties: { a: { type: "string" } }, additionalProperties: false });
const echo = defineTool({ name: "echo", description: "Returns its input", effect: "pure", input, run: (args) => args });
const lines = (count: number, line: (index: number) => string, by = "\n"): string =>
  Array.from({ length: count }, (_, index) => line(index)).join(by);

test("[S17] arguments of 1,000,000 keys are refused without blocking the event loop", async () => {
  const engine = createEngine({ tools: [echo] });
  const args = Object.fromEntries(Array.from({ length: 1_000_000 }, (_, index) => [`k${index}`, index]));
  const { result, ms } = await cost(() => engine.call("echo", args));
  expect(result).toMatchObject({ success: false, error: { code: "validation_error", reason: "args_too_large" } });
  // Listing the keys of such an object takes most of it.
  expect(ms).toBeLessThan(3 * maxMs);
  const text = `{${lines(150_000, (index) => `"${index}":0`, ",")}}`;
  const parsed = await cost(async () => parseArguments(text.slice(0, 1_000_000)));
  expect(parsed.result).toMatchObject({ issues: [{ code: "args_too_large" }] });
  expect(parsed.ms).toBeLessThan(maxMs);
});

test.each([
  ["60,000 keys in a block", lines(60_000, (index) => `k${index}: ${index}`), "50000 keys and items"],
  ["60,000 keys in a flow map", `{${lines(60_000, (index) => `k${index}: ${index}`, ",")}}`, "50000 keys and items"],
  ["60,000 items", lines(60_000, () => "- x"), "50000 keys and items"],
  ["20,000 anchors", lines(20_000, (index) => `- &a${index} x`), "100 anchors and aliases"],
  ["20,000 aliases", `- &a x\n${lines(20_000, () => "- *a")}`, "100 anchors and aliases"],
])("[S17] YAML of %s is refused without blocking the event loop", async (_kind, text, says) => {
  const read = (): Promise<ReturnType<typeof parseYaml>> =>
    Promise.resolve(parseYaml(text, { file: "a.yaml", maxBytes: 2_000_000 }));
  const { result, ms } = await cost(read);
  expect(result.value).toBeUndefined();
  expect(result.problems).toHaveLength(1);
  expect(result.problems[0]).toMatchObject({ code: "too_many_keys", message: expect.stringContaining(says) });
  expect(result.problems[0]?.line).toBeGreaterThan(0);
  expect(ms).toBeLessThan(maxMs);
});

test("[S17] a request with 250,000 keys over HTTP is refused, and other clients do not wait", async () => {
  const engine = createEngine({ tools: [echo] });
  const server = createMcpToolServer({ engine, name: "test", version: "1.0.0" });
  const http = await server.http({});
  const args = lines(250_000, (index) => `"k${index}":0`, ",");
  const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{${args}}}}`;
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    authorization: `Bearer ${http.token}`,
  };
  const { result, ms } = await cost(async () => {
    const response = await fetch(http.url, { method: "POST", headers, body });
    return { status: response.status, text: await response.text() };
  });
  await server.close();
  await engine.close();
  expect(result.status).toBe(413);
  expect(ms).toBeLessThan(maxMs);
});
