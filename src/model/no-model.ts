import type { FailureError } from "../base/index.ts";
import { modelFailure } from "./model-reasons.ts";
import { modelVariables } from "./model-settings.ts";

/** The failure of something that needs a model where none is configured; it says exactly what to set. */
export function noModel(who: string): FailureError {
  const { baseUrl, name, apiKey } = modelVariables;
  return modelFailure(
    "no_model",
    `${who} needs a model, and none is configured: set ${baseUrl} (such as http://127.0.0.1:11434/v1) and ${name}, and ` +
      `${apiKey} where the server wants a key; or write them into windlass.yaml as models: { default: { base_url, model, api_key } }`,
    { forModel: `${who} is not available: no model is configured; go on without it` },
  );
}
