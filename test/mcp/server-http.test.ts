import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldHttpTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { type IncomingHttpHeaders, request as httpRequest } from "node:http";
import { connect as connectSocket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createMcpServing } from "../../src/adapters/mcp/server/mcp-serving.ts";
import type { HttpOptions, HttpServing } from "../../src/adapters/mcp/server/serve-http.ts";
import { createEngine, defineTool } from "../../src/index.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

let aborted = 0;
const tools = [
  defineTool({ name: "add", description: "Adds.", effect: "pure", run: () => ({ sum: 3 }) }),
  defineTool({
    name: "forever",
    description: "Never ends.",
    effect: "read",
    timeoutMs: 600_000,
    run: (_args, { signal, progress }) =>
      new Promise<never>((_, reject) => {
        progress("begun");
        signal.addEventListener("abort", () => {
          aborted++;
          reject(new Error("aborted"));
        });
      }),
  }),
];

async function start(options: HttpOptions = {}): Promise<HttpServing> {
  const engine = createEngine({ tools });
  const serving = createMcpServing({ engine, name: "test", version: "1.0.0" });
  const http = await serving.http(options);
  closing.push(async () => {
    await serving.close();
    await engine.close({ drainMs: 0 });
  });
  return http;
}

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A request whose every header is ours: `fetch` sets Host and Origin itself. */
function send({ port, token }: HttpServing, sent: Sent = {}): Promise<Got> {
  const { method = "POST", path = "/mcp", headers = {}, body = initialize } = sent;
  return new Promise((resolve, reject) => {
    const usual = { host: `127.0.0.1:${port}`, authorization: `Bearer ${token}`, "content-type": "application/json" };
    const accept = "application/json, text/event-stream";
    const request = httpRequest(
      {
        host: "127.0.0.1",
        port,
        method,
        path,
        headers: { accept, ...usual, ...headers },
        setHost: false,
        agent: false,
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
        response.on("error", reject);
      },
    );
    request.on("error", reject);
    request.end(method === "GET" || method === "DELETE" ? undefined : body);
  });
}

const clientInfo = { name: "t", version: "1" };
const initialize = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
});

describe("who may speak to the server", () => {
  test("whoever has the token", async () => {
    const http = await start();
    expect(http.token.length).toBeGreaterThan(40);
    expect((await send(http)).status).toBe(200);
    for (const authorization of [
      "",
      "Bearer",
      `Bearer ${http.token}x`,
      `Basic ${http.token}`,
      "Bearer x",
      http.token,
    ]) {
      const { status, headers, text } = await send(http, { headers: { authorization } });
      expect(status).toBe(401);
      expect(headers["www-authenticate"]).toMatch(/^Bearer/);
      expect(text).not.toContain(http.token);
    }
  });

  test("by a name of this machine, or one that was allowed", async () => {
    const http = await start({ allowedHosts: ["tools.example"] });
    for (const host of ["localhost", "127.0.0.1:99", "[::1]:99", "tools.example", "TOOLS.example:80"]) {
      expect((await send(http, { headers: { host } })).status).toBe(200);
    }
    const foreign = [
      "evil.example",
      "localhost.evil.example",
      "127.0.0.1.evil.example",
      "evil@localhost",
      "localhost/x",
    ];
    for (const host of [...foreign, "127.0.0.2", "0.0.0.0"]) {
      expect((await send(http, { headers: { host } })).status).toBe(403);
    }
  });

  test("from no page, a page of this machine, or one that was allowed", async () => {
    const http = await start({ allowedOrigins: ["https://inspector.example"] });
    for (const origin of ["http://localhost:6274", "http://127.0.0.1", "https://inspector.example"]) {
      expect((await send(http, { headers: { origin } })).status).toBe(200);
    }
    for (const origin of ["null", "https://evil.example", "http://localhost.evil.example", "file://", "x"]) {
      expect((await send(http, { headers: { origin } })).status).toBe(403);
    }
    const origin = "https://inspector.example";
    const asking = { origin, "access-control-request-headers": "authorization", authorization: "" };
    const preflight = await send(http, { method: "OPTIONS", headers: asking, body: "" });
    expect(preflight).toMatchObject({ status: 204, headers: { "access-control-allow-origin": origin } });
    expect(
      (await send(http, { method: "OPTIONS", headers: { ...asking, origin: "https://evil.example" } })).status,
    ).toBe(403);
    expect((await send(http)).headers["access-control-allow-origin"]).toBeUndefined();
  });

  test("a token that was given has to be worth one, and other machines need one", async () => {
    await expect(start({ token: "short" })).rejects.toThrow(/at least 16 characters/);
    await expect(start({ host: "0.0.0.0" })).rejects.toThrow(/a token has to be given/);
    const http = await start({ token: "0123456789abcdef" });
    expect((await send(http)).status).toBe(200);
    await expect(start({ port: http.port })).rejects.toThrow(/cannot listen on 127\.0\.0\.1:\d+/);
  });
});

