import { type AskLimits, Unanswered, nameOf } from "./ask-again.ts";
import type { FinishReason, Model, ModelCall } from "./model.ts";
import { modelFailure } from "./model-reasons.ts";
import { type Question, toPrompt } from "./to-prompt.ts";
import type { TokenUsage } from "./token-usage.ts";
import { tryTurn } from "./turn/ask-turn.ts";
import { textOfTurn } from "./turn/model-turn.ts";

/** What {@link generateText} takes besides the question. */
export interface TextOptions extends AskLimits {
  /** Who the model is to be and what it is to do; material to work on belongs into the question. */
  readonly system?: string;
  readonly maxTokens?: number;
  readonly temperature?: number;
  /** Told what every answer cost, also one that cannot be used. */
  readonly onUsage?: (usage: TokenUsage) => void;
}

/** What {@link generateText} gives. */
export interface GeneratedText {
  readonly text: string;
  readonly usage: TokenUsage;
  /** `length` where the text was cut off by the limit of tokens. */
  readonly finishReason: FinishReason;
}

/**
 * Asks a model for a text. A busy or broken server is asked again within the time given; a failure has a reason of
 * `modelReasons`.
 *
 * @example
 * ```ts
 * const { text, usage } = await generateText(model, { system: "Answer in one word.", prompt: "Which colour is the sky?" });
 * ```
 */
export async function generateText(model: Model, options: TextOptions & Question): Promise<GeneratedText> {
  try {
    return await askForText(model, toCall(options), options);
  } catch (error) {
    throw error instanceof Unanswered ? error.explained.failure : error;
  }
}

/** The call that asks this. */
export function toCall(options: TextOptions & Question): ModelCall {
  const { system, maxTokens, temperature } = options;
  return {
    prompt: toPrompt(options, system),
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    ...(temperature !== undefined && { temperature }),
  };
}

/** One call and the text of its answer. */
export async function askForText(model: Model, call: ModelCall, options: TextOptions): Promise<GeneratedText> {
  const turn = await tryTurn(model, call, options);
  const { usage, finishReason } = turn;
  options.onUsage?.(usage);
  const text = (turn.structuredText ?? textOfTurn(turn)).trim();
  checkEnd(model, finishReason, text);
  return { text, usage, finishReason };
}

function checkEnd(model: Model, finishReason: FinishReason, text: string): void {
  const who = nameOf(model);
  switch (finishReason) {
    case "content-filter":
      throw modelFailure(
        "refused",
        `${who} refused to answer${text === "" ? "" : `: ${text.slice(0, 200)}`}; ask for something else`,
      );
    case "error":
    case "interrupted":
      throw modelFailure("provider_error", `${who} broke off in the middle of its answer`, { retry: "safe" });
    case "length":
      if (text === "")
        throw modelFailure(
          "cut_off",
          `${who} used all its tokens before it said anything; raise its max_tokens (under models: in windlass.yaml)`,
        );
      return;
    case "stop":
    case "tool-calls":
    case "other":
      if (text === "") throw modelFailure("invalid_output", `${who} answered nothing`);
      return;
    default:
      return finishReason satisfies never;
  }
}
