import { type ReasonFailure, createReasonFailures } from "../../base/index.ts";

/** Every reason for which a model request fails. The reference in the docs is generated from it. */
export const modelReasons = {
  no_model: { code: "not_available", meaning: "No model is configured.", retry: "never" },
  no_key: {
    code: "not_available",
    meaning: "The model is at a service that requires a key, and there is none.",
    retry: "never",
  },
  unauthorized: { code: "not_available", meaning: "The model's server does not accept the key.", retry: "never" },
  wrong_address: {
    code: "not_available",
    meaning: "The server at the model's base URL is not a model server; it may be a web page.",
    retry: "never",
  },
  rate_limited: {
    code: "execution_error",
    meaning: "The model's server accepts no more requests for now, or the account's quota is used up.",
    retry: "safe",
  },
  refused: {
    code: "execution_error",
    meaning: "The model, or a filter before it, refused to respond.",
    retry: "never",
  },
  cut_off: {
    code: "execution_error",
    meaning: "The response reached the token limit before it was complete.",
    retry: "never",
  },
  too_long: {
    code: "execution_error",
    meaning: "The request is longer than the model's context window.",
    retry: "never",
  },
  invalid_output: {
    code: "execution_error",
    meaning:
      "The model returned nothing, or no value of the required shape, and did not correct it when shown the problem.",
    retry: "never",
  },
  budget_exceeded: {
    code: "execution_error",
    meaning: "The token or cost budget of a request or a run is used up.",
    retry: "never",
  },
  no_price: {
    code: "not_available",
    meaning: "There is a cost budget, but the model has no price.",
    retry: "never",
  },
  provider_error: { code: "execution_error", meaning: "The model's server failed, or did not understand the request." },
} as const;

/** The name of one reason in {@link modelReasons}. */
export type ModelReason = keyof typeof modelReasons;

/** True if no request was sent because a model or its key is missing: a configuration problem. */
export function isModelMissing({ reason }: { readonly reason?: string | undefined }): boolean {
  return reason === "no_model" || reason === "no_key";
}

/** The failure of a model for this reason. */
export const modelFailure: ReasonFailure<ModelReason> = createReasonFailures(modelReasons);
