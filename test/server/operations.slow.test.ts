import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { files } from "./route-samples.ts";
import { type ServedWorkspace, adminToken, readToken, serveWorkspace } from "./serve-workspace.ts";

const slowTool = `import { defineTool } from ${JSON.stringify(new URL("../../src/tool/index.ts", import.meta.url).href)};
export const slow = defineTool({
  name: "slow", description: "Waits.", effect: "read",
  input: { type: "object", properties: { ms: { type: "number" } }, required: ["ms"] },
  run: ({ ms }, { signal }) => new Promise((resolve, reject) => {
    setTimeout(() => resolve({ waited: ms }), ms);
    signal.addEventListener("abort", () => reject(new Error("aborted")));
  }),
});
`;

const serve = (options: Parameters<typeof serveWorkspace>[1] = {}): Promise<ServedWorkspace> =>
  serveWorkspace({ ...files, "tools/slow.ts": slowTool }, options);

describe("GET /metrics", () => {
  test("has requests by route, calls with p50 and p95 per tool, slots, and runs by status [P11]", async () => {
    const { send } = await serve();
    for (let count = 0; count < 3; count++) await send("POST", "/v1/tools/say/call", { body: { args: { text: "x" } } });
    await send("POST", "/v1/tools/say/call", { body: { args: { text: 1 } } });
    await send("POST", "/v1/chains/greet/runs", { headers: { prefer: "wait=30" } });
    await send("POST", "/v1/chains/clean/runs", { headers: { prefer: "wait=30" } });
    await send("GET", '/nothing-"here"\\');
    const { text, headers } = await send("GET", "/metrics");
    expect(headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const values = new Map(
      text
        .split("\n")
        .filter((line) => line !== "" && !line.startsWith("#"))
        .map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]),
    );
    expect([...values.values()].every(Number.isFinite)).toBe(true);
    const call = '{method="POST",route="/v1/tools/{name}/call",status="200"}';
    expect(values.get(`windlass_http_requests_total${call}`)).toBe(3);
    expect(values.get('windlass_http_requests_total{method="GET",route="other",status="404"}')).toBe(1);
    // Three calls, and two steps.
    expect(values.get('windlass_tool_calls_total{tool="say",outcome="success"}')).toBe(5);
    expect(values.get('windlass_tool_calls_total{tool="say",outcome="failure"}')).toBe(1);
    const p50 = values.get('windlass_tool_call_duration_seconds{tool="say",quantile="0.5"}') ?? -1;
    expect(p50).toBeGreaterThan(0);
    expect(values.get('windlass_tool_call_duration_seconds{tool="say",quantile="0.95"}')).toBeGreaterThanOrEqual(p50);
    expect(values.get("windlass_calls_running")).toBe(0);
    expect(values.get('windlass_runs{status="success"}')).toBe(1);
    expect(values.get('windlass_runs{status="waiting"}')).toBe(1);
    // Every family is declared once, before its samples.
    const types = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name);
    expect(new Set(types).size).toBe(types.length);
  });
});

