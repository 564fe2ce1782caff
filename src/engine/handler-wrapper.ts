import type { Job } from "./job.ts";

/** The call whose handler is about to run. */
export type WrappedCall = Pick<Job, "callId" | "tool" | "args">;

/**
 * Runs a handler inside a context that the handler and everything it awaits can see, such as the context of a trace.
 * Returns the handler's return value.
 */
export type HandlerWrapper = <T>(call: WrappedCall, handle: () => T) => T;

/** Composes several wrappers into one, the first outermost; undefined if there are none. */
export function composeWrappers(all: readonly HandlerWrapper[]): HandlerWrapper | undefined {
  const [first, ...rest] = all;
  const inner = first === undefined ? undefined : composeWrappers(rest);
  if (first === undefined || inner === undefined) return first;
  return (call, handle) => first(call, () => inner(call, handle));
}
