import type { FailureError } from "../base/index.ts";
import type { Model } from "./model.ts";
import { modelFailure } from "./model-reasons.ts";

/** Stands for a model that was named wrongly: every question to it fails and says why, and nothing else fails. */
export function brokenModel(why: FailureError): Model {
  const failure = modelFailure("no_model", why.message, {
    forModel: "no model is set up properly; go on without what needs one",
    cause: why,
  });
  const refuse = (): Promise<never> => Promise.reject(failure);
  return {
    specificationVersion: "v4",
    provider: "none",
    modelId: "none",
    supportedUrls: {},
    doGenerate: refuse,
    doStream: refuse,
  };
}