describe("results and files", () => {
  const put = async ({ workspace }: ServedWorkspace, output: unknown): Promise<string> =>
    `/v1/results/${await workspace.resultStore.put({ tool: "say", output }, { principal: "admin" })}`;

  test("a result is an attachment that a page cannot show, and belongs to its token [P06]", async () => {
    const served = await serve();
    const path = await put(served, "<script>alert(1)</script>");
    const { text, headers } = await served.send("GET", path);
    expect(text).toBe("<script>alert(1)</script>");
    expect(headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(headers.get("content-disposition")).toMatch(/^attachment; filename="say\.txt"/);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect((await served.send("GET", path, { token: readToken })).status).toBe(404);
    expect((await served.send("GET", `${path}?conversation=other`)).status).toBe(404);
  });

  test.each([
    ["bytes=0-3", 206, "0123", "bytes 0-3/10"],
    ["bytes=4-", 206, "456789", "bytes 4-9/10"],
    ["bytes=-3", 206, "789", "bytes 7-9/10"],
    ["bytes=-99", 206, "0123456789", "bytes 0-9/10"],
    ["bytes=8-999999999999999", 206, "89", "bytes 8-9/10"],
    ["bytes=10-", 416, "", "bytes */10"],
    ["bytes=-0", 416, "", "bytes */10"],
    ["bytes=5-2", 200, "0123456789", null],
    ["bytes=0-1,3-4", 200, "0123456789", null],
    ["bytes=-", 200, "0123456789", null],
    ["items=0-1", 200, "0123456789", null],
  ])("Range: %s", async (range, status, text, contentRange) => {
    const served = await serve();
    const received = await served.send("GET", await put(served, "0123456789"), { headers: { range } });
    expect([received.status, received.text, received.headers.get("content-range")]).toEqual([
      status,
      text,
      contentRange,
    ]);
  });

  test("a file is stored with its type and name, and read back byte for byte [P06]", async () => {
    const { send, url } = await serve();
    const bytes = new Uint8Array(70_000).map((_byte, at) => at % 256);
    const name = 'a"b\n图.png';
    const upload = await fetch(`${url}/v1/files?name=${encodeURIComponent(name)}`, {
      method: "POST",
      headers: { authorization: `Bearer ${adminToken}`, "content-type": "image/png" },
      body: bytes,
    });
    expect(upload.status).toBe(201);
    const { handle, ...info } = (await upload.json()) as { readonly handle: string };
    expect(info).toEqual({ name, media_type: "image/png", bytes: 70_000 });
    const headers = { authorization: `Bearer ${adminToken}` };
    const read = await fetch(`${url}/v1/results/${handle}`, { headers });
    expect(read.headers.get("content-type")).toBe("image/png");
    expect(read.headers.get("content-disposition")).toBe(
      `attachment; filename="a_b__.png"; filename*=UTF-8''a%22b%0A%E5%9B%BE.png`,
    );
    expect(new Uint8Array(await read.arrayBuffer())).toEqual(bytes);
    expect((await send("GET", `/v1/results/${handle}`, { token: readToken })).status).toBe(404);
    const large = new Uint8Array((10 << 20) + 1);
    const post = { method: "POST", headers: { ...headers, "content-type": "image/png" } };
    expect((await fetch(`${url}/v1/files`, { ...post, body: large })).status).toBe(413);
    expect((await fetch(`${url}/v1/files`, post)).status).toBe(400);
  });
});

describe("MCP servers", () => {
  test("a changed command is not started before exactly it is approved [P06]", async () => {
    const served = await serve();
    const { send, workspace } = served;
    expect((await send("POST", "/v1/mcp/servers/up/reconnect")).body).toMatchObject({ name: "up", state: "connected" });
    const { writeFile } = await import("node:fs/promises");
    const change = async (arg: string): Promise<string> => {
      const { mcpServers } = JSON.parse(files["mcp.json"] ?? "") as { mcpServers: { up: { args: string[] } } };
      mcpServers.up.args.push(arg);
      await writeFile(`${workspace.dir}/mcp.json`, JSON.stringify({ mcpServers }));
      await workspace.sources.mcp?.reload();
      const { body } = await send("GET", "/v1/mcp/servers");
      return (body as { items: { review: { digest: string } }[] }).items[0]?.review.digest ?? "";
    };
    const reviewed = await change("good");
    expect((await send("POST", "/v1/mcp/servers/up/reconnect")).body).toMatchObject({ reason: "server_changed" });
    await change("other");
    const late = await send("POST", "/v1/mcp/servers/up/approve", { body: { digest: reviewed } });
    expect([late.status, late.body]).toMatchObject([409, { reason: "review_changed" }]);
  });
});

describe("MCP at /mcp", () => {
  const connect = async ({ url }: ServedWorkspace, token: string): Promise<Client> => {
    const client = new Client({ name: "t", version: "1" }, { capabilities: { elicitation: { form: {} } } });
    client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { approve: true } }));
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
    return client;
  };

  test("serves the tools of the workspace to tokens with the scope call, as their principals [P01] [P06]", async () => {
    const served = await serve();
    const { token } = await served.workspace.tokens.create({ name: "ci", scopes: ["call"] });
    const client = await connect(served, token);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("say");
    expect(await client.callTool({ name: "say", arguments: { text: "hi" } })).toMatchObject({
      structuredContent: { text: "hi" },
    });
    const { records } = await served.workspace.engine.records.query({ tool: "say" });
    expect(records).toMatchObject([{ principal: "ci", callerType: "mcp_client" }]);
    await client.close();
    expect((await served.send("POST", "/mcp", { token: readToken, body: {} })).status).toBe(403);
    expect((await served.send("POST", "/mcp", { token: null, body: {} })).status).toBe(401);
    expect((await served.send("GET", "/mcp", { token, headers: { origin: "https://evil.example" } })).status).toBe(403);
  });

  test("only a token with the scope approve approves a call through its client [P05] [P06]", async () => {
    const served = await serve();
    const { tokens, approvals } = served.workspace;
    const caller = await connect(served, (await tokens.create({ name: "ci", scopes: ["call"] })).token);
    expect(await caller.callTool({ name: "delete_note", arguments: { id: "n1" } })).toMatchObject({ isError: true });
    expect(await approvals.list("pending")).toHaveLength(1);
    const approver = await connect(served, (await tokens.create({ name: "ann", scopes: ["call", "approve"] })).token);
    expect(await approver.callTool({ name: "delete_note", arguments: { id: "n2" } })).toMatchObject({
      structuredContent: { deleted: "n2" },
    });
    await Promise.all([caller.close(), approver.close()]);
  });

  test("a session opens for the token that began it only [P06]", async () => {
    const served = await serve();
    const { tokens } = served.workspace;
    const [own, other] = [
      await tokens.create({ name: "a", scopes: ["call"] }),
      await tokens.create({ name: "b", scopes: ["call"] }),
    ];
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } };
    const accept = "application/json, text/event-stream";
    const begun = await served.send("POST", "/mcp", {
      token: own.token,
      headers: { accept },
      body: { jsonrpc: "2.0", id: 1, method: "initialize", params },
    });
    const session = { accept, "mcp-session-id": begun.headers.get("mcp-session-id") ?? "" };
    const ping = { jsonrpc: "2.0", id: 2, method: "ping" };
    expect((await served.send("POST", "/mcp", { token: own.token, headers: session, body: ping })).status).toBe(200);
    expect((await served.send("POST", "/mcp", { token: other.token, headers: session, body: ping })).status).toBe(404);
  });
});

