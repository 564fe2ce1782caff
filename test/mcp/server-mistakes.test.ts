import { expect, test } from "vitest";
import { folder, windlass } from "../cli/windlass.ts";

/** A server that violates the protocol: in its list of tools, and in the results of calls. */
const server = `
import { createInterface } from "node:readline";
const inputSchema = { type: "object", properties: { fixed: { type: "boolean" } } };
const tools = [{ name: "say\\nhello", inputSchema }, { name: "no_schema" }, { inputSchema }, { name: "empty", inputSchema },
  { name: "partly", inputSchema }];
const good = { type: "text", text: "well" };
const results = { "say\\nhello": { content: [good] }, empty: { toolResult: 1 }, partly: { content: [{ type: "text" }, good] } };
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }),
  "tools/list": () => ({ tools }),
  "tools/call": ({ name, arguments: { fixed } }) => (fixed ? { content: [good] } : results[name]),
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method]?.(params);
  const reply = answer === undefined ? { error: { code: -32601, message: "unknown" } } : { result: answer };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...reply }));
});
`;

test("[H8] mistakes of an MCP server are problems that mcp list and doctor show, until they are corrected", async () => {
  const cwd = await folder({
    "windlass.yaml": "permissions: { allow: ['*'] }\n",
    "server.mjs": server,
    "mcp.json": JSON.stringify({ mcpServers: { odd: { command: process.execPath, args: ["server.mjs"] } } }),
  });
  const run = (...words: string[]) => windlass(words, { cwd });
  const listed = await run("mcp", "list", "--connect");
  const renamed = /odd: the tool "say␊hello" is called odd\/say_hello here: its name has characters/;
  const mistakes = [renamed, /odd: the tool "no_schema" has no input schema/, /odd: a tool has no name/];
  for (const mistake of mistakes) expect(listed.stderr).toMatch(mistake);

  const empty = await run("call", "odd/empty", "--json");
  expect(empty.code).not.toBe(0);
  expect(empty.stdout + empty.stderr).toMatch(/neither content nor structuredContent/);
  expect(JSON.stringify(await run("call", "odd/partly"))).toContain("well");

  // Another process, without a connection.
  const later = await run("mcp", "list");
  const calls = [/odd: odd\/empty: .*neither content/, /odd: odd\/partly: an entry of the content/];
  for (const mistake of [...mistakes, ...calls]) expect(later.stderr).toMatch(mistake);
  const doctor = await run("doctor");
  for (const mistake of [...mistakes, ...calls]) expect(doctor.stdout + doctor.stderr).toMatch(mistake);

  await run("call", "odd/empty", "fixed=true");
  const [status] = JSON.parse((await run("mcp", "list", "--json")).stdout) as [{ problems: string[] }];
  expect(status.problems).toHaveLength(4);
  expect(JSON.stringify(status.problems)).not.toContain("odd/empty");
});
