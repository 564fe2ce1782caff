import type { Workspace } from "../app/index.ts";
import type { AnyTool, Registration } from "../tool/index.ts";

/** A tool as it is written for programs. */
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
    effect: effectOf(tool),
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

/** The effect in one word; `varies` where the arguments decide. */
export function effectOf({ effect }: AnyTool): string {
  return typeof effect === "function" ? "varies" : effect;
}

/** Whether it is destructive; `varies` where the arguments decide. */
export function destructiveOf({ destructive }: AnyTool): boolean | "varies" {
  return typeof destructive === "function" ? "varies" : destructive;
}
