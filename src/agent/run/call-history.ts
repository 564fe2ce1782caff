import type { Effect, ToolResult, ToolSuccess } from "../../tool/index.ts";

/** A call that was made, or refused by the engine. */
export interface PastCall {
  readonly callId: string;
  readonly result: ToolResult;
  readonly effect: Effect;
  /** Its handler ran, or may have. */
  readonly ran: boolean;
}

interface PastCallEntry extends PastCall {
  /** Number of writes made before. */
  readonly writes: number;
}

/** The call that makes another one redundant. */
export interface DuplicateCall extends Pick<PastCall, "result"> {
  /** It is unknown whether it did its work. */
  readonly inDoubt: boolean;
  /** The model can no longer read its result. */
  readonly isGone: boolean;
}

/** Calls of a run, so that a model which repeats a call causes no second effect. */
export class CallHistory {
  readonly #calls = new Map<string, PastCallEntry>();
  /** Ids of calls whose results are no longer in the conversation. */
  readonly #gone = new Set<string>();
  #writes = 0;

  /**
   * Returns the call that makes another one redundant: a call that may run only once, if it did or may have done its
   * work; or any other call that succeeded, or failed in a way that a retry would not fix, if nothing was written
   * since.
   */
  find(key: string): DuplicateCall | undefined {
    const made = this.#calls.get(key);
    if (made === undefined || !(stands(made) || (isSettled(made) && made.writes === this.#writes))) return undefined;
    const { callId, result } = made;
    return { result, inDoubt: isOutcomeUnknown(made), isGone: this.#gone.has(callId) };
  }

  add(key: string, made: PastCall): void {
    const { callId, effect, result, ran } = made;
    const isWrite = effect === "idempotent" || effect === "once";
    // A failed call may have written nevertheless.
    if (isWrite && (result.success || ran)) this.#writes++;
    this.#calls.set(key, { callId, effect, result, ran, writes: this.#writes });
  }

  /** Successful results, in their order. */
  get successfulResults(): readonly ToolSuccess[] {
    return [...this.#calls.values()].flatMap(({ result }) => (result.success ? [result] : []));
  }

  /** Marks the result of this call as removed from the conversation. */
  forgetResult(callId: string): void {
    this.#gone.add(callId);
  }

  /** Records that the result of a call was repeated for this one. */
  repeated(key: string, callId: string): void {
    const made = this.#calls.get(key);
    if (made !== undefined) this.#calls.set(key, { ...made, callId });
  }
}

/** True if a call failed and may have done its work before. */
export function isOutcomeUnknown({ result, effect }: Pick<PastCall, "result" | "effect">): boolean {
  return effect === "once" && !result.success && result.error.retry === "unsafe";
}

/**
 * True if later writes do not invalidate the call: a pure call, a call that may run only once, or a person's decision.
 */
function stands(made: PastCall): boolean {
  const { result, effect, ran } = made;
  if (isOutcomeUnknown(made)) return true;
  if (!isSettled(made)) return false;
  const isDecided =
    !result.success && (result.error.code === "permission_denied" || result.error.code === "interrupted");
  return isDecided || effect === "pure" || (effect === "once" && (result.success || ran));
}

/** True if a retry would have the same outcome. */
function isSettled({ result }: PastCall): boolean {
  return result.success || result.error.retry === "never";
}