test("what the rules refuse to every client is not listed", async () => {
  const remove = defineTool({ name: "remove", description: "Removes.", effect: "once", run: () => 1 });
  const engine = createEngine({ tools: [...tools, remove], permissions: { deny: ["mcp:destructive", "forever"] } });
  expect(createMcpServing({ engine, name: "test", version: "1.0.0" }).toolCount).toBe(1);
});

describe("hostile requests", () => {
  test("to other places or with other methods are refused", async () => {
    const http = await start();
    expect((await send(http, { path: "/" })).status).toBe(404);
    expect((await send(http, { path: "/mcp/../x" })).status).toBe(404);
    expect((await send(http, { path: "/mcp?x=1" })).status).toBe(200);
    expect((await send(http, { method: "PUT" })).status).toBe(405);
    expect((await send(http, { method: "GET" })).status).toBe(400);
    expect((await send(http, { headers: { "content-type": "text/plain" } })).status).toBe(415);
  });

  test.each([
    ["no JSON", "{", 400],
    ["nothing", "", 400],
    ["null", "null", 400],
    ["a number", "1", 400],
    ["a list of nothing", "[]", 400],
    ["no message", '{"a":1}', 400],
    ["a very deep value", `${"[".repeat(100_000)}${"]".repeat(100_000)}`, 400],
    ["very many messages", `[${Array.from({ length: 1000 }, () => initialize).join(",")}]`, 413],
  ])("%s is answered, and the server lives", async (_what, body, status) => {
    const http = await start();
    expect((await send(http, { body })).status).toBe(status);
    expect((await send(http)).status).toBe(200);
  });

  test("a body that is too large is not read to its end", async () => {
    const http = await start({ limits: { bodyBytes: 10_000 } });
    const body = JSON.stringify({ x: "x".repeat(20_000) });
    expect((await send(http, { body })).status).toBe(413);
    // Without saying how long it will be.
    const chunked = { "transfer-encoding": "chunked" };
    const answer = await send(http, { body, headers: chunked }).catch(() => ({ status: 413 }));
    expect(answer.status).toBe(413);
    expect((await send(http)).status).toBe(200);
  });

  test("one that takes its time to come is cut off", async () => {
    const http = await start({ limits: { headersMs: 200, requestMs: 400 } });
    const slow = (...pieces: readonly string[]) =>
      new Promise<string>((resolve) => {
        const socket = connectSocket(http.port, "127.0.0.1");
        let text = "";
        socket.on("data", (chunk) => (text += chunk.toString()));
        socket.on("error", () => {});
        socket.on("close", () => resolve(text));
        for (const piece of pieces) socket.write(piece);
      });
    const head = `POST /mcp HTTP/1.1\r\nhost: localhost\r\n`;
    expect(await slow(head)).toMatch(/^(?:HTTP\/1\.1 408|$)/);
    const rest = `authorization: Bearer ${http.token}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{`;
    expect(await slow(head, rest)).toMatch(/^(?:HTTP\/1\.1 408|$)/);
    expect((await send(http)).status).toBe(200);
  });

  test("a thousand sessions are not more than the limit", async () => {
    const http = await start({ limits: { sessions: 20 } });
    const ids: string[] = [];
    for (let begun = 0; begun < 1000; begun += 50) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => send(http)));
      ids.push(...answers.flatMap(({ headers }) => String(headers["mcp-session-id"] ?? "")));
    }
    const list = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list" });
    const statuses = await Promise.all(
      ids.map(async (id) => (await send(http, { body: list, headers: { "mcp-session-id": id } })).status),
    );
    const known = statuses.filter((status) => status === 200).length;
    expect(known).toBeGreaterThan(0);
    expect(known).toBeLessThanOrEqual(20);
  });

  test("a cursor that is none of ours is refused by the protocol", async () => {
    const http = await start();
    const session = { "mcp-session-id": String((await send(http)).headers["mcp-session-id"]) };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list", params: { cursor: "none" } });
    expect((await send(http, { body, headers: session })).text).toContain('"code":-32602');
  });

  test("a session that nobody uses is closed, and one that is deleted is gone", async () => {
    const http = await start({ limits: { sessionIdleMs: 100 } });
    const ping = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "ping" });
    const { headers } = await send(http);
    const session = { "mcp-session-id": String(headers["mcp-session-id"]) };
    expect((await send(http, { body: ping, headers: session })).status).toBe(200);
    await vi.waitFor(async () => {
      await wait(200);
      expect((await send(http, { body: ping, headers: session })).status).toBe(404);
    }, 10_000);
    const another = { "mcp-session-id": String((await send(http)).headers["mcp-session-id"]) };
    expect((await send(http, { method: "DELETE", headers: another })).status).toBe(200);
    expect((await send(http, { body: ping, headers: another })).status).toBe(404);
    expect((await send(http, { body: ping })).status).toBe(400);
  });
});

