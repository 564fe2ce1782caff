import type { Effect, ToolResult, ToolSuccess } from "../../tool/index.ts";

/** A call that was made, or refused by whoever makes calls. */
export interface Made {
  readonly callId: string;
  readonly result: ToolResult;
  readonly effect: Effect;
  /** Its handler ran, or may have. */
  readonly ran: boolean;
}

interface Kept extends Made {
  /** How many calls that write had been made by then. */
  readonly writes: number;
}

/** The call that makes another one needless. */
export interface KnownCall extends Pick<Made, "result"> {
  /** Nobody knows whether it did its work. */
  readonly inDoubt: boolean;
  /** The model can no longer read its result. */
  readonly isGone: boolean;
}

/** What a run has called, so that a model which asks for the same again gets no second effect. */
export class MadeCalls {
  readonly #made = new Map<string, Kept>();
  /** Ids of calls whose results left the conversation. */
  readonly #gone = new Set<string>();
  #writes = 0;

  /**
   * The call that makes another one needless: one that may run once only, if it did or may have done its work; and any
   * other that went well, or failed in a way that another attempt would not mend, as long as nothing was written since.
   */
  find(key: string): KnownCall | undefined {
    const made = this.#made.get(key);
    if (made === undefined || !(stands(made) || (isSettled(made) && made.writes === this.#writes))) return undefined;
    const { callId, result } = made;
    return { result, inDoubt: isInDoubt(made), isGone: this.#gone.has(callId) };
  }

  add(key: string, made: Made): void {
    const { callId, effect, result, ran } = made;
    const isWrite = effect === "idempotent" || effect === "once";
    // One that failed may have written all the same.
    if (isWrite && (result.success || ran)) this.#writes++;
    this.#made.set(key, { callId, effect, result, ran, writes: this.#writes });
  }

  /** What went well, in its order. */
  get given(): readonly ToolSuccess[] {
    return [...this.#made.values()].flatMap(({ result }) => (result.success ? [result] : []));
  }

  /** The result of this call left the conversation. */
  forgetResult(callId: string): void {
    this.#gone.add(callId);
  }

  /** The result of a call was given again, to this one. */
  repeated(key: string, callId: string): void {
    const made = this.#made.get(key);
    if (made !== undefined) this.#made.set(key, { ...made, callId });
  }
}

/** Did a call fail, and may have done its work before? */
export function isInDoubt({ result, effect }: Pick<Made, "result" | "effect">): boolean {
  return effect === "once" && !result.success && result.error.retry === "unsafe";
}

/** Whatever happens elsewhere, it counts: what is pure, what may run once only, and what people decided. */
function stands(made: Made): boolean {
  const { result, effect, ran } = made;
  if (isInDoubt(made)) return true;
  if (!isSettled(made)) return false;
  const isDecided =
    !result.success && (result.error.code === "permission_denied" || result.error.code === "interrupted");
  return isDecided || effect === "pure" || (effect === "once" && (result.success || ran));
}

/** Another attempt would come to the same. */
function isSettled({ result }: Made): boolean {
  return result.success || result.error.retry === "never";
}
