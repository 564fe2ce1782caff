import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { PassThrough } from "node:stream";
import { afterEach, describe, expect, test } from "vitest";
import { createMcpToolServer } from "../../src/adapters/mcp/server/mcp-tool-server.ts";
import { ResultStore, ToolFinder, findToolsTool, readResultTool, viewResult } from "../../src/hub/index.ts";
import { createEngine, defineTool } from "../../src/index.ts";
import { type PermissionRules } from "../../src/engine/index.ts";
import { createRedactor } from "../../src/secrets/index.ts";
import { type AnyTool, ToolRegistry } from "../../src/tool/index.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const secret = "s3cret-value-of-a-server";
const lines = Array.from({ length: 9000 }, (_, at) => `line ${at + 1} token ${secret}`);

function tool(name: string, run: () => unknown, more: Partial<AnyTool> = {}): AnyTool {
  return defineTool({ name, description: `Does ${name}.`, effect: "read", ...(more as object), run });
}

/**
 * An engine served as the command serves it: with a result store, and with the tools that find tools and read results.
 */
function served(permissions: PermissionRules = {}) {
  const registry = new ToolRegistry();
  const redactor = createRedactor([secret]);
  const resultStore = new ResultStore({ redact: redactor.value });
  registry.register(tool("big", () => lines.join("\n")));
  registry.register(tool("small", () => ({ key: secret, list: [`a ${secret}`] })));
  registry.register(readResultTool(resultStore));
  registry.register(findToolsTool({ finder: new ToolFinder(registry) }));
  registry.register(
    tool("files/list_directory", () => "listed"),
    { source: "mcps", owner: "files", priority: 2 },
  );
  registry.register(
    tool("files/wipe", () => "wiped"),
    { source: "mcps", owner: "files", priority: 2 },
  );
  registry.register(
    defineTool({
      name: "http_send",
      description: "Sends a request.",
      effect: () => "once",
      destructive: () => true,
      run: () => null,
    }),
  );
  const engine = createEngine({ registry, redactor, permissions });
  const serving = createMcpToolServer({
    engine,
    name: "test",
    version: "1.0.0",
    redact: (result) => resultStore.redact(result),
    view: (result, owner) => viewResult(result, { maxChars: 2000, resultStore, owner }),
  });
  closing.push(async () => {
    await serving.close();
    await engine.close({ drainMs: 0 });
  });
  return { engine, serving };
}

type Served = ReturnType<typeof served>;

async function connect({ url, token }: { url: string; token: string }, mode: "legacy" | "auto" = "legacy") {
  const client = new Client({ name: "t", version: "1" }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  closing.push(() => client.close());
  return {
    client,
    call: async (name: string, args: Record<string, unknown> = {}) => {
      const { content, structuredContent, isError } = await client.callTool({ name, arguments: args });
      const [first] = content;
      return { text: first?.type === "text" ? first.text : "", structuredContent, isError: isError === true };
    },
  };
}

const handleIn = (text: string): string => /result:[\w-]+/.exec(text)?.[0] ?? "";

describe("two clients", () => {
  test("[N09] read their own large results, and not those of each other", async () => {
    const http = await served().serving.http();
    const [ann, bob] = [await connect(http), await connect(http)];
    const handle = handleIn((await ann.call("big")).text);
    const other = handleIn((await bob.call("big")).text);
    expect((await ann.call("read_result", { handle, lines: "1" })).text).toContain("line 1 token");
    expect((await bob.call("read_result", { handle: other, lines: "1" })).text).toContain("line 1 token");
    for (const [client, theirs] of [[bob, handle] as const, [ann, other] as const]) {
      expect(await client.call("read_result", { handle: theirs })).toMatchObject({
        isError: true,
        text: expect.stringContaining("no result is stored"),
      });
    }
    expect(handle.slice(0, 15)).not.toBe(other.slice(0, 15));
  });

  test("[N09] without sessions are separated by unguessable handles", async () => {
    const http = await served().serving.http();
    const [ann, bob] = [await connect(http, "auto"), await connect(http, "auto")];
    const handles = [handleIn((await ann.call("big")).text), handleIn((await bob.call("big")).text)];
    expect((await ann.call("read_result", { handle: handles[0], lines: "2" })).text).toContain("line 2 token");
    expect(new Set(handles.map((handle) => handle.slice(0, 12))).size).toBe(2);
    expect(handles[0]).toMatch(/^result:[\w-]{20}$/);
  });

  test("[N09] over streams and over HTTP are two as well", async () => {
    const { serving } = served();
    const [input, output] = [new PassThrough(), new PassThrough()];
    await serving.stdio(input, output);
    const answers = lineReader(output);
    const send = (message: object): boolean => input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } };
    send({ id: 1, method: "initialize", params });
    await answers.next();
    send({ method: "notifications/initialized" });
    send({ id: 2, method: "tools/call", params: { name: "big", arguments: {} } });
    const handle = handleIn(await answers.next());
    expect(handle).not.toBe("");
    const other = await connect(await serving.http());
    expect((await other.call("read_result", { handle })).isError).toBe(true);
    send({ id: 3, method: "tools/call", params: { name: "read_result", arguments: { handle, lines: "1" } } });
    expect(await answers.next()).toContain("line 1 token");
  });
});

