import { setImmediate as nextTurn } from "node:timers/promises";
import { type Clock, systemClock } from "../../base/index.ts";

/** Longer than this nobody else waits. */
const everyMs = 10;

/**
 * For long work on one thread: asked every now and then, it gives others their turn once some milliseconds are over, and
 * nothing to wait for until then.
 */
export function breathing(clock: Pick<Clock, "elapsed"> = systemClock): () => Promise<void> | undefined {
  let since = clock.elapsed();
  return () => {
    if (clock.elapsed() - since < everyMs) return undefined;
    return nextTurn().then(() => {
      since = clock.elapsed();
    });
  };
}
