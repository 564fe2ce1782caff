import { existsSync } from "node:fs";
import { basename, join } from "node:path";

/** The files of a workspace that name servers; the second takes precedence. */
export const configFiles = ["mcp.json", "mcp.local.json"] as const;

/** True if this is the path of such a file. */
export function isMcpConfig(path: string): boolean {
  return configFiles.some((name) => name === basename(path));
}

/** True if the workspace has a file that names MCP servers. If not, no MCP code has to be loaded. */
export function hasMcpConfig(dir: string): boolean {
  return configFiles.some((name) => existsSync(join(dir, name)));
}
