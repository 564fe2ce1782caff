import type { WritingServices } from "./writing-services.ts";

/** Returns the timeout of a tool: its default, or the model's timeout for one response. */
export function deadlineMs({ model }: WritingServices, defaultMs: number): number {
  return Math.max(defaultMs, model?.timeoutMs ?? 0);
}
