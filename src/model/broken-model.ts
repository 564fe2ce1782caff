import type { FailureError } from "../base/index.ts";
import type { Model } from "./port/model.ts";
import { modelFailure } from "./port/model-reasons.ts";

const faults = new WeakMap<Model, FailureError>();

/** Stands for a model with invalid settings: every request to it fails with the reason, and nothing else fails. */
export function brokenModel(why: FailureError): Model {
  const failure = modelFailure("no_model", why.message, {
    forModel: "no model is configured correctly; continue without anything that needs one",
    cause: why,
  });
  const refuse = (): Promise<never> => Promise.reject(failure);
  const model: Model = {
    specificationVersion: "v4",
    provider: "none",
    modelId: "none",
    supportedUrls: {},
    // A price of 0, so that a cost budget does not hide the configuration error behind a missing price.
    price: { input: 0, output: 0 },
    doGenerate: refuse,
    doStream: refuse,
  };
  return withFault(model, failure);
}

/** Marks a model as unusable. */
export function withFault(model: Model, fault: FailureError): Model {
  faults.set(model, fault);
  return model;
}

/** The reason why a model is unusable: invalid settings or no key; undefined if it is usable. */
export function faultOf(model: Model | undefined): FailureError | undefined {
  return model && faults.get(model);
}