describe.each([
  ["the v1 client", "old"],
  ["the 2.x client, 2025 era", "legacy"],
  ["the 2.x client, 2026 era", "auto"],
] as const)("%s over HTTP", (_name, mode) => {
  const connect = async ({ url, token }: HttpServing) => {
    const options = { requestInit: { headers: { authorization: `Bearer ${token}` } } };
    if (mode === "old") {
      const client = new OldClient(clientInfo);
      await client.connect(new OldHttpTransport(new URL(url), options));
      return {
        close: () => client.close(),
        call: (name: string, onprogress: () => void, signal: AbortSignal) =>
          client.callTool({ name, arguments: {} }, undefined, { onprogress, signal }),
      };
    }
    const client = new Client(clientInfo, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(new URL(url), options));
    return {
      close: () => client.close(),
      call: (name: string, onprogress: () => void, signal: AbortSignal) =>
        client.callTool({ name, arguments: {} }, { onprogress, signal }),
    };
  };

  test("calls, sees progress, and cancels", async () => {
    const client = await connect(await start());
    const never = new AbortController().signal;
    expect(await client.call("add", () => {}, never)).toMatchObject({ structuredContent: { sum: 3 } });
    const before = aborted;
    const stop = new AbortController();
    const begun = Promise.withResolvers<void>();
    const call = client.call("forever", () => begun.resolve(), stop.signal);
    await begun.promise;
    stop.abort();
    await expect(call).rejects.toThrow(/abort|cancel/i);
    await vi.waitFor(() => expect(aborted).toBe(before + 1), 5000);
    await client.close();
  });

  test("is let go when the server closes, with what it waits for aborted and no socket left", async () => {
    const http = await start();
    const client = await connect(http);
    const before = aborted;
    const begun = Promise.withResolvers<void>();
    const call = client.call("forever", () => begun.resolve(), new AbortController().signal);
    const ended = call.then(
      () => "answered",
      () => "broken off",
    );
    await begun.promise;
    await http.close();
    await vi.waitFor(() => expect(aborted).toBe(before + 1), 5000);
    await expect(send(http)).rejects.toThrow(/ECONNREFUSED/);
    await client.close();
    expect(["answered", "broken off"]).toContain(await ended);
  });
});
