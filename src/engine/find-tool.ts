import { type AnyTool, type Registration, isTool } from "../tool/index.ts";
import type { Resolver } from "./engine-core.ts";

/** The registration behind a name or a tool, if there is one. */
export function findTool(target: string | AnyTool, resolver: Resolver): Registration | undefined {
  if (typeof target === "string") return resolver.resolve(target);
  if (!isTool(target)) return undefined;
  const known = resolver.resolve(target.name);
  // A registered tool that is called by reference keeps its source, which rules and records use.
  if (known?.tool === target) return known;
  return resolver.registrationOf?.(target) ?? { tool: target, source: "tools", owner: "call", priority: 0 };
}

/** Returns the name of a call's target before it is resolved. */
export function targetName(target: unknown): string {
  if (typeof target === "string") return target;
  try {
    return isTool(target) ? target.name : "";
  } catch {
    return "";
  }
}
