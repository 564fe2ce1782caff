import { existsSync } from "node:fs";
import { basename, join } from "node:path";

/** The files of a workspace that name servers; what is in the second goes before what is in the first. */
export const configFiles = ["mcp.json", "mcp.local.json"] as const;

/** Is this the path of such a file? */
export function isMcpConfig(path: string): boolean {
  return configFiles.some((name) => name === basename(path));
}

/** Has the workspace a file that names MCP servers? Where not, nothing of them has to be loaded. */
export function hasMcpConfig(dir: string): boolean {
  return configFiles.some((name) => existsSync(join(dir, name)));
}
