import { type AnyTool, type Registration, isTool } from "../tool/index.ts";
import type { Resolver } from "./core.ts";

/** The registration behind a name or a tool, if there is one. */
export function findTool(target: string | AnyTool, resolver: Resolver): Registration | undefined {
  if (typeof target === "string") return resolver.resolve(target);
  if (!isTool(target)) return undefined;
  const known = resolver.resolve(target.name);
  // Called by reference, a registered tool keeps its source: rules and records go by it.
  if (known?.tool === target) return known;
  return resolver.registrationOf?.(target) ?? { tool: target, source: "tools", owner: "call", priority: 0 };
}

/** The name of whatever was called, before it is found. */
export function nameOf(target: unknown): string {
  if (typeof target === "string") return target;
  try {
    return isTool(target) ? target.name : "";
  } catch {
    return "";
  }
}