describe("draining", () => {
  test("a running call is answered, new ones are refused, and idle connections do not delay the end [P11]", async () => {
    const { send, server } = await serve();
    await send("GET", "/v1/tools");
    const call = send("POST", "/v1/tools/slow/call", { body: { args: { ms: 1_500 } } });
    await vi.waitFor(async () => expect((await send("GET", "/v1/metrics")).body).toMatchObject({ running: 1 }));
    const closed = server.close();
    expect((await send("GET", "/readyz")).status).toBe(503);
    const refused = await send("POST", "/v1/tools/say/call", { body: { args: { text: "x" } } });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await call).toMatchObject({ status: 200, body: { output: { waited: 1_500 } } });
    expect(await Promise.race([closed.then(() => "closed"), wait(3_000, "open")])).toBe("closed");
    await expect(send("GET", "/healthz")).rejects.toThrow("fetch failed");
  });

  test("a call that takes longer than the drain is aborted [P11]", async () => {
    const { send, server, workspace } = await serve({ drainMs: 200 });
    const call = send("POST", "/v1/tools/slow/call", { body: { args: { ms: 600_000 } } }).catch(() => "broken off");
    await vi.waitFor(async () => expect((await send("GET", "/v1/metrics")).body).toMatchObject({ running: 1 }));
    await server.close();
    expect(await call).toBe("broken off");
    await vi.waitFor(() => expect(workspace.engine.metrics().currentConcurrent).toBe(0));
  });
});
