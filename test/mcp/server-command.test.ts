import { type ChildProcess, spawn } from "node:child_process";
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

async function serve(words: readonly string[], env: Record<string, string> = {}) {
  const cwd = await folder({ "windlass.yaml": "" });
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
  test("prints where it is and the token it made up, serves with it, and ends when told to", async () => {
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

  test("keeps a token that was given to itself", async () => {
    const token = "0123456789abcdef0123456789abcdef";
    const { child, ended, printed } = await serve(["--http", "--port", "0"], { WINDLASS_MCP_TOKEN: token });
    await printed();
    child.kill("SIGINT");
    const { code, stdout, stderr } = await ended;
    expect(code).toBe(130);
    expect(stdout + stderr).not.toContain(token);
  });

  test.each([
    [["--http", "--host", "0.0.0.0"], {}, /a token has to be given[^]*WINDLASS_MCP_TOKEN=/],
    [["--http"], { WINDLASS_MCP_TOKEN: "short" }, /at least 16 characters/],
  ])("refuses %j with %j", async (words, env, why) => {
    const { code, stderr } = await (await serve(words, env)).ended;
    expect(code).toBe(2);
    expect(stderr).toMatch(why);
  });
});
