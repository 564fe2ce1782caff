import type { Job } from "./job.ts";

/** The call whose handler is about to run. */
export type HandledCall = Pick<Job, "callId" | "tool" | "args">;

/**
 * Runs a handler inside of something that it sees, and all that it awaits, such as the context of a trace. Gives back
 * what the handler gives.
 */
export type Surround = <T>(call: HandledCall, handle: () => T) => T;

/** Several as one, the first of them outermost; undefined where there are none. */
export function surroundAll(all: readonly Surround[]): Surround | undefined {
  const [first, ...rest] = all;
  const inner = first === undefined ? undefined : surroundAll(rest);
  if (first === undefined || inner === undefined) return first;
  return (call, handle) => first(call, () => inner(call, handle));
}
