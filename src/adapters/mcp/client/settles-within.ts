import type { Clock } from "../../../base/index.ts";

/** True if the promise settles within this time. */
export async function settlesWithin(event: Promise<unknown>, ms: number, clock: Clock): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = clock.after(ms, () => late.resolve(false));
  try {
    return await Promise.race([event.then(() => true), late.promise]);
  } finally {
    timer.cancel();
  }
}
