import type { LanguageModelV4Prompt, LanguageModelV4Usage } from "@ai-sdk/provider";
import { estimateTokens } from "../text/index.ts";
import type { TurnPart } from "./turn/model-turn.ts";

/** What an answer cost in tokens. */
export interface TokenUsage {
  /** All that was read, the cached part included. */
  readonly inputTokens: number;
  /** All that was written, the thinking included. */
  readonly outputTokens: number;
  /** Of the input: what the server had read before. */
  readonly cachedTokens?: number;
  /** Of the input: what the server will remember. */
  readonly cacheWriteTokens?: number;
  /** Of the output: what was thinking. */
  readonly reasoningTokens?: number;
  /** In the currency of the prices in the settings; absent where they name none. */
  readonly cost?: number;
  /** The server did not say; the numbers are guessed from the texts. */
  readonly estimated?: boolean;
}

/** Prices for a million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** For input that the server had read before; the price of input where absent. */
  readonly cached?: number | undefined;
}

/** Nothing used. */
export const noTokens: TokenUsage = { inputTokens: 0, outputTokens: 0 };

/** Both together. */
export function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  const both: Writable<TokenUsage> = {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
  };
  for (const key of details) {
    if (a[key] !== undefined || b[key] !== undefined) both[key] = (a[key] ?? 0) + (b[key] ?? 0);
  }
  if (a.estimated === true || b.estimated === true) both.estimated = true;
  return both;
}

type Writable<T> = { -readonly [key in keyof T]: T[key] };

const details = ["cachedTokens", "cacheWriteTokens", "reasoningTokens", "cost"] as const;

/** A usage with what it cost, where there are prices. */
export function costed(usage: TokenUsage, price: ModelPrice | undefined): TokenUsage {
  if (price === undefined) return usage;
  const cached = Math.min(usage.cachedTokens ?? 0, usage.inputTokens);
  const millionths =
    (usage.inputTokens - cached) * price.input +
    cached * (price.cached ?? price.input) +
    usage.outputTokens * price.output;
  return { ...usage, cost: millionths / 1_000_000 };
}

/** What a server says was used, or an estimate where it says nothing. */
export function usageOf(
  usage: LanguageModelV4Usage,
  prompt: LanguageModelV4Prompt,
  content: readonly TurnPart[],
): TokenUsage {
  const { inputTokens, outputTokens } = usage;
  const isTold = isCount(inputTokens.total) && isCount(outputTokens.total);
  const used: Writable<TokenUsage> = {
    inputTokens: isCount(inputTokens.total) ? inputTokens.total : estimatePrompt(prompt),
    outputTokens: isCount(outputTokens.total) ? outputTokens.total : estimateContent(content),
  };
  if (isSome(inputTokens.cacheRead)) used.cachedTokens = inputTokens.cacheRead;
  if (isSome(inputTokens.cacheWrite)) used.cacheWriteTokens = inputTokens.cacheWrite;
  if (isSome(outputTokens.reasoning)) used.reasoningTokens = outputTokens.reasoning;
  if (!isTold) used.estimated = true;
  return used;
}

function isCount(value: number | undefined): value is number {
  return typeof value === "number" && value >= 0 && value < Infinity;
}

function isSome(value: number | undefined): value is number {
  return isCount(value) && value > 0;
}

/** How many tokens a prompt has, roughly. */
export function estimatePrompt(prompt: LanguageModelV4Prompt): number {
  return prompt.reduce((tokens, { content }) => {
    if (typeof content === "string") return tokens + estimateTokens(content);
    return content.reduce((sum, part) => sum + estimateTokens(textOf(part)), tokens);
  }, 0);
}

type PromptPart = Exclude<LanguageModelV4Prompt[number]["content"], string>[number];

function textOf(part: PromptPart): string {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.text;
    case "tool-call":
      return part.toolName + JSON.stringify(part.input);
    case "tool-result":
      return "value" in part.output ? asText(part.output.value) : "";
    default:
      return "";
  }
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function estimateContent(content: readonly TurnPart[]): number {
  return content.reduce(
    (tokens, part) => tokens + estimateTokens(part.type === "tool-call" ? part.name + part.input : part.text),
    0,
  );
}
