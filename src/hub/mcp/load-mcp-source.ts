import type * as Source from "./mcp-source.ts";

/** What knows the MCP servers of a workspace. Loaded where there are any. */
export const loadMcpSource = (): Promise<typeof Source> => import("./mcp-source.ts");
