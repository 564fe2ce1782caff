import type { FailureError } from "../base/index.ts";
import type { Model } from "./model.ts";
import { modelFailure } from "./model-reasons.ts";

const faults = new WeakMap<Model, FailureError>();

/** Stands for a model that was named wrongly: every question to it fails and says why, and nothing else fails. */
export function brokenModel(why: FailureError): Model {
  const failure = modelFailure("no_model", why.message, {
    forModel: "no model is set up properly; go on without what needs one",
    cause: why,
  });
  const refuse = (): Promise<never> => Promise.reject(failure);
  const model: Model = {
    specificationVersion: "v4",
    provider: "none",
    modelId: "none",
    supportedUrls: {},
    // Nobody has to say what it costs before they are told what is wrong with it.
    price: { input: 0, output: 0 },
    doGenerate: refuse,
    doStream: refuse,
  };
  return withFault(model, failure);
}

/** Marks a model as one that cannot be asked. */
export function withFault(model: Model, fault: FailureError): Model {
  faults.set(model, fault);
  return model;
}

/** What is wrong with a model that was named wrongly, or has no key; undefined where it can be asked. */
export function faultOf(model: Model | undefined): FailureError | undefined {
  return model && faults.get(model);
}
