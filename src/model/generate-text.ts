import { type AskLimits, Unanswered, askModel, nameOf } from "./ask-model.ts";
import type { FinishReason, Model, ModelAnswer, ModelCall } from "./model.ts";
import { modelFailure } from "./model-reasons.ts";
import { type Question, toPrompt } from "./to-prompt.ts";
import { type TokenUsage, usageOf } from "./token-usage.ts";

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
  const answer = await askModel(model, call, options);
  const said = answer.structuredOutputText ?? textIn(answer);
  const usage = usageOf(answer.usage, call.prompt, said);
  options.onUsage?.(usage);
  const finishReason = answer.finishReason.unified;
  const text = withoutThinking(said);
  checkEnd(model, finishReason, text);
  return { text, usage, finishReason };
}

function textIn({ content }: ModelAnswer): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** Some servers leave what a model thinks to itself in front of its answer. */
function withoutThinking(text: string): string {
  const open = /^\s*<think(?:ing)?>/.exec(text);
  if (open === null) return text.trim();
  const end = /<\/think(?:ing)?>/.exec(text);
  // A thought without an end was cut off before the answer began.
  return end === null ? "" : text.slice(end.index + end[0].length).trim();
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
        throw modelFailure("cut_off", `${who} used all its tokens before it said anything; raise model.max_tokens`);
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
