import type { SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { Failure } from "../../base/index.ts";
import type { FinishReason } from "./model.ts";
import type { TokenUsage } from "./token-usage.ts";

/** Text of a model response. */
export interface TurnText {
  readonly type: "text";
  readonly text: string;
  readonly providerOptions?: SharedV4ProviderOptions;
}

/** Thinking of a model, with the signature that its service requires back. */
export interface TurnReasoning {
  readonly type: "reasoning";
  readonly text: string;
  readonly providerOptions?: SharedV4ProviderOptions;
}

/** A tool call that a model requests. */
export interface TurnToolCall {
  readonly type: "tool-call";
  /** Never empty, and unique in the conversation. */
  readonly id: string;
  readonly name: string;
  /** The arguments as the model wrote them. */
  readonly input: string;
  /** The call must not run: the response ended in the middle of it, or its arguments are not a JSON object. */
  readonly broken?: "cut" | "unparsable";
  readonly providerOptions?: SharedV4ProviderOptions;
}

/** One part of a response, in the order in which the model produced it. */
export type TurnPart = TurnText | TurnReasoning | TurnToolCall;

/** A model that was tried first and failed. */
export interface FailedModel {
  readonly modelId: string;
  readonly provider: string;
  readonly failure: Failure;
}

/** One model response as plain JSON, so that a run can journal and replay it. */
export interface ModelTurn {
  readonly content: readonly TurnPart[];
  readonly finishReason: FinishReason;
  readonly usage: TokenUsage;
  /** The model that responded. */
  readonly modelId: string;
  readonly provider: string;
  /** Name of the model family, which identifies whose signatures these are. */
  readonly family: string;
  /** Models of a fallback chain that were tried before this one. */
  readonly failedModels?: readonly FailedModel[];
  /** The text with the requested JSON, if it is not the whole text. */
  readonly structuredText?: string;
}

/**
 * A piece of a streaming response. After `restart`, discard everything received of this response: it starts from the
 * beginning. A `wait` is the pause before a busy or failing service is retried.
 */
export type TurnDelta =
  | { readonly kind: "text" | "thinking"; readonly text: string }
  | { readonly kind: "tool-call"; readonly id: string; readonly name: string }
  | { readonly kind: "restart" }
  | { readonly kind: "wait"; readonly ms: number; readonly reason?: string };

/** Text of this response, without the thinking. */
export function textOfTurn({ content }: ModelTurn): string {
  let text = "";
  for (const part of content) if (part.type === "text") text += part.text;
  return text;
}

/** The tool calls of a response. */
export function toolCallsOf({ content }: ModelTurn): TurnToolCall[] {
  return content.filter((part) => part.type === "tool-call");
}
