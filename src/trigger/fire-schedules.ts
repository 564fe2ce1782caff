import { type Clock, LruMap } from "../base/index.ts";
import { Schedule, type Trigger, isSchedule } from "../chain/index.ts";
import type { TriggerState, TriggerStore } from "../store/index.ts";
import { firingOf, timeKey } from "./read-event.ts";

/** Times that `missed: all` makes up for; older ones are dropped. */
export const maxMissed = 100;

/** A time that passed earlier was missed: the server was down or busy. */
const punctualMs = 60_000;

/** A clock that is back by more than this was ahead before. */
const backwardsMs = 60_000;

const schedules = new LruMap<Schedule>({ maxEntries: 1_000 });

/** The compiled schedule of a trigger, which has been checked. */
export function scheduleOf({ expression, timezone }: Trigger): Schedule | undefined {
  const key = JSON.stringify([expression, timezone]);
  const known = schedules.get(key);
  if (known !== undefined) return known;
  const parsed = Schedule.parse(expression, timezone);
  if (!isSchedule(parsed)) return undefined;
  schedules.set(key, parsed);
  return parsed;
}

/** Stores the firings of a schedule that are due. True if there are any. */
export async function fireSchedule(
  trigger: Trigger,
  state: TriggerState,
  { store, clock }: { readonly store: TriggerStore; readonly clock: Pick<Clock, "now"> },
): Promise<boolean> {
  const { cursor } = state;
  const now = clock.now();
  if (now < cursor - backwardsMs) {
    // Times that fired while the clock was ahead are known by their keys, and do not fire again.
    await store.advance(trigger.id, { from: cursor, to: now, firings: [] });
    return false;
  }
  const times = scheduleOf(trigger)?.between(cursor, now, trigger.missed === "all" ? maxMissed : 1) ?? [];
  const last = times.at(-1);
  if (last === undefined) return false;
  const due = trigger.missed === "none" && now - last > punctualMs ? [] : times;
  const firings = due.map((at) => firingOf(trigger, { key: timeKey(at), at, event: {} }));
  return (await store.advance(trigger.id, { from: cursor, to: last, firings })) && firings.length > 0;
}
