import { describe, expect, test } from "vitest";
import { settle } from "../../../test/support/fake-clock.ts";
import { FakeServer, definition, fakeWorkspace, mcpJson } from "../../../test/support/fake-mcp.ts";
import { fail } from "../../base/index.ts";

const read = { annotations: { readOnlyHint: true } };

describe("tools of servers", () => {
  test("have the effect of the server's annotations once it is approved, unless the workspace overrides it", async () => {
    const server = new FakeServer(
      definition("plain"),
      definition("reads", read),
      definition("puts", { annotations: { idempotentHint: true } }),
      definition("adds", { annotations: { destructiveHint: false } }),
      definition("lies", read),
    );
    const files = mcpJson({
      server: { effects: { lies: "once", "p*s": "read" }, timeout: 5, capabilities: ["search"] },
    });
    const { source, registry } = await fakeWorkspace({ server }, { files, declared: { "mcp:server/plain": ["mail"] } });
    await source.load();
    await source.prepare();
    source.approve(source.review("server"));
    const facts = registry.list().map(({ tool }) => [tool.name, tool.effect, tool.destructive]);
    expect(facts).toEqual([
      ["server/adds", "once", false],
      ["server/lies", "once", true],
      ["server/plain", "once", true],
      ["server/puts", "read", false],
      ["server/reads", "read", false],
    ]);
    expect(registry.get("server/plain")).toMatchObject({
      category: "mcp",
      timeoutMs: 5_000,
      capabilities: ["search", "mail"],
      revision: expect.stringMatching(/^[\da-f]{64}$/),
    });
    await source.close();
  });

  test("arguments are checked by the server's schema, and output by its output schema", async () => {
    const server = new FakeServer(
      definition("add", {
        inputSchema: {
          $schema: "http://json-schema.org/draft-07/schema#",
          type: "object",
          properties: { a: { type: "integer" } },
          required: ["a"],
        },
        outputSchema: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] },
      }),
      definition("loose", { inputSchema: { properties: {} } }),
      definition("broken", { inputSchema: { type: "object", properties: { a: { type: "nonsense" } } } }),
    );
    const { source, engine } = await fakeWorkspace({ server });
    await source.load();
    await source.prepare();
    expect(await engine.call("server/add", { a: "x" })).toMatchObject({ error: { code: "validation_error" } });
    expect(server.calls).toEqual([]);
    server.handler = () => ({ isError: false, content: [], structured: { sum: "three" } });
    expect(await engine.call("server/add", { a: 1 })).toMatchObject({ error: { code: "output_invalid" } });
    server.handler = () => ({ isError: false, content: [{ type: "text", text: '{"sum":3}' }] });
    expect(await engine.call("server/add", { a: 1 })).toMatchObject({ output: { sum: 3 }, meta: { source: "mcps" } });
    expect(await engine.call("server/loose", {})).toMatchObject({ success: true });
    expect(await engine.call("server/broken", {})).toMatchObject({
      error: { code: "not_available", reason: "bad_schema" },
    });
    await source.close();
  });

  test("progress and elicitations go to the caller, and an abort to the server", async () => {
    const server = new FakeServer(definition("ask", read));
    const { source, engine } = await fakeWorkspace({ server });
    await source.load();
    await source.prepare();
    server.handler = async (_args, { onProgress, elicit }) => {
      onProgress?.({ progress: 1, total: 2, message: "half" });
      const answer = await elicit?.({ message: "Who?", schema: { type: "object", properties: {} } });
      return { isError: false, content: [{ type: "text", text: JSON.stringify(answer) }] };
    };
    const heard: unknown[] = [];
    const result = await engine.call(
      "server/ask",
      {},
      {
        onProgress: (value) => heard.push(value),
        elicit: () => Promise.resolve({ action: "accept", content: { name: "Ada" } }),
      },
    );
    expect(result).toMatchObject({ success: true, output: expect.stringContaining("Ada") });
    expect(heard).toEqual([{ progress: 1, total: 2, message: "half" }]);

    const stopped = Promise.withResolvers<void>();
    server.handler = (_args, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          stopped.resolve();
          reject(fail("cancelled", { code: "cancelled" }));
        });
      });
    const abort = new AbortController();
    const call = engine.call("server/ask", {}, { signal: abort.signal });
    await settle();
    abort.abort();
    expect(await call).toMatchObject({ error: { code: "cancelled" } });
    await stopped.promise;
    await source.close();
  });

  test("a failure of the tool is reported as its own, cleaned and cut, and does not count against the server", async () => {
    const server = new FakeServer(definition("fails"));
    const { source, engine } = await fakeWorkspace({ server });
    await source.load();
    await source.prepare();
    server.handler = () => ({
      isError: true,
      content: [{ type: "text", text: `no \u202esuch\u001b[31m file. ${"x".repeat(9_000)}` }],
    });
    for (let times = 0; times < 10; times++) {
      const result = await engine.call("server/fails", {});
      expect(result).toMatchObject({ error: { code: "execution_error", reason: "tool_failed", retry: "unsafe" } });
      expect(result.success ? "" : result.error.message).toMatch(/^no such file\./);
      expect(result.success ? "" : result.error.message.length).toBeLessThan(2_100);
    }
    expect(source.status()[0]).toMatchObject({ state: "connected" });
    await source.close();
  });
});
