import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { folder, windlass } from "../cli/windlass.ts";

/** A server of the old protocol, in one file: the test chooses its tools and the delay of its answers. */
function server(tools: readonly object[], { afterMs = 0 } = {}): string {
  return `
import { createInterface } from "node:readline";
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const result = { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } };
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  const answer = () => {
    if (method === "initialize") send({ id, result });
    else if (method === "tools/list") send({ id, result: { tools: ${JSON.stringify(tools)} } });
    else if (method === "tools/call") send({ id, result: { content: [{ type: "text", text: "from " + params.name }] } });
    else if (id !== undefined) send({ id, error: { code: -32601, message: "no such method" } });
  };
  setTimeout(answer, ${afterMs});
});
`;
}

const plain = { inputSchema: { type: "object" }, annotations: { readOnlyHint: true } };
const greet = { name: "greet", description: "Greets.", ...plain };
const configOf = (entry: object = {}) =>
  JSON.stringify({ mcpServers: { mal: { command: process.execPath, args: ["server.mjs"], ...entry } } });

describe("the stored state of servers", () => {
  test("is excluded from the repository, regardless of what is stored first", async () => {
    const cwd = await folder({ "mcp.json": configOf(), "server.mjs": server([greet]) });
    expect(await windlass(["mcp", "list", "--connect"], { cwd })).toMatchObject({ code: 0 });
    expect(await readFile(join(cwd, ".windlass/.gitignore"), "utf8")).toBe("*\n");
  });
});

describe("windlass validate", () => {
  test("accepts the tools that find tools and read results", async () => {
    const cwd = await folder({
      "windlass.yaml": "permissions: { deny: ['mcp:read_result'] }\n",
      "chains/v.yaml": [
        "name: v",
        "steps:",
        "  - { id: find, tool: find_tools, params: { query: read a file } }",
        "  - { id: read, tool: read_result, params: { handle: 'result:x' } }",
        "",
      ].join("\n"),
    });
    const { code, stderr, stdout } = await windlass(["validate"], { cwd });
    expect(stdout + stderr).not.toContain("find_tools");
    expect(stdout + stderr).not.toContain("read_result");
    expect(code).toBe(0);
  });
});

describe("windlass mcp serve", () => {
  test("reports to the operator what could not be used", async () => {
    const cwd = await folder({
      "windlass.yaml": "",
      "mcp.json": '{ "mcpServers": { "a":',
      "tools/bad.yaml": "name: [",
    });
    const { stderr } = await windlass(["mcp", "serve"], { cwd });
    expect(stderr).toMatch(/warning: .*mcp\.json.* could not be loaded; for details: .*validate/);
    expect(stderr).toContain("bad.yaml");
    expect(stderr).toMatch(/serving \d+ tools/);
  });

  test("waits for the servers before it reports an unknown tool", async () => {
    const slow = server([greet], { afterMs: 1200 });
    const cwd = await folder({
      "windlass.yaml": "mcp: { serve: ['*'] }\n",
      "mcp.json": configOf({ effects: { greet: "read" } }),
      "server.mjs": slow,
    });
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } };
    const messages = [
      { id: 1, method: "initialize", params },
      { method: "notifications/initialized" },
      // Longer than the wait for a list: three answers of the server come first.
      { id: 2, method: "tools/list" },
      { id: 3, method: "tools/call", params: { name: "mal_greet", arguments: {} } },
    ];
    const answers = new Map<unknown, string>();
    const { spawn } = await import("node:child_process");
    const { environment } = await import("../cli/windlass.ts");
    const { program } = await import("./real-clients.ts");
    const child = spawn(process.execPath, [program, "mcp", "serve"], { cwd, env: environment });
    child.stdin.write(messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join(""));
    let held = "";
    for await (const chunk of child.stdout.setEncoding("utf8")) {
      held += String(chunk);
      const lines = held.split("\n");
      held = lines.pop() ?? "";
      for (const line of lines) answers.set((JSON.parse(line) as { id?: unknown }).id, line);
      if (answers.has(3)) break;
    }
    child.kill("SIGTERM");
    expect(answers.get(3)).toContain("from greet");
  });
});

describe("a name whose file is broken", () => {
  const files = { "mcp.json": configOf(), "server.mjs": server([greet]), "windlass.yaml": "" };

  test("leads to the file, and never to a server's tool of that name", async () => {
    const cwd = await folder({ ...files, "tools/greet.yaml": "name: greet\nimplementation: [" });
    await windlass(["mcp", "list", "--connect"], { cwd });
    for (const words of [
      ["call", "greet"],
      ["tools", "show", "greet"],
    ]) {
      const { code, stderr, stdout } = await windlass(words, { cwd });
      expect(code).not.toBe(0);
      expect(stdout + stderr).toContain("greet is in tools/greet.yaml, which has errors");
      expect(stdout + stderr).not.toContain("mal/greet");
    }
  });
});

describe("windlass mcp", () => {
  test("counts a tool with an unusable schema among the rejected, and does not suggest a call", async () => {
    const odd = {
      ...plain,
      name: "x2",
      description: "Odd.",
      inputSchema: { type: "object", properties: { a: { type: "strange" } } },
    };
    const cwd = await folder({ "mcp.json": configOf(), "server.mjs": server([greet, odd]) });
    const { stdout, stderr } = await windlass(["mcp", "list", "--connect"], { cwd });
    expect(stdout).toMatch(/mal +\S+ +1 +1 /);
    expect(stderr).toContain("mal/x2 is rejected");
    const shown = await windlass(["tools", "show", "mal/x2"], { cwd });
    expect(shown.stdout).toContain("Cannot be used");
    expect(shown.stdout).not.toMatch(/Try:|takes no arguments/);
  });

  test("reports a faulty entry to a user who wants to log in", async () => {
    const config = { mcpServers: { docs: { url: "https://docs.example/mcp", headers: { a: "${secret.NOPE}" } } } };
    const cwd = await folder({ "mcp.json": JSON.stringify(config) });
    const { code, stderr } = await windlass(["mcp", "login", "docs"], { cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(/docs: its entry is invalid: .*NOPE/);
  });
});
