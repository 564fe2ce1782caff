import type { WritingServices } from "./writing-services.ts";

/** How long a tool may take: as long as it usually does, or as long as its model is given for one answer. */
export function deadlineMs({ model }: WritingServices, usualMs: number): number {
  return Math.max(usualMs, model?.timeoutMs ?? 0);
}
