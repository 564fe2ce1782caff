import { failure } from "../../base/index.ts";
import { missing } from "../../expr/index.ts";
import type { Outcome } from "../host/host.ts";
import type { Frame } from "./frame.ts";
import { expressionFailure } from "./expression-failure.ts";
import type { Pending } from "./run.ts";
import type { StepState } from "./step-state.ts";

/** A step that was done and can be undone. */
export interface CompensationEntry {
  readonly frame: Frame;
  readonly state: StepState;
}

/** Undoes what a chain and its sub-chains did, the last first. One that fails does not keep the others from trying. */
export class Compensation implements Pending {
  readonly #frame: Frame;
  readonly #done: () => void;
  #current: CompensationEntry | undefined;

  constructor(frame: Frame, done: () => void) {
    this.#frame = frame;
    this.#done = done;
  }

  begin(): void {
    for (let entry = this.#take(); entry !== undefined; entry = this.#take()) {
      if (this.#start(entry)) return;
    }
    this.#done();
  }

  settled(outcome: Outcome): void {
    const state = this.#current?.state;
    if (state !== undefined) {
      const error = outcome.kind === "call" ? (outcome.result.success ? undefined : outcome.result.error) : unknown;
      state.compensation = error === undefined ? { status: "success" } : { status: "failed", error };
    }
    this.begin();
  }

  #take(): CompensationEntry | undefined {
    const { compensations } = this.#frame.run;
    const index = compensations.findLastIndex(({ frame }) => frame.isWithin(this.#frame));
    return index < 0 ? undefined : compensations.splice(index, 1)[0];
  }

  /** False when there was nothing to wait for. */
  #start(entry: CompensationEntry): boolean {
    const { frame, state } = entry;
    const { compensate, id } = state.step;
    if (compensate === undefined) return false;
    let args: unknown;
    try {
      args = frame.run.evaluate(state, (evaluation) => compensate.params.evaluate(frame.scope, evaluation));
    } catch (error) {
      state.compensation = { status: "failed", error: expressionFailure(error, `compensate of ${state.path}`) };
      return false;
    }
    this.#current = entry;
    const work = {
      tool: compensate.target.name,
      args: args === missing ? {} : args,
      idempotencyKey: `${frame.run.host.runId}/${frame.work}${id}^`,
      timeoutMs: undefined,
      cache: undefined,
      approvalId: undefined,
    };
    frame.run.start(`${frame.keys}${id}^#1`, work, this);
    return true;
  }
}

const unknown = failure("interrupted", "the process ended while it was being undone; look whether it was");
