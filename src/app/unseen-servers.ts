import type { McpServerState, McpSource } from "../hub/index.ts";

const unseen: ReadonlySet<McpServerState> = new Set(["unknown", "connecting", "down"]);

/** The MCP servers that could be connected to and never were, so that nobody knows their tools. */
export function unseenServers(mcp: McpSource | undefined): readonly string[] {
  const found = mcp?.status().filter(({ state, seenAt }) => seenAt === undefined && unseen.has(state)) ?? [];
  return found.map(({ name }) => name);
}

/** Whose tools are listed: what is not among them, they do not have. */
const listed: ReadonlySet<McpServerState> = new Set(["connected", "known"]);

/** May a server of the workspace have a tool of this name, though it lists none now: not seen yet, disabled, or not to be used? */
export function mayBeOfServer(mcp: McpSource | undefined, tool: string): boolean {
  const server = mcp?.status().find(({ name }) => tool.startsWith(`${name}/`));
  if (server !== undefined && !listed.has(server.state)) return true;
  return whyMissing(mcp, tool) !== undefined;
}

/** More are counted, not named. */
const mostNamed = 5;

/** Which servers may have a tool that there is not, because they were never connected to; undefined where none may. */
export function whyMissing(mcp: McpSource | undefined, tool: string): string | undefined {
  const servers = unseenServers(mcp);
  const slash = tool.indexOf("/");
  const possible = slash === -1 ? servers : servers.filter((name) => name === tool.slice(0, slash));
  if (possible.length === 0) return undefined;
  const more = possible.length > mostNamed ? ` and ${possible.length - mostNamed} more` : "";
  const [who, may] = possible.length === 1 ? ["server", "was"] : ["servers", "were"];
  const named = `${possible.slice(0, mostNamed).join(", ")}${more}`;
  return `the MCP ${who} ${named} ${may} never connected to (\`windlass mcp list --connect\`)`;
}
