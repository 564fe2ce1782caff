import type { JournalEvent } from "../store/index.ts";
import type { RerunPreview } from "./rerun-preview.ts";

/**
 * What of an earlier run holds for a new one: the outcomes of steps that do not run again. Numbered anew.
 */
export function eventsBefore(preview: RerunPreview, events: readonly JournalEvent[]): JournalEvent[] {
  const kept = new Set(preview.kept);
  const settled = events.filter(({ kind, key }) => kind === "settled" && kept.has(stepOf(key)));
  return settled.map((event, index) => ({ ...event, seq: index + 1 }));
}

/** The step of the outermost chain that a key belongs to; none for what concerns the whole run. */
function stepOf(key: string): string {
  return /^[\w-]+/.exec(key)?.[0] ?? "";
}
