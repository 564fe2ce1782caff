import { type ReasonFailure, type ReasonTable, createReasonTable, createReasonFailures } from "../../base/index.ts";

const modelGroups = {
  "not_available, never": {
    no_model: "No model is configured.",
    no_key: "The model is at a service that requires a key, and there is none.",
    unauthorized: "The model's server does not accept the key.",
    wrong_address: "The server at the model's base URL is not a model server; it may be a web page.",
    no_price: "There is a cost budget, but the model has no price.",
  },
  "execution_error, safe": {
    rate_limited: "The model's server accepts no more requests for now, or the account's quota is used up.",
  },
  "execution_error, never": {
    refused: "The model, or a filter before it, refused to respond.",
    cut_off: "The response reached the token limit before it was complete.",
    too_long: "The request is longer than the model's context window.",
    invalid_output:
      "The model returned nothing, or no value of the required shape, and did not correct it when shown the problem.",
    budget_exceeded: "The token or cost budget of a request or a run is used up.",
  },
  execution_error: { provider_error: "The model's server failed, or did not understand the request." },
} as const;

/** Every reason for which a model request fails. The reference in the docs is generated from it. */
export const modelReasons: ReasonTable<typeof modelGroups> = createReasonTable(modelGroups);

/** The name of one reason in {@link modelReasons}. */
export type ModelReason = keyof typeof modelReasons;

/** True if no request was sent because a model or its key is missing: a configuration problem. */
export function isModelMissing({ reason }: { readonly reason?: string | undefined }): boolean {
  return reason === "no_model" || reason === "no_key";
}

/** The failure of a model for this reason. */
export const modelFailure: ReasonFailure<ModelReason> = createReasonFailures(modelReasons);
