import { cliCommand } from "../base/index.ts";
import type { McpServerState, McpSource } from "../hub/index.ts";

const notConnectedStates: ReadonlySet<McpServerState> = new Set(["unknown", "connecting", "down"]);

/** The MCP servers that are usable but were never connected, so that their tools are unknown. */
export function neverConnectedServers(mcp: McpSource | undefined): readonly string[] {
  const found =
    mcp?.status().filter(({ state, seenAt }) => seenAt === undefined && notConnectedStates.has(state)) ?? [];
  return found.map(({ name }) => name);
}

/** States in which the list of tools is known to be complete. */
const listed: ReadonlySet<McpServerState> = new Set(["connected", "known"]);

/**
 * True if a server of the workspace may have a tool of this name without listing it now: not connected yet, disabled or
 * unusable.
 */
export function mayBelongToServer(mcp: McpSource | undefined, tool: string): boolean {
  const server = mcp?.status().find(({ name }) => tool.startsWith(`${name}/`));
  if (server !== undefined && !listed.has(server.state)) return true;
  return explainMissingTool(mcp, tool) !== undefined;
}

/** More are counted, not named. */
const maxListed = 5;

/** Names servers that may have a missing tool because they were never connected; undefined if there are none. */
export function explainMissingTool(mcp: McpSource | undefined, tool: string): string | undefined {
  const servers = neverConnectedServers(mcp);
  const slash = tool.indexOf("/");
  const possible = slash === -1 ? servers : servers.filter((name) => name === tool.slice(0, slash));
  if (possible.length === 0) return undefined;
  const more = possible.length > maxListed ? ` and ${possible.length - maxListed} more` : "";
  const [noun, may] = possible.length === 1 ? ["server", "was"] : ["servers", "were"];
  const named = `${possible.slice(0, maxListed).join(", ")}${more}`;
  return `the MCP ${noun} ${named} ${may} never connected to (\`${cliCommand("mcp list --connect")}\`)`;
}
