import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldHttpTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { once } from "node:events";
import { Agent, type IncomingHttpHeaders, request as httpRequest } from "node:http";
import { type Socket, connect as connectSocket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createMcpToolServer } from "../../src/adapters/mcp/server/mcp-tool-server.ts";
import {
  type McpHttpOptions,
  type McpHttpServer,
  defaultMcpHttpLimits,
} from "../../src/adapters/mcp/server/serve-http.ts";
import { createEngine, defineTool } from "../../src/index.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

let aborted = 0;
const tools = [
  defineTool({ name: "add", description: "Adds.", effect: "pure", run: () => ({ sum: 3 }) }),
  defineTool({
    name: "slow",
    description: "Takes a moment.",
    effect: "read",
    run: () => wait(500, "finished"),
  }),
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

async function start(options: McpHttpOptions = {}): Promise<McpHttpServer> {
  const engine = createEngine({ tools });
  const serving = createMcpToolServer({ engine, name: "test", version: "1.0.0" });
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
  readonly agent?: Agent;
}

interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A request whose every header is ours: `fetch` sets Host and Origin itself. */
function send({ port, token }: McpHttpServer, sent: Sent = {}): Promise<Got> {
  const { method = "POST", path = "/mcp", headers = {}, body = initialize, agent = false } = sent;
  return new Promise((resolve, reject) => {
    const defaults = {
      host: `127.0.0.1:${port}`,
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
    };
    const accept = "application/json, text/event-stream";
    const request = httpRequest(
      {
        host: "127.0.0.1",
        port,
        method,
        path,
        headers: { accept, ...defaults, ...headers },
        setHost: false,
        agent,
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

const ping = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "ping" });

/** A connection that sends nothing. */
async function silent(port: number): Promise<Socket> {
  const socket = connectSocket(port, "127.0.0.1").on("error", () => {});
  socket.resume();
  closing.push(async () => void socket.destroy());
  await Promise.race([once(socket, "connect"), once(socket, "close")]);
  return socket;
}

describe("access to the server", () => {
  test("clients with the token", async () => {
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

  test("the server answers under a name of this machine, or one that was allowed", async () => {
    const http = await start({ allowedHosts: ["tools.example"] });
    for (const host of ["localhost:99", "127.0.0.1:99", "[::1]:99", "tools.example", "TOOLS.example:80"]) {
      expect((await send(http, { headers: { host } })).status).toBe(200);
    }
    const foreign = ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "127.0.0.2", "0.0.0.0"];
    for (const host of foreign) expect((await send(http, { headers: { host } })).status).toBe(403);
    for (const host of ["evil@localhost", "localhost/x"])
      expect(await send(http, { headers: { host } })).toMatchObject({
        status: 400,
        text: expect.stringMatching(/Host/),
      });
  });

  test("the server answers requests of no page, of a page of this machine, or of one that was allowed", async () => {
    const http = await start({ allowedOrigins: ["https://inspector.example"] });
    for (const origin of ["http://localhost:6274", "http://127.0.0.1", "https://inspector.example"]) {
      expect((await send(http, { headers: { origin } })).status).toBe(200);
    }
    for (const origin of ["null", "https://evil.example", "http://localhost.evil.example", "file://", "x"]) {
      expect((await send(http, { headers: { origin } })).status).toBe(403);
    }
    const origin = "https://inspector.example";
    const request = { origin, "access-control-request-method": "POST", authorization: "" };
    const preflight = await send(http, { method: "OPTIONS", headers: request, body: "" });
    expect(preflight).toMatchObject({ status: 204, headers: { "access-control-allow-origin": origin } });
    expect(
      (await send(http, { method: "OPTIONS", headers: { ...request, origin: "https://evil.example" }, body: "" }))
        .status,
    ).toBe(403);
    expect((await send(http)).headers["access-control-allow-origin"]).toBeUndefined();
  });

  test("[H9] a Host without the port, and a request of a foreign page without an Origin are refused", async () => {
    const http = await start({ allowedOrigins: ["https://inspector.example"] });
    for (const host of ["localhost", "127.0.0.1", "[::1]"]) {
      expect(await send(http, { headers: { host } })).toMatchObject({
        status: 403,
        text: expect.stringMatching(/with its port/),
      });
    }
    const page = { "sec-fetch-site": "cross-site" };
    expect(await send(http, { headers: page })).toMatchObject({
      status: 403,
      text: expect.stringMatching(/another site/),
    });
    expect((await send(http, { headers: { ...page, origin: "http://127.0.0.1" } })).status).toBe(403);
    expect((await send(http, { headers: { ...page, origin: "https://inspector.example" } })).status).toBe(200);
    for (const site of ["none", "same-origin", "same-site"])
      expect((await send(http, { headers: { "sec-fetch-site": site } })).status).toBe(200);
  });

  test("[H9] a request for an absolute address is refused with any Host", async () => {
    const http = await start();
    for (const path of [`http://127.0.0.1:${http.port}/mcp`, "http://evil.example/mcp", "//evil.example/mcp", "*"]) {
      expect(await send(http, { path })).toMatchObject({ status: 400, text: expect.stringMatching(/begins with \//) });
    }
  });

  test("a token needs at least 16 characters, and is required for other addresses than loopback", async () => {
    await expect(start({ token: "short" })).rejects.toThrow(/at least 16 characters/);
    await expect(start({ host: "0.0.0.0" })).rejects.toThrow(/a token is required/);
    const http = await start({ token: "0123456789abcdef" });
    expect((await send(http)).status).toBe(200);
    await expect(start({ port: http.port })).rejects.toThrow(/cannot listen on 127\.0\.0\.1:\d+/);
  });
});

test("a tool that the rules deny to every client is not listed", async () => {
  const remove = defineTool({ name: "remove", description: "Removes.", effect: "once", run: () => 1 });
  const engine = createEngine({
    tools: [...tools, remove],
    permissions: { deny: ["mcp:destructive", "forever", "slow"] },
  });
  expect(createMcpToolServer({ engine, name: "test", version: "1.0.0" }).toolCount).toBe(1);
});

describe("hostile requests", () => {
  test("requests to other paths or with other methods are rejected", async () => {
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

  test("one that arrives slowly is cut off", async () => {
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
    const head = `POST /mcp HTTP/1.1\r\nhost: localhost:${http.port}\r\n`;
    expect(await slow(head)).toMatch(/^(?:HTTP\/1\.1 408|$)/);
    const rest = `authorization: Bearer ${http.token}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{`;
    expect(await slow(head, rest)).toMatch(/^(?:HTTP\/1\.1 408|$)/);
    expect((await send(http)).status).toBe(200);
  });

  test("[S18] 600 silent connections do not keep a client out, and are closed soon", async () => {
    expect(defaultMcpHttpLimits.headersMs).toBe(2000);
    const http = await start({ limits: { headersMs: 1000 } });
    const connected = await send(http);
    const sockets = await Promise.all(Array.from({ length: 600 }, () => silent(http.port)));
    const open = (): number => sockets.filter(({ closed }) => !closed).length;
    expect((await send(http)).status).toBe(200);
    const session = { "mcp-session-id": String(connected.headers["mcp-session-id"]) };
    expect((await send(http, { body: ping, headers: session })).status).toBe(200);
    expect(open()).toBeLessThanOrEqual(defaultMcpHttpLimits.unauthenticated);
    await vi.waitFor(() => expect(open()).toBe(0), 5000);
  });

  test("[S18] connections with a wrong token are closed, one with the token outlives 100 silent ones", async () => {
    const http = await start();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const first = await send(http, { agent });
    const session = { "mcp-session-id": String(first.headers["mcp-session-id"]) };
    const call = JSON.stringify({ jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "slow" } });
    const answer = send(http, { agent, body: call, headers: session });
    expect((await send(http, { headers: { authorization: "Bearer wrong" } })).headers.connection).toBe("close");
    await Promise.all(Array.from({ length: 100 }, () => silent(http.port)));
    expect(await answer).toMatchObject({ status: 200, text: expect.stringMatching(/finished/) });
    agent.destroy();
  });

  test("[S18] many new sessions of one client do not evict the idle session of another", async () => {
    const http = await start({ limits: { sessions: 20 } });
    const begin = async (name: string): Promise<{ readonly "mcp-session-id": string }> => {
      const { headers } = await send(http, { body: initialize.replace('"t"', JSON.stringify(name)) });
      return { "mcp-session-id": String(headers["mcp-session-id"]) };
    };
    const [editor, silentOne] = [await begin("editor"), await begin("desk")];
    expect((await send(http, { body: ping, headers: editor })).status).toBe(200);
    for (let begun = 0; begun < 30; begun++) {
      const script = await begin("script");
      for (let used = 0; used < 3; used++) await send(http, { body: ping, headers: script });
    }
    expect((await send(http, { body: ping, headers: editor })).status).toBe(200);
    expect((await send(http, { body: ping, headers: silentOne })).status).toBe(200);
  });

  test("[S18] a session in use survives clients that connect once each", async () => {
    const http = await start({ limits: { sessions: 5 } });
    const { headers } = await send(http);
    const session = { "mcp-session-id": String(headers["mcp-session-id"]) };
    expect((await send(http, { body: ping, headers: session })).status).toBe(200);
    for (let begun = 0; begun < 20; begun++)
      expect((await send(http, { body: initialize.replace('"t"', `"client ${begun}"`) })).status).toBe(200);
    expect((await send(http, { body: ping, headers: session })).status).toBe(200);
  });

  test("a thousand sessions do not exceed the limit", async () => {
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

  test("an invalid cursor is rejected by the protocol", async () => {
    const http = await start();
    const session = { "mcp-session-id": String((await send(http)).headers["mcp-session-id"]) };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list", params: { cursor: "none" } });
    expect((await send(http, { body, headers: session })).text).toContain('"code":-32602');
  });

  test("an idle session is closed, and a deleted one is gone", async () => {
    const http = await start({ limits: { sessionIdleMs: 100 } });
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
  const connect = async ({ url, token }: McpHttpServer) => {
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

  test("is released when the server closes, with its requests aborted and no socket open", async () => {
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
