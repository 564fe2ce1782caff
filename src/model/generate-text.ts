import { definedOnly } from "../base/index.ts";
import { type ModelRequestLimits, modelLabel, isModelRequestError } from "./errors/retry-with-backoff.ts";
import type { FinishReason, Model, ModelCall } from "./port/model.ts";
import { modelFailure } from "./port/model-reasons.ts";
import type { TokenUsage } from "./port/token-usage.ts";
import { tryRequestTurn } from "./turn/request-turn.ts";
import { textOfTurn } from "./port/model-turn.ts";
import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";

/** Options of {@link generateText} besides the prompt. */
export interface GenerateTextOptions extends ModelRequestLimits {
  /** The role and the task of the model; material to work on belongs in the prompt. */
  readonly system?: string;
  readonly maxTokens?: number;
  readonly temperature?: number;
  /** Called with the usage of every response, including unusable ones. */
  readonly onUsage?: (usage: TokenUsage) => void;
}

/** Result of {@link generateText}. */
export interface GenerateTextResult {
  readonly text: string;
  readonly usage: TokenUsage;
  /** `length` if the text was cut off by the token limit. */
  readonly finishReason: FinishReason;
}

/**
 * Requests a text from a model. A busy or failing server is retried until the timeout; a failure has a reason from
 * `modelReasons`.
 *
 * @example
 * ```ts
 * const { text, usage } = await generateText(model, { system: "Answer in one word.", prompt: "Which color is the sky?" });
 * ```
 */
export async function generateText(
  model: Model,
  options: GenerateTextOptions & ModelPrompt,
): Promise<GenerateTextResult> {
  try {
    return await requestText(model, toModelCall(options), options);
  } catch (error) {
    throw isModelRequestError(error) ? error.explained.failure : error;
  }
}

/** Converts the options to a model call. */
export function toModelCall(options: GenerateTextOptions & ModelPrompt): ModelCall {
  const { system, maxTokens, temperature } = options;
  return {
    prompt: toPrompt(options, system),
    ...definedOnly({ maxOutputTokens: maxTokens, temperature }),
  };
}

/** Sends one call and returns the text of its response. */
export async function requestText(
  model: Model,
  call: ModelCall,
  options: GenerateTextOptions,
): Promise<GenerateTextResult> {
  const turn = await tryRequestTurn(model, call, options);
  const { usage, finishReason } = turn;
  options.onUsage?.(usage);
  const text = (turn.structuredText ?? textOfTurn(turn)).trim();
  checkEnd(model, finishReason, text);
  return { text, usage, finishReason };
}

function checkEnd(model: Model, finishReason: FinishReason, text: string): void {
  const label = modelLabel(model);
  switch (finishReason) {
    case "content-filter":
      throw modelFailure(
        "refused",
        `${label} refused to respond${text === "" ? "" : `: ${text.slice(0, 200)}`}; change the request`,
      );
    case "error":
    case "interrupted":
      throw modelFailure("provider_error", `${label} stopped in the middle of its response`, { retry: "safe" });
    case "length":
      if (text === "")
        throw modelFailure(
          "cut_off",
          `${label} used all its tokens before it produced any text; raise its max_tokens (under models: in windlass.yaml)`,
        );
      return;
    case "stop":
    case "tool-calls":
    case "other":
      if (text === "") throw modelFailure("invalid_output", `${label} returned no text`);
      return;
    default:
      return finishReason satisfies never;
  }
}

/** One message of a conversation with a model. */
export interface ChatMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
}

/** Input of a model request: one text, or a conversation. */
export type ModelPrompt =
  | { readonly prompt: string; readonly messages?: undefined }
  | { readonly messages: readonly ChatMessage[]; readonly prompt?: undefined };

/** A prompt in the format of the AI SDK. */
export function toPrompt(request: ModelPrompt, system: string | undefined): LanguageModelV4Prompt {
  const messages = request.messages ?? [{ role: "user" as const, content: request.prompt }];
  return [...(system === undefined ? [] : [{ role: "system" as const, content: system }]), ...messages.map(toMessage)];
}

function toMessage({ role, content }: ChatMessage): LanguageModelV4Message {
  return { role, content: [{ type: "text", text: content }] };
}
