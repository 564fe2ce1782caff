import type * as Client from "./client/connector.ts";

/** What connects to MCP servers. Loaded when one of them is used: most processes use none. */
export const loadMcpClient = (): Promise<typeof Client> => import("./client/connector.ts");
