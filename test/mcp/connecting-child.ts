/** Connects to servers, says so, and waits to be killed: `node connecting-child.ts STATE_DIR MODE…`. */
import { createMcpConnector } from "../../src/adapters/mcp/client/connector.ts";
import { createHttpClient } from "../../src/net/index.ts";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [stateDir = "", ...modes] = process.argv.slice(2);
const connector = createMcpConnector({ stateDir, http: createHttpClient(), onLog: () => {} });
const listener = { toolsChanged: () => {}, closed: () => {}, log: () => {} };
const { signal } = new AbortController();
const program = join(import.meta.dirname, "servers", "plain-server.ts");
const left: string[] = [];
for (const mode of modes) {
  const address = { kind: "stdio", command: process.execPath, args: [program, mode], env: {}, cwd: tmpdir() } as const;
  const connection = await connector.connect(mode, address, { listener, signal });
  for (const detached of [false, true]) {
    const { content } = await connection.callTool("leave", { detached }, { signal });
    left.push(content[0]?.type === "text" ? content[0].text : "");
  }
}
console.log(JSON.stringify(left.map(Number)));
setInterval(() => {}, 1_000);
