import { fail, isFailureError } from "../../base/index.ts";
import {
  type CallOutcome,
  type CallWork,
  type EffectCaller,
  RunningProgram,
  type ProgramEnd,
  type EffectHandler,
  type RunProgram,
  type RunEffect,
  type EffectRunner,
  ParallelPrograms,
  type CallEnding,
  createToolResult,
} from "../../run/index.ts";

/** The work of a chain's step as a program: its return value is the step's output, an exception its failure. */
export type ProgramTool = (work: CallWork) => RunProgram<unknown>;

/** Dependencies of a {@link ProgramStep}. */
interface ProgramStepDeps {
  readonly run: EffectRunner;
  readonly work: CallWork;
  readonly tool: ProgramTool;
  readonly onEnd: (outcome: CallOutcome) => void;
  /** Called if it fails because of a bug. */
  readonly onBroke: (error: unknown) => void;
}

/**
 * A step of a chain whose work is a program. The step itself is not in the journal; all effects of the program are, so
 * every replay gives the same result.
 */
export class ProgramStep implements EffectHandler {
  readonly #parts: ProgramStepDeps;
  /** Keys of its pending effects. */
  readonly #keys = new Set<string>();
  readonly #began: number;
  #stopped = false;

  constructor(parts: ProgramStepDeps) {
    this.#parts = parts;
    this.#began = parts.run.now;
  }

  begin(): void {
    const { work, tool } = this.#parts;
    new RunningProgram(this, tool(work), (end) => this.#ended(end)).begin();
  }

  /** Cancels its pending effects; its outcome still arrives. */
  stop(): void {
    this.#stopped = true;
    for (const key of this.#keys) this.#parts.run.stop(key);
  }

  handle(requester: EffectCaller, effect: RunEffect): void {
    if (this.#stopped) return requester.throw(fail("the step was cancelled", { code: "cancelled" }));
    const { run } = this.#parts;
    switch (effect.kind) {
      case "call":
      case "observe":
      case "wait":
        this.#keys.add(effect.key);
        return run.handle(this.#forgetting(requester, effect.key), effect);
      case "all":
        return new ParallelPrograms(this, effect, (end) => requester.take(end)).begin();
      case "nested":
        return run.handle(requester, effect);
    }
  }

  #forgetting(requester: EffectCaller, key: string): EffectCaller {
    const forget = (): void => void this.#keys.delete(key);
    return {
      resume: (answer) => (forget(), requester.resume(answer)),
      throw: (error) => (forget(), requester.throw(error)),
      take: (end) => (forget(), requester.take(end)),
    };
  }

  #ended(end: ProgramEnd<unknown>): void {
    const { onEnd, onBroke } = this.#parts;
    if (!("error" in end)) return onEnd(this.#outcome({ success: true, output: end.value }));
    if (!isFailureError(end.error)) return onBroke(end.error);
    onEnd(this.#outcome({ success: false, error: end.error.toFailure() }));
  }

  #outcome(ending: CallEnding): CallOutcome {
    const { work, run } = this.#parts;
    const times = { executedAt: this.#began, durationMs: run.now - this.#began };
    return { kind: "call", result: createToolResult(work.tool, ending, times), effect: undefined };
  }
}
