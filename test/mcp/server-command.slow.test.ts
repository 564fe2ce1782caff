import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { environment, folder } from "../cli/windlass.ts";
import { program } from "./real-clients.ts";

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

async function serve(
  words: readonly string[],
  env: Record<string, string> = {},
  files: Record<string, string> = { "windlass.yaml": "" },
) {
  const cwd = await folder(files);
  const child = spawn(process.execPath, [program, "mcp", "serve", ...words], { cwd, env: { ...environment, ...env } });
  started.push(child);
  let [stdout, stderr] = ["", ""];
  const begun = Promise.withResolvers<void>();
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    begun.resolve();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = new Promise<Ended>((resolve) => child.on("close", (code) => resolve({ code, stdout, stderr })));
  return { child, ended, printed: () => Promise.race([begun.promise, ended]).then(() => stdout) };
}

describe("windlass mcp serve --http", () => {
  test("prints its address and the generated token, serves with it, and ends on a signal", async () => {
    const { child, ended, printed } = await serve(["--http", "--port", "0"]);
    const [url = "", authorization = ""] = (await printed()).split("\n");
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    expect(authorization).toMatch(/^Authorization: Bearer [\w-]{43}$/);
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
    expect((await fetch(url, { method: "POST", headers, body })).status).toBe(401);
    const token = { authorization: authorization.replace("Authorization: ", "") };
    const answer = await fetch(url, { method: "POST", headers: { ...headers, ...token }, body });
    expect(await answer.text()).toContain('"serverInfo":{"name":"windlass"');
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: 143 });
  });

  test("does not print a token that was configured", async () => {
    const token = "0123456789abcdef0123456789abcdef";
    const { child, ended, printed } = await serve(["--http", "--port", "0"], { WINDLASS_MCP_TOKEN: token });
    await printed();
    child.kill("SIGINT");
    const { code, stdout, stderr } = await ended;
    expect(code).toBe(130);
    expect(stdout + stderr).not.toContain(token);
  });

  test.each([
    [["--http", "--host", "0.0.0.0"], {}, /a token is required[^]*WINDLASS_MCP_TOKEN=/],
    [["--http"], { WINDLASS_MCP_TOKEN: "short" }, /at least 16 characters/],
  ])("refuses %j with %j", async (words, env, why) => {
    const { code, stderr } = await (await serve(words, env)).ended;
    expect(code).toBe(2);
    expect(stderr).toMatch(why);
  });
});

describe("windlass mcp serve with a server behind it", () => {
  const plain = join(import.meta.dirname, "servers/plain-server.ts");
  const files = {
    "windlass.yaml": "mcp: { approvals: operator, serve: ['*'] }\npermissions: { ask: [mcp:up/echo] }\n",
    "mcp.json": JSON.stringify({ mcpServers: { up: { command: process.execPath, args: [plain] } } }),
    "chains/careful.yaml": "name: careful\nsteps:\n  - { id: look, tool: up/folder, approval: Really? }\n",
  };

  interface Listening {
    readonly client: Client;
    readonly heard: unknown[];
    readonly requested: unknown[];
    readonly call: (name: string, args?: Record<string, unknown>) => Promise<string>;
  }

  async function connect(printed: string): Promise<Listening> {
    const [url = "", authorization = ""] = printed.split("\n");
    const headers = { authorization: authorization.replace("Authorization: ", "") };
    const client = new Client({ name: "t", version: "1" }, { capabilities: { elicitation: { form: {} } } });
    const [heard, requested]: [unknown[], unknown[]] = [[], []];
    client.setNotificationHandler("notifications/message", ({ params }) => void heard.push(params.data));
    client.setRequestHandler("elicitation/create", ({ params }) => {
      requested.push(params.message);
      return { action: "accept", content: { approve: true, city: "Rome" } };
    });
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    await client.setLoggingLevel("debug");
    const call: Listening["call"] = async (name, args = {}) =>
      JSON.stringify(await client.callTool({ name, arguments: args }));
    return { client, heard, requested, call };
  }

  test("lists its tools at once under plain names, and does not reveal the log of its servers to clients", async () => {
    const { child, ended, printed } = await serve(["--http", "--port", "0"], {}, files);
    const first = await connect(await printed());
    const names = (await first.client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["up_say", "up_folder"]));
    // The first client stays connected.
    expect(await first.call("up_say", { message: "of the first" })).toContain("said");
    const second = await connect(await printed());
    expect(await second.call("up_say", { message: "secret of the second" })).toContain("said");
    expect(await second.call("up_folder")).toContain("text");
    expect([...first.heard, ...second.heard]).toEqual([]);
    await Promise.all([first.client.close(), second.client.close()]);
    child.kill("SIGTERM");
    // The log of the operator has all of it.
    expect((await ended).stderr).toContain("secret of the second");
  });

  test("relays elicitations of servers to a client that may not approve, but no approvals", async () => {
    const { child, ended, printed } = await serve(["--http", "--port", "0"], {}, files);
    const { client, requested, call } = await connect(await printed());
    expect(await call("up_ask")).toContain("Rome");
    expect(requested).toEqual(['The MCP server "up" requests input:\n\nWhere to?']);
    const refused = await call("up_echo", { message: "x" });
    expect(refused).toContain("approval_required");
    expect(refused).not.toContain("windlass approve");
    expect(await call("careful")).toContain("needs an approval");
    expect(requested).toHaveLength(1);
    await client.close();
    child.kill("SIGTERM");
    await ended;
  });
});
