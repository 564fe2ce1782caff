import type { ModelRequestLimits } from "../errors/retry-with-backoff.ts";
import type { TurnDelta } from "../port/model-turn.ts";
import type { PriorTurnsReader } from "./prior-turns.ts";
import type { FailureError } from "../../base/index.ts";

/** Options of a turn request. */
export interface TurnOptions extends ModelRequestLimits {
  /** Receives deltas while the response arrives; without it, the response is requested as a whole. */
  readonly onDelta?: ((delta: TurnDelta) => void) | undefined;
  /** Part of the ids generated for calls without one. Default: the number of responses in the prompt. */
  readonly turn?: string | number | undefined;
  /** Reads the prompt; one that has read earlier prompts of the same conversation reads only new messages. */
  readonly prior?: PriorTurnsReader | undefined;
  /** Maximum silence in the middle of a stream. Default: only the total timeout applies. */
  readonly idleMs?: number | undefined;
}

/** Emits deltas across attempts: deltas of an earlier attempt are revoked before the next one starts. */
export class DeltaEmitter {
  readonly #onDelta: (delta: TurnDelta) => void;
  #emitted = false;

  constructor(onDelta: (delta: TurnDelta) => void) {
    this.#onDelta = onDelta;
  }

  /** Returns the emitter for the next attempt. */
  begin(signal: AbortSignal): (delta: TurnDelta) => void {
    if (this.#emitted) this.#emit({ kind: "restart" });
    this.#emitted = false;
    return (delta) => {
      // A model may ignore its signal; the caller has already stopped.
      if (signal.aborted) return;
      this.#emitted = delta.kind !== "restart";
      this.#emit(delta);
    };
  }

  /** Reports a pause of this length before the service is retried. */
  wait(ms: number, { reason }: FailureError): void {
    this.#emit({ kind: "wait", ms, ...(reason !== undefined && { reason }) });
  }

  #emit(delta: TurnDelta): void {
    try {
      this.#onDelta(delta);
    } catch {
      // A throwing listener neither breaks the response nor causes a retry.
    }
  }
}
