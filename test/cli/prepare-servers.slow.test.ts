import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { folder, windlass } from "./windlass.ts";

const plain = join(import.meta.dirname, "../mcp/servers/plain-server.ts");

/** A server that creates a file when it is started; then runs the following code. */
function server(name: string, then: string): Record<string, unknown> {
  return {
    command: process.execPath,
    args: ["-e", `require("node:fs").writeFileSync("started-${name}", ""); ${then}`],
  };
}

const silent = "setInterval(() => {}, 1000);";
const good = `import(${JSON.stringify(plain)});`;

/** A workspace with a good server, one that never answers, and one that exits immediately. */
async function workspace(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const mcpServers = {
    good: { ...server("good", good), capabilities: { echo: ["repetition"] } },
    silent: server("silent", silent),
    dead: server("dead", "process.exit(3);"),
  };
  return folder({
    "windlass.yaml": "engine: { timeout: 8 }\n",
    "mcp.json": JSON.stringify({ mcpServers }),
    "chains/local.yaml": chain("local", "echo"),
    "chains/served.yaml": chain("served", "good/echo"),
    "chains/outer.yaml": "name: outer\nsteps:\n  - { id: say, tool: served }\n",
    "chains/deaf.yaml": chain("deaf", "silent/echo"),
    "chains/able.yaml": chain("able", "capability:repetition"),
    ...files,
  });
}

const chain = (name: string, tool: string): string =>
  `name: ${name}\nsteps:\n  - id: say\n    tool: ${tool}\n    params: { message: hi }\n`;

const started = (cwd: string): string[] =>
  ["good", "silent", "dead"].filter((name) => existsSync(join(cwd, `started-${name}`)));

describe.concurrent("servers that were never connected", () => {
  test("are not started by a call that names none of them, and the failure says that they may have the tool", async () => {
    const cwd = await workspace();
    const run = await windlass(["run", "local", "--json"], { cwd });
    expect(run.code).toBe(0);
    const slip = await windlass(["call", "ehco", "message=x"], { cwd });
    expect(slip).toMatchObject({ code: 2, stdout: "" });
    expect(slip.stderr).toContain("the MCP servers good, silent, dead were never connected to");
    expect(slip.stderr).toContain("windlass mcp list --connect");
    expect(slip.stderr).toContain('did you mean "echo"?');
    const show = await windlass(["tools", "show", "nope"], { cwd });
    expect(show).toMatchObject({ code: 2 });
    expect(show.stderr).toContain("windlass mcp list --connect");
    expect(started(cwd)).toEqual([]);
  });

  test.each([
    ["a call", ["call", "good/echo", "--args", '{ "message": "hi" }']],
    ["a look", ["tools", "show", "good/echo"]],
    [
      "a call of a capability that was declared for it",
      ["call", "capability:repetition", "--args", '{ "message": "hi" }'],
    ],
    ["a chain", ["run", "served"]],
    ["the file of a chain", ["run", "chains/served.yaml"]],
    ["a chain that calls a chain", ["run", "outer"]],
    ["a chain that asks for a capability", ["run", "able"]],
  ])("is started by %s that names it, and no other", async (_what, words) => {
    const cwd = await workspace();
    const { code, stderr } = await windlass(words, { cwd });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(started(cwd)).toEqual(["good"]);
  });

  test("are not started by a dry run or a check, which say why the tool is unknown", async () => {
    const cwd = await workspace();
    for (const words of [
      ["run", "served", "--dry-run"],
      ["validate", "chains/served.yaml"],
    ]) {
      const { code, stderr } = await windlass(words, { cwd });
      expect({ words, code }).toEqual({ words, code: 2 });
      expect(stderr).toContain("the MCP server good was never connected to (`windlass mcp list --connect`)");
    }
    expect(started(cwd)).toEqual([]);
  });

  test("are not started for a tool that a rule denies", async () => {
    const rules = 'permissions: { deny: ["good/*", "chain:silent/*"] }\n';
    const cwd = await workspace({ "windlass.yaml": rules });
    const call = await windlass(["call", "good/echo", "message=hi", "--json"], { cwd });
    expect(call.code).toBe(1);
    expect(JSON.parse(call.stdout)).toMatchObject({ error: { code: "permission_denied" } });
    expect(call.stderr).toContain('the rule "good/*" denies it');
    const run = await windlass(["run", "deaf"], { cwd });
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('the rule "chain:silent/*" denies it');
    expect(started(cwd)).toEqual([]);
  });

  test("are started for a capability under any of its names, but not if a rule denies their tools for it", async () => {
    const contract = "name: repetition\naliases: [say-again]\ninput: { type: object }\n";
    const able = await workspace({ "capabilities/repetition.yaml": contract });
    expect(
      await windlass(["call", "capability:Say-Again", "--args", '{ "message": "hi" }'], { cwd: able }),
    ).toMatchObject({ code: 0 });
    expect(started(able)).toEqual(["good"]);
    const searching = await workspace({
      "windlass.yaml": 'capabilities: { declare: { "mcp:dead": [search] } }\n',
    });
    await windlass(["call", "capability:搜索", "query=x"], { cwd: searching });
    expect(started(searching)).toEqual(["dead"]);
    for (const rule of ["good/*", "good/echo", "source:mcps"]) {
      const cwd = await workspace({ "windlass.yaml": `permissions: { deny: ["${rule}"] }\n` });
      const { code } = await windlass(["call", "capability:repetition", "message=hi"], { cwd });
      expect([code, started(cwd)]).toEqual([2, []]);
    }
  });

  test("are connected within the timeout of a call, and the wait is reported", async () => {
    const cwd = await workspace();
    writeFileSync(join(cwd, "windlass.yaml"), "engine: { timeout: 2 }\n");
    for (const [words, expected] of [
      [["call", "silent/echo", "message=hi"], 1],
      [["run", "deaf"], 2],
    ] as const) {
      const { code, stderr } = await windlass(words, { cwd });
      expect({ words, code }).toEqual({ words, code: expected });
      expect(stderr).toContain("connecting to silent …");
      expect(stderr).toContain('the MCP server "silent" was not ready within 2 s');
    }
    const dead = await windlass(["call", "dead/echo"], { cwd });
    expect(dead).toMatchObject({ code: 1 });
    expect(dead.stderr.match(/it never completed the handshake/g)).toHaveLength(1);
  });

  test("a server that crashes is not a configuration error, and a disabled tool is", async () => {
    const cwd = await workspace({ "windlass.yaml": "engine: { disabled_tools: [echo] }\n" });
    const [broken, off] = await Promise.all(
      [
        ["call", "good/exit"],
        ["call", "echo", "message=x"],
      ].map((words) => windlass(words, { cwd })),
    );
    expect(broken?.stderr).toContain("[not_available: connection_lost]");
    expect(broken?.stderr).not.toContain("Configure or enable");
    expect(off?.stderr).toContain("Configure or enable what the message names.");
  });
});
