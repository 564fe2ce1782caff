import { stripUnsafe } from "../../text/index.ts";
import { toolNameProblem } from "../../tool/index.ts";

/** What stands before the `/` of names that are no names of servers. */
const reserved: ReadonlySet<string> = new Set(["tools", "skills", "mcps", "chains", "capability"]);

/**
 * Names of tools that are doors to the rest: to skills, results, tools and servers. They are there only where there is
 * something behind them, and a server must not stand there instead.
 */
const doors: ReadonlySet<string> = new Set(["skill", "skill_read", "read_result", "find_tools"]);

/** May a tool of a server go by this short name? */
export function mayBeShort(name: string): boolean {
  return !doors.has(name) && !name.startsWith("mcp_");
}

/** A name with `_` for everything that the name of a tool cannot hold. */
export function cleanName(name: string): string {
  const clean = stripUnsafe(name)
    .normalize("NFC")
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replaceAll(/[^\p{L}\p{M}\p{N}_.-]/gu, "_");
  return /^[\p{L}_]/u.test(clean) ? clean : `_${clean}`;
}

/** Why a server cannot have this name, which is clean. */
export function serverNameProblem(name: string): string | undefined {
  if (reserved.has(name.toLowerCase())) return `the name "${name}" stands for a source of tools`;
  return name.length > 64 ? "the name of a server may have at most 64 characters" : toolNameProblem(name);
}

/** The name under which a tool of a server is registered, and its short name; undefined where neither can be. */
export function toolNames(server: string, tool: string): { readonly full: string; readonly short: string } | undefined {
  const short = cleanName(tool);
  const full = `${server}/${short.replace(/^_(?=\p{N})/u, "")}`;
  return toolNameProblem(full) === undefined ? { full, short } : undefined;
}
