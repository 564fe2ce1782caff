import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMcpConnector } from "../../src/adapters/mcp/client/connector.ts";
import { createHttpClient } from "../../src/net/index.ts";

/**
 * The program that the conformance suite starts as the client: `node conformance-client.ts URL`. It acts like any user
 * of the connector: connects, lists the tools, calls them, and answers elicitations; the credentials come from the
 * suite.
 */

/** Data of some scenarios besides the address. */
interface Context {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: unknown }[];
}

interface Schema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
}

const url = process.argv.at(-1) ?? "";
// Written by the suite.
const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as Context;
const protocol = process.env["MCP_CONFORMANCE_PROTOCOL_VERSION"];

/** A valid value, as a user without knowledge of the tool would choose it. */
function sample(schema: Schema): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.enum !== undefined) return schema.enum[0];
  switch (schema.type) {
    case "number":
    case "integer":
      return 1;
    case "boolean":
      return true;
    case "array":
      return [];
    case "object": {
      const required = Object.entries(schema.properties ?? {}).filter(([name]) => schema.required?.includes(name));
      return Object.fromEntries(required.map(([name, property]) => [name, sample(property)]));
    }
    default:
      return "text";
  }
}

/** A user with a browser, who confirms everything. */
async function agree(page: URL): Promise<URLSearchParams> {
  const response = await fetch(page, { redirect: "manual" });
  const location = response.headers.get("location");
  if (location === null) throw new Error(`no way back from ${page.href}`);
  return new URL(location).searchParams;
}

const stateDir = mkdtempSync(join(tmpdir(), "windlass-conformance-"));
const http = createHttpClient({ allow: ["127.0.0.1", "localhost", "[::1]"] });
const connector = createMcpConnector({
  stateDir,
  http,
  onLog: (message) => console.error(message),
  oauth: {
    redirectUrl: "http://localhost:3000/callback",
    clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
    authorize: agree,
  },
});

async function run(): Promise<void> {
  const { signal } = new AbortController();
  const listener = { toolsChanged: () => {}, closed: () => {}, log: (line: string) => console.error(line) };
  const { client_id: clientId, client_secret: clientSecret } = context;
  const oauth =
    clientId === undefined ? {} : { oauth: { clientId, ...(clientSecret !== undefined && { clientSecret }) } };
  const connection = await connector.connect(
    "conformance",
    { kind: "http", url, headers: {}, ...oauth },
    { listener, signal, ...(protocol !== undefined && { lastProtocol: protocol }) },
  );
  try {
    const tools = await connection.listTools(signal);
    // One scenario checks that a schema passes through the client unchanged.
    const shown = tools.find(({ name }) => name === "json_schema_2020_12_tool")?.inputSchema;
    const calls =
      context.toolCalls ??
      tools.map(({ name, inputSchema }) => ({
        name,
        // The suite writes schemas of this form.
        arguments: name === "json_schema_echo" ? { schema: shown } : sample(inputSchema as Schema),
      }));
    for (const { name, arguments: args } of calls) {
      const outcome = await connection
        .callTool(name, args, { signal, elicit: () => Promise.resolve({ action: "accept", content: {} }) })
        .catch((error: unknown) => error);
      console.error(name, JSON.stringify(args), outcome instanceof Error ? outcome.message : JSON.stringify(outcome));
    }
  } finally {
    await connection.close();
  }
}

try {
  await run();
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await http.close();
  rmSync(stateDir, { recursive: true, force: true });
}
