import type { SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { Failure } from "../../base/index.ts";
import type { FinishReason } from "../model.ts";
import type { TokenUsage } from "../token-usage.ts";

/** What a model said. */
export interface TurnText {
  readonly type: "text";
  readonly text: string;
  readonly providerOptions?: SharedV4ProviderOptions;
}

/** What a model thought to itself, with the signature that its service wants back. */
export interface TurnReasoning {
  readonly type: "reasoning";
  readonly text: string;
  readonly providerOptions?: SharedV4ProviderOptions;
}

/** A call of a tool that a model asks for. */
export interface TurnToolCall {
  readonly type: "tool-call";
  /** Never empty, and no other call of the conversation has it. */
  readonly id: string;
  readonly name: string;
  /** The arguments as the model wrote them. */
  readonly input: string;
  /** It may not run: the answer ended in the middle of it, or its arguments are no JSON object. */
  readonly broken?: "cut" | "unparsable";
  readonly providerOptions?: SharedV4ProviderOptions;
}

/** One part of an answer, in the order in which the model gave it. */
export type TurnPart = TurnText | TurnReasoning | TurnToolCall;

/** A model that was asked first and gave no answer. */
export interface Unhelpful {
  readonly modelId: string;
  readonly provider: string;
  readonly failure: Failure;
}

/** One answer of a model: plain JSON, so that a run can keep it and be told again. */
export interface ModelTurn {
  readonly content: readonly TurnPart[];
  readonly finishReason: FinishReason;
  readonly usage: TokenUsage;
  /** Which model answered. */
  readonly modelId: string;
  readonly provider: string;
  /** The name of its family, which tells whose signatures these are. */
  readonly family: string;
  /** Models of a fallback chain that were asked before this one. */
  readonly instead?: readonly Unhelpful[];
  /** Where the text that holds the JSON asked for is not the whole text. */
  readonly structuredText?: string;
}

/**
 * A piece of an answer while it arrives. After `restart` everything that came of this answer is to be forgotten: it
 * comes again. A `wait` is the pause before a service that is busy or broken is asked again.
 */
export type TurnDelta =
  | { readonly kind: "text" | "thinking"; readonly text: string }
  | { readonly kind: "tool-call"; readonly id: string; readonly name: string }
  | { readonly kind: "restart" }
  | { readonly kind: "wait"; readonly ms: number; readonly reason?: string };

/** What the model said in this answer, without what it thought. */
export function textOfTurn({ content }: ModelTurn): string {
  let text = "";
  for (const part of content) if (part.type === "text") text += part.text;
  return text;
}

/** The tool calls of an answer. */
export function toolCallsOf({ content }: ModelTurn): TurnToolCall[] {
  return content.filter((part) => part.type === "tool-call");
}
