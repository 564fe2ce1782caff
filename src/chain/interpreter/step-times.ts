import type { ToolResult } from "../../tool/index.ts";
import type { ItemState, StepState } from "./step-state.ts";

/** Times of a step in milliseconds. */
export interface StepTimes {
  /** Time from its start to its end in which it did not wait: calls, and pauses between retries. */
  readonly durationMs: number;
  /** Time in which it waited for slots of the engine or for decisions, and did nothing else. */
  readonly queuedMs: number;
}

/** The times of a step, until `until` if it is still running. */
export function stepTimes(state: StepState, until: number): StepTimes {
  const { startedAt, endedAt, items } = state;
  if (startedAt === 0) return noTime;
  const totalMs = Math.max(0, (endedAt === 0 ? until : endedAt) - startedAt);
  let waitedMs = state.queuedMs ?? 0;
  if (items !== undefined && endedAt > 0) {
    for (const item of items) waitedMs += item.queuedMs ?? 0;
    // Items wait while others work.
    if (waitedMs > 0) waitedMs = Math.min(waitedMs, idleMs(items, startedAt, endedAt));
  }
  const queuedMs = Math.min(waitedMs, totalMs);
  return { durationMs: totalMs - queuedMs, queuedMs };
}

const noTime: StepTimes = { durationMs: 0, queuedMs: 0 };

/** Clock readings are rounded to a millisecond: shorter gaps and overlaps may not have happened. */
const precisionMs = 1;

/** Adds the result of a call to the times of its step, or of its item. */
export function addCallTimes(state: StepState, item: number | undefined, result: ToolResult): void {
  const { durationMs, executedAt, queuedMs = 0 } = result;
  state.workMs += durationMs;
  if (item !== undefined) beginWork(state, item, executedAt + queuedMs);
  if (queuedMs > 0) addQueued(state, item, queuedMs);
}

/** Records the start of the work of an item, unless it has worked before. */
export function beginWork({ items }: StepState, item: number, at: number): void {
  const times = items?.[item];
  if (times !== undefined) times.workedFrom ??= at;
}

/** Adds time in which a step, or one of its items, waited. */
export function addQueued(state: StepState, item: number | undefined, queuedMs: number): void {
  const times = item === undefined ? state : state.items?.[item];
  if (times !== undefined) times.queuedMs = (times.queuedMs ?? 0) + queuedMs;
}

/** Largest number of items that were worked on at the same time; undefined if none was. */
export function itemsAtOnce({ items }: StepState): number | undefined {
  const worked = items?.filter(hasWorked) ?? [];
  if (worked.length === 0) return undefined;
  const starts = Float64Array.from(worked, ({ workedFrom }) => workedFrom).sort();
  const ends = Float64Array.from(worked, ({ endedAt }) => endedAt).sort();
  let peak = 1;
  let ended = 0;
  starts.forEach((from, started) => {
    while ((ends[ended] ?? Infinity) - from < precisionMs) ended++;
    peak = Math.max(peak, started + 1 - ended);
  });
  return peak;
}

/** Time between start and end in which no item was worked on. */
function idleMs(items: readonly ItemState[], startedAt: number, endedAt: number): number {
  let idle = 0;
  let reached = startedAt;
  const worked = items.filter(hasWorked).sort((a, b) => a.workedFrom - b.workedFrom);
  for (const { workedFrom: from, endedAt: to } of worked) {
    if (from - reached > precisionMs) idle += from - reached;
    reached = Math.max(reached, to);
  }
  if (reached === startedAt) return endedAt - startedAt;
  return endedAt - reached > precisionMs ? idle + endedAt - reached : idle;
}

type WorkedItem = ItemState & { readonly workedFrom: number; readonly endedAt: number };

function hasWorked(item: ItemState): item is WorkedItem {
  return item.workedFrom !== undefined && item.endedAt !== undefined;
}
