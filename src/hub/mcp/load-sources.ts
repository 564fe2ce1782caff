import type * as Skills from "../skills/index.ts";
import type * as Config from "./read-mcp-config.ts";
import type * as Source from "./mcp-source.ts";

/** Loads the code that reads and validates skills, on demand: most workspaces have none. */
export const loadSkills = (): Promise<typeof Skills> => import("../skills/index.ts");

/** Loads the code that manages the MCP servers of a workspace, if there are any. */
export const loadMcpSource = (): Promise<typeof Source> => import("./mcp-source.ts");

/** Loads the code that reads the files which name MCP servers, if there are any. */
export const loadMcpConfig = (): Promise<typeof Config> => import("./read-mcp-config.ts");
