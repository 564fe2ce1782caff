import { existsSync } from "node:fs";
import { join } from "node:path";

/** The files of a workspace that name servers; what is in the second goes before what is in the first. */
export const configFiles = ["mcp.json", "mcp.local.json"] as const;

/** Has the workspace a file that names MCP servers? Where not, nothing of them has to be loaded. */
export function hasMcpConfig(dir: string): boolean {
  return configFiles.some((name) => existsSync(join(dir, name)));
}
