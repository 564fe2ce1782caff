import { stripUnsafe } from "../../text/index.ts";
import { toolNameProblem } from "../../tool/index.ts";
import { nameGlob } from "../../base/index.ts";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";

/** Prefixes before the `/` of a name that are not names of servers. */
const reserved: ReadonlySet<string> = new Set(["tools", "skills", "mcps", "chains", "capability"]);

/**
 * Names of meta tools, which give access to skills, results, tools and servers. They exist only if there is something
 * to access, and a tool of a server must not take their name.
 */
const metaToolNames: ReadonlySet<string> = new Set(["skill", "skill_read", "read_result", "find_tools"]);

/** True if a tool of a server may use this short name. */
export function canBeShortName(name: string): boolean {
  return !metaToolNames.has(name) && !name.startsWith("mcp_");
}

/** A name with `_` for everything that the name of a tool cannot hold. */
export function sanitizeName(name: string): string {
  const clean = stripUnsafe(name)
    .normalize("NFKC")
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replaceAll(/[^\p{L}\p{M}\p{N}_.-]/gu, "_");
  return /^[\p{L}_]/u.test(clean) ? clean : `_${clean}`;
}

/** Why a server cannot have this name, which is clean. */
export function serverNameProblem(name: string): string | undefined {
  if (reserved.has(name.toLowerCase())) return `the name "${name}" is reserved for a source of tools`;
  return name.length > 64 ? "the name of a server may have at most 64 characters" : toolNameProblem(name);
}

/** The name under which a tool of a server is registered, and its short name; undefined if it has no valid name. */
export function toolNames(server: string, tool: string): { readonly full: string; readonly short: string } | undefined {
  const short = sanitizeName(tool);
  const full = `${server}/${short.replace(/^_(?=\p{N})/u, "")}`;
  return toolNameProblem(full) === undefined ? { full, short } : undefined;
}

/** Looks up a name in a table of names and globs: the name itself first, then the first matching glob. */
export function matchByName<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  if (Object.hasOwn(table, name)) return table[name];
  return Object.entries(table).find(([glob]) => glob.includes("*") && nameGlob(glob)(name))?.[1];
}

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
