import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
} from "@ai-sdk/provider";
import type { ModelFamily } from "./model-family.ts";
import type { ModelPrice } from "./token-usage.ts";
import type { ImageSupport } from "./tool-images.ts";

/**
 * A language model: the interface of the AI SDK, so that every provider written for it can be used here, and a model
 * opened here can be used there.
 */
export type Model = LanguageModelV4 & {
  /** Timeout of one response, if set; callers use it as their own timeout. */
  readonly timeoutMs?: number | undefined;
  /** Price of its tokens, if set. */
  readonly price?: ModelPrice | undefined;
  /** Origin of the key that is sent, shown to users. */
  readonly keySource?: string | undefined;
  /** Advice on setting a key if none is sent and the server requires one. */
  readonly keyHint?: string | undefined;
  /** If set, the model prepares calls itself; otherwise the caller does, by the family of its name. */
  readonly family?: ModelFamily | undefined;
  /** Its image support. Default: images in messages of the user, if its family says that it takes images. */
  readonly images?: ImageSupport | undefined;
};

/** One request to a {@link Model}, as it arrives there. */
export type ModelCall = LanguageModelV4CallOptions;

/** One response of a {@link Model}. */
export type ModelGenerateResult = LanguageModelV4GenerateResult;

/** The reason why a model stopped: `stop` when it was done, `length` when it reached its limit, … */
export type FinishReason = LanguageModelV4FinishReason["unified"];
