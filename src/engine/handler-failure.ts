import {
  type Failure,
  type FailureCode,
  FailureError,
  type RetryVerdict,
  failure,
  isFailureError,
} from "../base/index.ts";
import type { Effect } from "../tool/index.ts";
import type { AdmissionRefusal } from "./admission-ticket.ts";
import type { ConcurrencySettings } from "./concurrency.ts";

/** Reason of an abort. */
export type AbortCause = "timeout" | "cancelled";

const maxMessageLength = 2000;

/** Returns whether work with this effect may be retried after it failed midway. */
export function retryVerdictOf(effect: Effect): RetryVerdict {
  return effect === "pure" || effect === "read" || effect === "idempotent" ? "safe" : "unsafe";
}

const propagated = new WeakMap<object, Failure>();
const final = new WeakSet<Failure>();

/**
 * Returns the failure of a nested call as the failure of the outer call, including a pending approval. For composites
 * that only choose what runs.
 *
 * @param how `isFinal` if the outer call is not retried, even if a new call of it may succeed.
 */
export function propagateFailure(failed: Failure, how: { readonly isFinal?: boolean } = {}): FailureError {
  const error = new FailureError(failed.message, { code: failed.code });
  if (how.isFinal === true) final.add(failed);
  propagated.set(error, failed);
  return error;
}

/** True if the call that failed like this is not retried. */
export function isFinalFailure(failed: Failure): boolean {
  return final.has(failed);
}

/** Returns the source location of a thrown error for people; undefined if it is not in their code. */
export type LocateThrow = (thrown: Error) => string | undefined;

/** Converts a value thrown by a handler to a failure. Never throws. */
export function toHandlerFailure(thrown: unknown, effect: Effect, locateThrow?: LocateThrow): Failure {
  try {
    const passed = typeof thrown === "object" && thrown !== null ? propagated.get(thrown) : undefined;
    if (passed !== undefined) return passed;
    // The same arguments give the same failure: a pure tool that threw throws again, and so does a bug.
    const byEffect = effect === "pure" ? "never" : retryVerdictOf(effect);
    if (isFailureError(thrown)) return ofHandler(shortened(thrown.toFailure(byEffect)));
    const thrownAt = thrown instanceof Error ? locateThrow?.(thrown) : undefined;
    return failure("execution_error", thrownMessage(thrown), { retry: isBug(thrown) ? "never" : byEffect, thrownAt });
  } catch {
    return failure("execution_error", thrownMessage(thrown), { retry: retryVerdictOf(effect) });
  }
}

/** Codes that only the engine may report: a handler has no approval, no queue and no other tool behind it. */
const engineOnlyCodes: ReadonlySet<FailureCode> = new Set([
  "tool_not_found",
  "executor_not_found",
  "approval_required",
  "queue_timeout",
  "engine_closed",
]);

function ofHandler(content: Failure): Failure {
  return engineOnlyCodes.has(content.code)
    ? { ...content, code: "execution_error", reason: content.reason ?? content.code }
    : content;
}

/** Failure of work that was aborted. */
export function stoppedFailure(cause: AbortCause, about: { tool: string; effect: Effect; timeoutMs: number }): Failure {
  const byEffect = retryVerdictOf(about.effect);
  if (cause === "cancelled") return failure("cancelled", `${about.tool} was cancelled`, { byEffect });
  const limit = about.timeoutMs >= 1000 ? `${about.timeoutMs / 1000} s` : `${about.timeoutMs} ms`;
  return failure("timeout", `${about.tool} did not finish within ${limit} and was aborted`, {
    byEffect,
    forModel: `${about.tool} did not finish within ${limit}. Request less work in one call, or continue without it.`,
  });
}

/** Failure of a call that got no slot. */
export function refusedFailure(
  why: AdmissionRefusal,
  about: { tool: string; timeoutMs: number | undefined; settings: ConcurrencySettings },
): Failure {
  const { tool, timeoutMs, settings } = about;
  if (why === "queue_timeout")
    return failure("queue_timeout", `${tool} waited ${timeoutMs ?? settings.queueTimeoutMs} ms for a free slot`);
  return settings.strategy === "reject"
    ? failure("rejected", `all ${settings.maxConcurrent} slots are in use, and the queueing strategy is reject`)
    : failure("rejected", `the queue is full (${settings.queueSize} calls are waiting)`);
}

/** Same failure, if the handler did not stop within the grace period. */
export function abandonedFailure(stop: Failure, tool: string, graceMs: number): Failure {
  const left = `${tool} ignored its abort signal for ${graceMs} ms and was abandoned`;
  return { ...stop, reason: "abandoned", message: `${stop.message}; ${left}` };
}

/** Returns the reason for the abort signal of a handler. */
export function abortReason(cause: AbortCause): DOMException {
  return cause === "timeout"
    ? new DOMException("the deadline of this call has passed", "TimeoutError")
    : new DOMException("this call was cancelled", "AbortError");
}

function isBug(thrown: unknown): boolean {
  return ["TypeError", "ReferenceError", "RangeError", "SyntaxError"].includes(thrownName(thrown)) && !hasCode(thrown);
}

/** True for errors of the system and of fetch, which have a code or a cause; those are not bugs of the handler. */
function hasCode(thrown: unknown): boolean {
  return thrown instanceof Error && ("code" in thrown || thrown.cause !== undefined);
}

function thrownName(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : "";
}

/** Returns a message for any thrown value. Never throws. */
export function thrownMessage(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return cut(thrown.message || thrown.name);
    return typeof thrown === "string" && thrown !== "" ? cut(thrown) : `${cut(thrown) || "an empty text"} was thrown`;
  } catch {
    return "a value that cannot be shown was thrown";
  }
}

/** Truncates messages, which go into prompts: a service may respond to an error with a whole page. */
function shortened(failed: Failure): Failure {
  const { message, forModel } = failed;
  if (message.length <= maxMessageLength && forModel.length <= maxMessageLength) return failed;
  return { ...failed, message: cut(message), forModel: cut(forModel) };
}

function cut(content: unknown): string {
  // The message of an error is a string by convention only.
  const text = String(content);
  return text.length > maxMessageLength ? `${text.slice(0, maxMessageLength).toWellFormed()}…` : text;
}
