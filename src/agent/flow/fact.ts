import { type Flow, call } from "./flow.ts";

/** Under this name a run finds something out. No tool can have it. */
export const factTool = "run:fact";

/**
 * Finds something out by a look at the world, such as which tools there are, and keeps it: whenever the run is told
 * again, it is what it was then. So a flow that decides by it goes the same way, whatever the world has become. The look
 * gives plain JSON, and changes nothing.
 */
export function* fact<T>(key: string, look: () => T): Flow<T> {
  const outcome = yield* call(`${key}#1`, {
    tool: factTool,
    args: look,
    idempotencyKey: key,
  });
  if (outcome.kind === "interrupted" || !outcome.result.success) throw new TypeError(`nothing is known of ${key}`);
  // What `look` gave, now or in an earlier life of the run.
  return outcome.result.output as T;
}
