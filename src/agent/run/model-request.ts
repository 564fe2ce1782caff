import type { Failure } from "../../base/index.ts";
import type { ModelCall } from "../../model/index.ts";

/** Pseudo-tool name of model requests in a run. No tool can have this name. */
export const modelTool = "model:turn";

/** The arguments of a model request. Plain data. */
export interface ModelRequest {
  /** Name of the model. Default: the default model. */
  readonly model: string | undefined;
  /** Number of the request in the run: used for the ids of calls that come without one. */
  readonly number: number;
  readonly call: ModelCall;
  /** Reason why the request may not be sent; the journal stores it as the outcome. */
  readonly refusal: Failure | undefined;
}
