/** What connects to MCP servers. Loaded when one of them is used: most processes use none. */
export const loadMcpClient = (): Promise<typeof import("./client/connector.ts")> => import("./client/connector.ts");
