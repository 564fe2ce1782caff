import { type Failure, type RetryVerdict, failure, isFailureError } from "../base/index.ts";
import type { Effect } from "../tool/index.ts";

/** Why work was told to stop. */
export type AbortCause = "timeout" | "cancelled";

const longestMessage = 2000;

/** May work with this effect run again after it failed on the way? */
export function verdictOf(effect: Effect): RetryVerdict {
  return effect === "once" ? "unsafe" : "safe";
}

/** What a handler threw, as a failure. Whatever it is, this never throws. */
export function failureOf(thrown: unknown, effect: Effect): Failure {
  if (isFailureError(thrown)) return thrown.toFailure(effect === "pure" ? "never" : verdictOf(effect));
  const message = messageOf(thrown);
  // The same arguments give the same failure: a pure tool that threw throws again, and so does a bug.
  const retry = effect === "pure" || isBug(thrown) ? "never" : verdictOf(effect);
  return failure("execution_error", message, { retry });
}

/** The failure of work that was stopped. */
export function stopped(cause: AbortCause, about: { tool: string; effect: Effect; timeoutMs: number }): Failure {
  const byEffect = verdictOf(about.effect);
  if (cause === "cancelled") return failure("cancelled", `${about.tool} was cancelled`, { byEffect });
  const limit = about.timeoutMs >= 1000 ? `${about.timeoutMs / 1000} s` : `${about.timeoutMs} ms`;
  return failure("timeout", `${about.tool} did not finish within ${limit} and was aborted`, {
    byEffect,
    forModel: `${about.tool} did not finish within ${limit}. Ask for less work in one call, or go on without it.`,
  });
}

function isBug(thrown: unknown): boolean {
  return ["TypeError", "ReferenceError", "RangeError", "SyntaxError"].includes(nameOf(thrown)) && !hasCode(thrown);
}

/** Errors of the system and of fetch carry a code or a cause; those are no bugs of the handler. */
function hasCode(thrown: unknown): boolean {
  return thrown instanceof Error && ("code" in thrown || thrown.cause !== undefined);
}

function nameOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : "";
}

function messageOf(thrown: unknown): string {
  try {
    const text = thrown instanceof Error ? thrown.message || thrown.name : String(thrown);
    return text.length > longestMessage ? `${text.slice(0, longestMessage).toWellFormed()}…` : text;
  } catch {
    return "the handler threw a value that cannot be shown";
  }
}
