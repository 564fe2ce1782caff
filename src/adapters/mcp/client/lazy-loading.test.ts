import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

test("the protocol's client is loaded by the first connection, not before", async () => {
  const program = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    const { createMcpConnector } = await import("./src/adapters/mcp/client/connector.ts");
    const { createHttpClient } = await import("./src/net/index.ts");
    const connector = createMcpConnector({ stateDir: "/nowhere/at/all", http: createHttpClient(), onLog: () => {} });
    await connector.reap();
    const heavy = /node_modules\\/(@modelcontextprotocol|zod|undici|ajv)/;
    const packages = () => loaded.filter((url) => heavy.test(url)).length;
    const before = packages();
    const listener = { toolsChanged() {}, closed() {}, log() {} };
    const address = { kind: "http", url: "http://127.0.0.1:1/", headers: {} };
    await connector.connect("x", address, { listener, signal: new AbortController().signal }).catch(() => {});
    console.log(JSON.stringify({ before, after: packages() > 0 }));
  `;
  const root = new URL("../../../..", import.meta.url);
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], { cwd: root });
  expect(JSON.parse(stdout)).toEqual({ before: 0, after: true });
});
