import { describe, expect, test } from "vitest";
import { hasTerminal } from "./at-terminal.ts";
import { keys, openTerminal } from "./terminal-session.ts";
import { folder, windlass } from "./windlass.ts";

/** A server over stdio with one tool that claims to read, and one that claims nothing. */
const server = `import { createInterface } from "node:readline";
const schema = { type: "object", properties: {} };
const tools = [
  { name: "look", description: "Looks.", inputSchema: schema, annotations: { readOnlyHint: true } },
  { name: "wipe", description: "Wipes.", inputSchema: schema },
];
const results = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } }),
  "tools/list": () => ({ tools }),
  "tools/call": () => ({ content: [{ type: "text", text: "done" }] }),
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return;
  const result = results[method]?.(params);
  const answer = result === undefined ? { error: { code: -32601, message: "unknown" } } : { result };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
});
`;

const words = `mcp add claims -- '${process.execPath}' server.mjs`;

async function effects(cwd: string): Promise<unknown> {
  const { stdout } = await windlass(["tools", "--json"], { cwd });
  const tools = JSON.parse(stdout) as { name: string; effect: string }[];
  return tools.filter(({ name }) => name.startsWith("claims/")).map(({ name, effect }) => [name, effect]);
}

describe.runIf(hasTerminal)("windlass mcp add at a terminal", () => {
  test("[S11] shows the tools of the server with their claims, and approves them", async () => {
    const cwd = await folder({ "windlass.yaml": "", "server.mjs": server });
    const terminal = openTerminal(words, { cwd, columns: 100 });
    await terminal.shows("connect to it? [y/N]");
    terminal.type(`y${keys.enter}`);
    await terminal.shows("Approve these tools? [y/N]");
    expect(terminal.screen.text).toMatch(
      /claims\/look +only reads +Looks\.\s+claims\/wipe +may change something +Wipes\./,
    );
    terminal.type(`y${keys.enter}`);
    expect(await terminal.ended).toBe(0);
    expect(await effects(cwd)).toEqual([
      ["claims/look", "read"],
      ["claims/wipe", "once"],
    ]);
  });

  test("[S11] hints have no effect after the answer no; mcp approve approves them later", async () => {
    const cwd = await folder({ "windlass.yaml": "", "server.mjs": server });
    const terminal = openTerminal(words, { cwd, columns: 100 });
    await terminal.shows("connect to it? [y/N]");
    terminal.type(`y${keys.enter}`);
    await terminal.shows("Approve these tools? [y/N]");
    terminal.type(`n${keys.enter}`);
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen.text).toMatch(/windlass mcp approve\s+claims/);
    expect(await effects(cwd)).toEqual([
      ["claims/look", "once"],
      ["claims/wipe", "once"],
    ]);
    const approved = await windlass(["mcp", "approve", "claims", "--yes"], { cwd });
    expect(approved).toMatchObject({ code: 0, stdout: expect.stringContaining("readOnlyHint") });
    expect(await effects(cwd)).toContainEqual(["claims/look", "read"]);
  });

  test("[S11] a server that cannot be reached is added, and approved later", async () => {
    const cwd = await folder({ "windlass.yaml": "" });
    const terminal = openTerminal("mcp add gone -- no-such-program-here", { cwd, columns: 100 });
    await terminal.shows("connect to it? [y/N]");
    terminal.type(`y${keys.enter}`);
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen.text).toContain("windlass mcp approve gone");
  });
});

test("[S11] elsewhere it adds the server and starts nothing", async () => {
  const cwd = await folder({ "windlass.yaml": "" });
  const { code, stderr } = await windlass(["mcp", "add", "gone", "--", "no-such-program-here"], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("Test it with") });
});
