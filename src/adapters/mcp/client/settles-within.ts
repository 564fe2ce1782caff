import type { Clock } from "../../../base/index.ts";

/** Did it happen within this time? */
export async function within(event: Promise<unknown>, ms: number, clock: Clock): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = clock.after(ms, () => late.resolve(false));
  try {
    return await Promise.race([event.then(() => true), late.promise]);
  } finally {
    timer.cancel();
  }
}
