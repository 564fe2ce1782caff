import { fail, isFailureError } from "../../base/index.ts";
import type { CallOutcome, StepWork } from "../../chain/index.ts";
import { type Asker, Fiber, type FiberEnd, type Granter } from "./fiber.ts";
import type { Flow, Wish } from "./flow.ts";
import type { FlowRun } from "./flow-run.ts";
import { Gathering } from "./gathering.ts";
import { type Ending, resultOf } from "./result-of.ts";

/** The work of a chain's step as a flow: what it gives is the step's output, what it throws its failure. */
export type OwnTool = (work: StepWork) => Flow<unknown>;

/** What an {@link OwnStep} is made of. */
interface OwnStepParts {
  readonly run: FlowRun;
  readonly work: StepWork;
  readonly tool: OwnTool;
  readonly onEnd: (outcome: CallOutcome) => void;
  /** It broke by a mistake of the program. */
  readonly onBroke: (error: unknown) => void;
}

/**
 * A step of a chain whose work is a flow. The step itself is in no journal: everything that the flow wishes for is, so it
 * comes to the same end whenever the run is told again.
 */
export class OwnStep implements Granter {
  readonly #parts: OwnStepParts;
  /** What it waits for right now. */
  readonly #keys = new Set<string>();
  readonly #began: number;
  #stopped = false;

  constructor(parts: OwnStepParts) {
    this.#parts = parts;
    this.#began = parts.run.now;
  }

  begin(): void {
    const { work, tool } = this.#parts;
    new Fiber(this, tool(work), (end) => this.#ended(end)).begin();
  }

  /** Stops what it waits for; its outcome still comes. */
  stop(): void {
    this.#stopped = true;
    for (const key of this.#keys) this.#parts.run.stop(key);
  }

  grant(asker: Asker, wish: Wish): void {
    if (this.#stopped) return asker.throw(fail("the step was stopped", { code: "cancelled" }));
    const { run } = this.#parts;
    switch (wish.kind) {
      case "call":
      case "wait":
        this.#keys.add(wish.key);
        return run.grant(this.#forgetting(asker, wish.key), wish);
      case "all":
        return new Gathering(this, wish, (end) => asker.take(end)).begin();
      case "chain":
        return run.grant(asker, wish);
    }
  }

  #forgetting(asker: Asker, key: string): Asker {
    const forget = (): void => void this.#keys.delete(key);
    return {
      resume: (answer) => (forget(), asker.resume(answer)),
      throw: (error) => (forget(), asker.throw(error)),
      take: (end) => (forget(), asker.take(end)),
    };
  }

  #ended(end: FiberEnd<unknown>): void {
    const { onEnd, onBroke } = this.#parts;
    if (!("error" in end)) return onEnd(this.#outcome({ success: true, output: end.value }));
    if (!isFailureError(end.error)) return onBroke(end.error);
    onEnd(this.#outcome({ success: false, error: end.error.toFailure() }));
  }

  #outcome(ending: Ending): CallOutcome {
    const { work, run } = this.#parts;
    const times = { executedAt: this.#began, durationMs: run.now - this.#began };
    return { kind: "call", result: resultOf(work.tool, ending, times), effect: undefined };
  }
}
