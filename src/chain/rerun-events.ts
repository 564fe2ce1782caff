import type { JournalEvent } from "../store/index.ts";
import type { HostOutcome } from "../run/index.ts";
import type { RerunPreview } from "./rerun-preview.ts";
import { isCompensationKey, outermostStep } from "./interpreter/parse-step-key.ts";

/**
 * Events of an earlier run that a new one reuses: the outcomes of steps that do not run again, without those of their
 * compensations. Renumbered.
 */
export function reusableEvents(preview: RerunPreview, events: readonly JournalEvent[]): JournalEvent[] {
  const reused = new Set(preview.reused);
  const settled = events
    .slice(0, undoingFrom(events))
    .filter(({ kind, key }) => kind === "settled" && reused.has(outermostStep(key)));
  return settled.map((event, index) => ({ ...event, seq: index + 1 }));
}

/** Steps of the outermost chain that were compensated completely or in part, or may have been, when the run stopped. */
export function compensatedSteps(events: readonly JournalEvent[]): ReadonlySet<string> {
  const undone = events.slice(undoingFrom(events)).filter((event) => isCompensationKey(event.key) && hasRun(event));
  return new Set(undone.map(({ key }) => outermostStep(key)));
}

/**
 * Index at which the run began to compensate; the number of events if it never did. After it, only compensations are
 * called. Compensations of a sub-chain before its retry are part of the work, and come before.
 */
function undoingFrom(events: readonly JournalEvent[]): number {
  let from = events.length;
  for (let index = events.length - 1; index >= 0; index--) {
    const event = events[index] as JournalEvent;
    if (!isCall(event)) continue;
    if (!isCompensationKey(event.key)) break;
    from = index;
  }
  return from;
}

/** A call that started or ended; not a pause, an approval or a cancellation. */
function isCall({ kind, data }: JournalEvent): boolean {
  if (kind !== "settled") return kind === "started";
  const outcome = data as HostOutcome;
  return outcome.kind === "call" || outcome.kind === "interrupted";
}

/** The tool was called as far as the journal shows: it was not denied before. */
function hasRun(event: JournalEvent): boolean {
  if (!isCall(event)) return false;
  const outcome = event.data as HostOutcome;
  return event.kind !== "settled" || outcome.kind !== "call" || outcome.result.success || outcome.effect !== undefined;
}
