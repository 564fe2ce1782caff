import { type ReasonFailure, failuresFor } from "../base/index.ts";

/** Every reason for which a model gives no answer. The reference in the docs is generated from it. */
export const modelReasons = {
  no_model: { code: "not_available", means: "No model is configured.", retry: "never" },
  no_key: {
    code: "not_available",
    means: "The model is at a service that wants a key, and there is none.",
    retry: "never",
  },
  unauthorized: { code: "not_available", means: "The model's server does not accept the key.", retry: "never" },
  wrong_address: {
    code: "not_available",
    means: "What answers at the model's base URL is no server of models, such as a web page.",
    retry: "never",
  },
  rate_limited: {
    code: "execution_error",
    means: "The model's server takes no more requests for now, or the account's quota is used up.",
    retry: "safe",
  },
  refused: { code: "execution_error", means: "The model, or a filter before it, refused to answer.", retry: "never" },
  cut_off: {
    code: "execution_error",
    means: "The answer reached the limit of tokens before it was complete.",
    retry: "never",
  },
  too_long: { code: "execution_error", means: "The question is longer than the model can read.", retry: "never" },
  invalid_output: {
    code: "execution_error",
    means: "The model answered nothing, or nothing of the shape that was asked for, and did not mend it when told.",
    retry: "never",
  },
  budget_exceeded: {
    code: "execution_error",
    means: "The budget of tokens or money for a question or a run is used up.",
    retry: "never",
  },
  no_price: {
    code: "not_available",
    means: "There is a budget of money, and nobody has said what the model costs.",
    retry: "never",
  },
  provider_error: { code: "execution_error", means: "The model's server failed, or did not understand the request." },
} as const;

/** The name of one reason in {@link modelReasons}. */
export type ModelReason = keyof typeof modelReasons;

/** Does this say that nobody was asked, for want of a model or of its key? That is a matter of what is set up. */
export function isUnasked({ reason }: { readonly reason?: string | undefined }): boolean {
  return reason === "no_model" || reason === "no_key";
}

/** The failure of a model for this reason. */
export const modelFailure: ReasonFailure<ModelReason> = failuresFor(modelReasons);
