import type * as Export from "./otel/export-telemetry.ts";
import type * as Otel from "./otel/index.ts";
import type * as Client from "./mcp/client/connector.ts";
import type { McpToolServer, McpToolServerOptions } from "./mcp/server/mcp-tool-server.ts";

/** The tracing of an engine. Loaded if the settings enable it. */
export const loadTracing = (): Promise<typeof Otel> => import("./otel/index.ts");

/** The export of telemetry to a collector. Loaded if the environment names one. */
export const loadTelemetryExport = (): Promise<typeof Export> => import("./otel/export-telemetry.ts");

/** The MCP client. Loaded when a server is used: most processes use none. */
export const loadMcpClient = (): Promise<typeof Client> => import("./mcp/client/connector.ts");

/**
 * Serves the tools of an engine to MCP clients, over streams or HTTP. Every call goes through the engine, as a call of an
 * `mcp_client`.
 *
 * @example
 * ```ts
 * const server = await serveMcp({ engine, name: "harbour", version: "1.0.0" });
 * await (await server.stdio(process.stdin, process.stdout)).closed;
 * ```
 *
 * @see docs/guide/mcp.md
 */
export async function serveMcp(options: McpToolServerOptions): Promise<McpToolServer> {
  // Loaded when something is served: most programs serve nothing.
  const { createMcpToolServer } = await import("./mcp/server/mcp-tool-server.ts");
  return createMcpToolServer(options);
}
