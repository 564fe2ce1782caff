import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
} from "@ai-sdk/provider";
import type { ModelFamily } from "./family/model-family.ts";
import type { ModelPrice } from "./token-usage.ts";

/**
 * A language model: the interface of the AI SDK, so that every provider written for it can be used here, and a model
 * opened here can be used there.
 */
export type Model = LanguageModelV4 & {
  /** How long one answer may take, where somebody has set it; whoever asks waits as long. */
  readonly timeoutMs?: number | undefined;
  /** What its tokens cost, where somebody has set it. */
  readonly price?: ModelPrice | undefined;
  /** Where the key that is sent comes from, for people. */
  readonly keySource?: string | undefined;
  /** What to do for a key where none is sent and its server wants one. */
  readonly keyHint?: string | undefined;
  /** Where it knows its family it prepares calls itself; otherwise that is done for it, by its name. */
  readonly family?: ModelFamily | undefined;
};

/** One question to a {@link Model}, as it arrives there. */
export type ModelCall = LanguageModelV4CallOptions;

/** One answer of a {@link Model}. */
export type ModelAnswer = LanguageModelV4GenerateResult;

/** Why a model stopped: `stop` when it was done, `length` when it ran into its limit, … */
export type FinishReason = LanguageModelV4FinishReason["unified"];
