import {
  type Failure,
  type FailureCode,
  FailureError,
  type RetryVerdict,
  failure,
  isFailureError,
} from "../base/index.ts";
import type { Effect } from "../tool/index.ts";

/** Why work was told to stop. */
export type AbortCause = "timeout" | "cancelled";

const longestMessage = 2000;

/** May work with this effect run again after it failed on the way? */
export function verdictOf(effect: Effect): RetryVerdict {
  return effect === "pure" || effect === "read" || effect === "idempotent" ? "safe" : "unsafe";
}

const passedOn = new WeakMap<object, Failure>();

/**
 * The failure of a nested call as that of the call around it, whatever it says: that a person has to approve it, too.
 * For composites that only choose what runs.
 */
export function passOn(failed: Failure): FailureError {
  const error = new FailureError(failed.message, { code: failed.code });
  passedOn.set(error, failed);
  return error;
}

/** Where an error was thrown, as people find it; undefined where it is none of theirs. */
export type PlaceOf = (thrown: Error) => string | undefined;

/** What a handler threw, as a failure. Whatever it is, this never throws. */
export function failureOf(thrown: unknown, effect: Effect, placeOf?: PlaceOf): Failure {
  try {
    const passed = typeof thrown === "object" && thrown !== null ? passedOn.get(thrown) : undefined;
    if (passed !== undefined) return passed;
    // The same arguments give the same failure: a pure tool that threw throws again, and so does a bug.
    const byEffect = effect === "pure" ? "never" : verdictOf(effect);
    if (isFailureError(thrown)) return ofHandler(shortened(thrown.toFailure(byEffect)));
    const thrownAt = thrown instanceof Error ? placeOf?.(thrown) : undefined;
    return failure("execution_error", messageOf(thrown), { retry: isBug(thrown) ? "never" : byEffect, thrownAt });
  } catch {
    return failure("execution_error", messageOf(thrown), { retry: verdictOf(effect) });
  }
}

/** What only the engine can say, a handler cannot: there is no approval, no queue and no other tool behind it. */
const enginesOwn: ReadonlySet<FailureCode> = new Set([
  "tool_not_found",
  "executor_not_found",
  "approval_required",
  "queue_timeout",
  "engine_closed",
]);

function ofHandler(said: Failure): Failure {
  return enginesOwn.has(said.code) ? { ...said, code: "execution_error", reason: said.reason ?? said.code } : said;
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

/** The same, where its handler did not stop within the grace period. */
export function leftBehind(stop: Failure, tool: string, graceMs: number): Failure {
  const left = `${tool} ignored its abort signal for ${graceMs} ms and was left behind`;
  return { ...stop, reason: "abandoned", message: `${stop.message}; ${left}` };
}

/** What the abort signal of a handler says. */
export function abortReason(cause: AbortCause): DOMException {
  return cause === "timeout"
    ? new DOMException("the deadline of this call has passed", "TimeoutError")
    : new DOMException("this call was cancelled", "AbortError");
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

/** What someone threw, in words. Whatever it is, this never throws. */
export function messageOf(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return cut(thrown.message || thrown.name);
    return typeof thrown === "string" && thrown !== "" ? cut(thrown) : `${cut(thrown) || "an empty text"} was thrown`;
  } catch {
    return "a value that cannot be shown was thrown";
  }
}

/** Messages go into prompts; a service that answers an error with a whole page must not. */
function shortened(failed: Failure): Failure {
  const { message, forModel } = failed;
  if (message.length <= longestMessage && forModel.length <= longestMessage) return failed;
  return { ...failed, message: cut(message), forModel: cut(forModel) };
}

function cut(said: unknown): string {
  // The message of an error is text by convention only.
  const text = String(said);
  return text.length > longestMessage ? `${text.slice(0, longestMessage).toWellFormed()}…` : text;
}
