import type { ToolResult } from "../../tool/index.ts";
import type { Outcome } from "./host.ts";

/** A journal holds JSON, and no step can see more than the output: images and files end here. */
export function journalable(result: ToolResult): ToolResult {
  if (!result.success || result.attachments === undefined) return result;
  const { attachments: _, ...rest } = result;
  return rest;
}

/** May be told before it is durable: lost in a crash, it simply happens again. */
export function changesNothing(outcome: Outcome): boolean {
  if (outcome.kind === "call") return outcome.effect !== "once" && outcome.effect !== "idempotent";
  return outcome.kind === "fired";
}
