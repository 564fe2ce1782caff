import type { FailureError } from "../../base/index.ts";
import type { ModelCall, ModelTurn } from "../../model/index.ts";

/** Under this name a run asks its model. No tool can have it. */
export const modelTool = "model:turn";

/** A question to the model, as the loop gives it to whoever makes the calls of a run. */
export interface ModelQuestion {
  /** Which of the run's questions it is: for the ids of calls that come without. */
  readonly number: number;
  readonly call: ModelCall;
  /** Why it may not be asked; the journal has that as what came of it. */
  readonly refusal: FailureError | undefined;
  /** The answer as the journal keeps it: with what its calls mean, by the tools that there are now. */
  readonly understand: (turn: ModelTurn) => ModelTurn;
}
