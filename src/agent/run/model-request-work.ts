import type { FailureError } from "../../base/index.ts";
import type { ModelCall, ModelTurn } from "../../model/index.ts";

/** Pseudo-tool name of model requests in a run. No tool can have this name. */
export const modelTool = "model:turn";

/** A model request, as the loop passes it to the executor of the run. */
export interface ModelRequestWork {
  /** Number of the request in the run: used for the ids of calls that come without one. */
  readonly number: number;
  readonly call: ModelCall;
  /** Reason why the request may not be sent; the journal stores it as the outcome. */
  readonly refusal: FailureError | undefined;
  /** Adds to a response, before it is stored in the journal, the interpretation of its calls by the present tools. */
  readonly understand: (turn: ModelTurn) => ModelTurn;
}
