import type { JournalEvent } from "../store/index.ts";
import type { Outcome } from "./host/host.ts";
import type { RerunPreview } from "./rerun-preview.ts";
import { isUndoKey, outermostStep } from "./run/step-of-key.ts";

/**
 * What of an earlier run holds for a new one: the outcomes of steps that do not run again, but not what became of undoing
 * them. Numbered anew.
 */
export function eventsBefore(preview: RerunPreview, events: readonly JournalEvent[]): JournalEvent[] {
  const kept = new Set(preview.kept);
  const settled = events
    .slice(0, undoingFrom(events))
    .filter(({ kind, key }) => kind === "settled" && kept.has(outermostStep(key)));
  return settled.map((event, index) => ({ ...event, seq: index + 1 }));
}

/** Steps of the outermost chain of whose work some was undone, or may have been, when the run stopped. */
export function undoneSteps(events: readonly JournalEvent[]): ReadonlySet<string> {
  const undone = events.slice(undoingFrom(events)).filter((event) => isUndoKey(event.key) && hasRun(event));
  return new Set(undone.map(({ key }) => outermostStep(key)));
}

/**
 * Where the run began to undo what it had done; the number of the events where it never did. From there on nothing is
 * called but what undoes. What a sub-chain undid before it was tried again is part of the work, and goes before.
 */
function undoingFrom(events: readonly JournalEvent[]): number {
  let from = events.length;
  for (let index = events.length - 1; index >= 0; index--) {
    const event = events[index] as JournalEvent;
    if (!isCall(event)) continue;
    if (!isUndoKey(event.key)) break;
    from = index;
  }
  return from;
}

/** A call that started or ended; not a pause, a question or a cancellation. */
function isCall({ kind, data }: JournalEvent): boolean {
  if (kind !== "settled") return kind === "started";
  const outcome = data as Outcome;
  return outcome.kind === "call" || outcome.kind === "interrupted";
}

/** The tool was called, as far as anybody knows: it was not refused before. */
function hasRun(event: JournalEvent): boolean {
  if (!isCall(event)) return false;
  const outcome = event.data as Outcome;
  return event.kind !== "settled" || outcome.kind !== "call" || outcome.result.success || outcome.effect !== undefined;
}
