import { type McpToolServer, serveMcp } from "../adapters/index.ts";
import { nameGlob, windlassVersion } from "../base/index.ts";
import { readResultName, viewResult } from "../hub/index.ts";
import { type Registration, builtinOwner, isWorkspaceTool } from "../tool/index.ts";
import type { Workspace } from "./workspace.ts";

/** Options of {@link serveTools}. */
export interface ServeToolsOptions {
  /** Names of the tools to offer; `*` stands for any part. Default: those of the settings, or the workspace's own. */
  readonly tools?: readonly string[];
  /** Receives protocol errors. */
  readonly log?: (message: string) => void;
}

/** Maximum characters of a result in one response; the rest is read with `read_result`. */
const maxViewChars = 100_000;

/** Serves the tools and chains of a workspace to MCP clients. */
export function serveTools(workspace: Workspace, { tools, log }: ServeToolsOptions = {}): Promise<McpToolServer> {
  const { engine, config, approvals, resultStore, sources } = workspace;
  const globs = tools ?? config.mcp.serve;
  return serveMcp({
    engine,
    tools: () => servedTools(workspace, globs),
    ...(config.mcp.approvals === "client" && { approvals }),
    ready: async () => sources.mcp?.prepare(),
    name: "windlass",
    version: windlassVersion(),
    redact: (result) => resultStore.redact(result),
    view: (result, owner) => viewResult(result, { maxChars: maxViewChars, resultStore, owner }),
    ...(log !== undefined && { log }),
  });
}

/** Reads the rest of a result that one response does not hold; offered together with any other tool. */
const always: ReadonlySet<string> = new Set([readResultName]);

/**
 * The tools and chains that clients are offered: those that were chosen, or the workspace's own; without any, the
 * built-in ones.
 */
function servedTools({ engine }: Workspace, globs: readonly string[] | undefined): readonly Registration[] {
  const all = engine.tools.list();
  const isBasic = ({ tool, owner }: Registration): boolean => owner === builtinOwner && always.has(tool.name);
  if (globs !== undefined) return all.filter((one) => isBasic(one) || isServed(one, globs));
  const own = all.filter(isWorkspaceTool);
  if (own.length === 0) return all.filter(({ owner }) => owner === builtinOwner);
  return all.filter((one) => isWorkspaceTool(one) || isBasic(one));
}

/** True if a tool is chosen by its name, or by an alias that is not a server's choice. */
export function isServed({ tool, source }: Registration, globs: readonly string[]): boolean {
  const names = source === "mcps" ? [tool.name] : [tool.name, ...tool.aliases];
  return globs.some((glob) => names.some(nameGlob(glob)));
}