function lineReader(stream: PassThrough): { next: () => Promise<string> } {
  const waiting = stream.setEncoding("utf8")[Symbol.asyncIterator]();
  let held = "";
  return {
    next: async () => {
      while (!held.includes("\n")) held += String((await waiting.next()).value);
      const [line = ""] = held.split("\n", 1);
      held = held.slice(line.length + 1);
      return line;
    },
  };
}

describe("secrets", () => {
  test("reach no client, neither in a view nor in a stored result nor in structured content", async () => {
    const { call } = await connect(await served().serving.http());
    const { text } = await call("big");
    const shown = text.slice(0, text.lastIndexOf("\n["));
    const [, offset] = /"offset":(\d+)/.exec(text) ?? [];
    const next = await call("read_result", { handle: handleIn(text), offset: Number(offset), limit: 500 });
    const small = await call("small");
    expect(small.structuredContent).toEqual({ key: "[redacted]", list: ["a [redacted]"] });
    expect(JSON.stringify([text, next, small])).not.toContain(secret);
    // The next line after the last one that was shown: none is lost.
    const last = Number(/line (\d+) token \[redacted\]$/.exec(shown)?.[1]);
    expect(JSON.parse(next.text)).toMatchObject({
      content: expect.stringMatching(new RegExp(`^\\n?line ${last + 1} `)),
    });
  });
});

describe("find_tools at a client", () => {
  const found = async (served: Served, query: string): Promise<string[]> => {
    const { call } = await connect(await served.serving.http());
    const { structuredContent } = await call("find_tools", { query });
    return (structuredContent as { tools: { name: string }[] }).tools.map(({ name }) => name);
  };

  test("[N11] gives names that the client can call, and its own names are understood too", async () => {
    const all = served();
    const [name = ""] = await found(all, "list directory");
    const { client, call } = await connect(await all.serving.http());
    expect((await client.listTools()).tools.map((each) => each.name)).toContain(name);
    for (const each of [name, "files/list_directory"]) expect((await call(each)).text).toBe("listed");
  });

  test("reveals nothing of what rules deny to clients; nor does the list, even if arguments decide", async () => {
    const all = served({ deny: ["files/wipe", "mcp:http_send"] });
    expect(await found(all, "wipe files")).not.toContain("files_wipe");
    expect(await found(all, "send request")).not.toContain("http_send");
    const { client } = await connect(await all.serving.http());
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(expect.not.arrayContaining(["files_wipe"]));
    expect(names).toEqual(expect.not.arrayContaining(["http_send"]));
    expect(names).toContain("files_list_directory");
  });
});
