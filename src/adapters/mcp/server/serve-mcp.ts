import type { McpServing, McpServingOptions } from "./mcp-serving.ts";

/** {@link createMcpServing}, loaded when something is served and never before. */
export async function serveMcp(options: McpServingOptions): Promise<McpServing> {
  const { createMcpServing } = await import("./mcp-serving.ts");
  return createMcpServing(options);
}
