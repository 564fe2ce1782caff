import { familyOf } from "../family/family-of.ts";
import type { ModelFamily } from "../family/model-family.ts";
import type { Model, ModelCall } from "../model.ts";
import { fitNames } from "./fit-names.ts";
import { historyFor } from "./history-for.ts";

/** The call as this model may see it. */
export function callFor(
  model: Model,
  call: ModelCall,
  family: ModelFamily = model.family ?? familyOf(model.modelId, model.provider),
): ModelCall {
  const prompt = historyFor(fitNames(call), { family, provider: model.provider });
  const sent = prompt === call.prompt ? call : { ...call, prompt };
  return model.family === undefined ? family.prepare(sent, { modelId: model.modelId }) : sent;
}
