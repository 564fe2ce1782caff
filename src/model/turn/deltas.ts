import type { FailureError } from "../../base/index.ts";
import type { TurnDelta } from "./model-turn.ts";

/** Tells of pieces, attempt after attempt: what an earlier one told is taken back before the next begins. */
export class Deltas {
  readonly #onDelta: (delta: TurnDelta) => void;
  #told = false;

  constructor(onDelta: (delta: TurnDelta) => void) {
    this.#onDelta = onDelta;
  }

  /** Where the next attempt tells of its pieces. */
  begin(signal: AbortSignal): (delta: TurnDelta) => void {
    if (this.#told) this.#tell({ kind: "restart" });
    this.#told = false;
    return (delta) => {
      // A model may ignore its signal; who asked is gone.
      if (signal.aborted) return;
      this.#told = delta.kind !== "restart";
      this.#tell(delta);
    };
  }

  /** Nothing comes for so long: then the service is asked again. */
  wait(ms: number, { reason }: FailureError): void {
    this.#tell({ kind: "wait", ms, ...(reason !== undefined && { reason }) });
  }

  #tell(delta: TurnDelta): void {
    try {
      this.#onDelta(delta);
    } catch {
      // Who listens badly does not break the answer, nor makes the model be asked again.
    }
  }
}
