import type { Workspace } from "../../app/index.ts";
import { type AnyTool, type Registration, effectLabel } from "../../tool/index.ts";

/** A tool in JSON output. */
export function toWireTool({ tool, source }: Registration, workspace: Workspace): Record<string, unknown> {
  const file = workspace.sources.fileOf(tool.name);
  return {
    name: tool.name,
    display_name: tool.displayName,
    version: tool.version,
    description: tool.description,
    category: tool.category,
    tags: tool.tags,
    aliases: tool.aliases,
    capabilities: tool.capabilities,
    effect: effectLabel(tool),
    destructive: destructiveOf(tool),
    ...(typeof tool.timeoutMs === "number" && { timeout_ms: tool.timeoutMs }),
    ...(tool.cache !== undefined && { cache_ms: tool.cache.ttlMs }),
    status: tool.status,
    gated: tool.gated,
    composite: tool.composite,
    source,
    ...(file !== undefined && { file }),
    ...(tool.broken !== undefined && { broken: tool.broken.message }),
  };
}

/** True if the tool is destructive; `varies` if it depends on the arguments. */
export function destructiveOf({ destructive }: AnyTool): boolean | "varies" {
  return typeof destructive === "function" ? "varies" : destructive;
}
