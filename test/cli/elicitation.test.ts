import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { atTerminal, hasTerminal } from "./at-terminal.ts";
import { codeTool, folder, windlass } from "./windlass.ts";

const server = resolve(import.meta.dirname, "../mcp/servers/plain-server.ts");
const workspace = {
  "windlass.yaml": "",
  "mcp.json": JSON.stringify({ mcpServers: { up: { command: process.execPath, args: [server] } } }),
  "chains/trip.yaml": "name: trip\nsteps:\n  - { id: where, tool: up/ask }\n",
  ...codeTool(
    "form",
    `export default (args, { elicit }) => elicit({
      message: "Fill it in",
      schema: {
        type: "object",
        properties: {
          size: { type: "string", title: "Size", oneOf: [{ const: "s", title: "Small" }, { const: "l", title: "Large" }] },
          sure: { type: "boolean", description: "Think twice" },
          count: { type: "integer", minimum: 1, maximum: 9 },
          tags: { type: "array", items: { type: "string", enum: ["a", "b", "c"] } },
          note: { type: "string" },
        },
        required: ["size", "sure", "count"],
      },
    });\n`,
    "effect: read",
  ),
};

describe.runIf(hasTerminal).concurrent("an elicitation at a terminal", () => {
  test("an elicitation of an MCP server names the server, and is answered field by field", async () => {
    const cwd = await folder(workspace);
    const { code, screen } = await atTerminal("call up/ask", cwd, "y\nRome\n\n");
    expect(code).toBe(0);
    expect(screen).toContain('The MCP server "up" requests input:');
    expect(screen).toContain("Where to?");
    expect(screen).toContain("city (text, or Enter):");
    expect(screen).toContain("days (a number, Enter for 3):");
    expect(screen).toContain('{\\"action\\":\\"accept\\",\\"content\\":{\\"city\\":\\"Rome\\",\\"days\\":3}}');
  });

  test("is prompted for in a run too", async () => {
    const cwd = await folder(workspace);
    const { code, screen } = await atTerminal("run trip", cwd, "y\nOslo\n5\n");
    expect(code).toBe(0);
    expect(screen).toContain('The MCP server "up" requests input:');
    expect(screen).toContain("Oslo");
  });

  test("can be declined", async () => {
    const cwd = await folder(workspace);
    const { screen } = await atTerminal("call up/ask", cwd, "\n");
    expect(screen).not.toContain("city (text");
    expect(screen).toContain('{\\"action\\":\\"decline\\"}');
  });

  test("takes choices by number or name, and repeats the prompt for invalid input", async () => {
    const cwd = await folder(workspace);
    const { code, screen } = await atTerminal("call form", cwd, "y\n2\nmaybe\ny\n12\n3\na, 3\n\n");
    expect(code).toBe(0);
    expect(screen).toContain("1. Small");
    expect(screen).toContain("Think twice");
    expect(screen).toMatch(/sure must be/);
    expect(screen).toMatch(/count must be/);
    const [, printed = "{}"] = /(\{\n {2}"action"[^]*\n\})/.exec(screen) ?? [];
    expect(JSON.parse(printed)).toEqual({
      action: "accept",
      content: { size: "l", sure: true, count: 3, tags: ["a", "c"] },
    });
  });

  test("is cancelled if no answer is valid", async () => {
    const cwd = await folder(workspace);
    const { screen } = await atTerminal("call form", cwd, "y\nhuge\nhuge\nhuge\n");
    expect(screen).toContain("Too many invalid answers; cancelled.");
    expect(screen).toContain('"cancel"');
  });
});

test("without a terminal an elicitation is declined, and reported", async () => {
  const cwd = await folder(workspace);
  for (const words of [
    ["call", "up/ask"],
    ["run", "trip"],
  ]) {
    const { stdout, stderr } = await windlass(words, { cwd });
    expect(stdout).toContain("decline");
    expect(stderr).toContain("an elicitation was declined because no one can answer it here");
    expect(stderr).toContain("Where to?");
  }
});
