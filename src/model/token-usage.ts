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
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    ...sum("cachedTokens", a, b),
    ...sum("cacheWriteTokens", a, b),
    ...sum("reasoningTokens", a, b),
    ...sum("cost", a, b),
    ...((a.estimated === true || b.estimated === true) && { estimated: true }),
  };
}

function sum<K extends "cachedTokens" | "cacheWriteTokens" | "reasoningTokens" | "cost">(
  key: K,
  a: TokenUsage,
  b: TokenUsage,
): { [key in K]?: number } | undefined {
  if (a[key] === undefined && b[key] === undefined) return undefined;
  // A computed key is not seen as the key that it is.
  return { [key]: (a[key] ?? 0) + (b[key] ?? 0) } as { [key in K]: number };
}

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
  const details = {
    ...positive("cachedTokens", inputTokens.cacheRead),
    ...positive("cacheWriteTokens", inputTokens.cacheWrite),
    ...positive("reasoningTokens", outputTokens.reasoning),
  };
  if (isCount(inputTokens.total) && isCount(outputTokens.total)) {
    return { inputTokens: inputTokens.total, outputTokens: outputTokens.total, ...details };
  }
  return {
    inputTokens: isCount(inputTokens.total) ? inputTokens.total : estimatePrompt(prompt),
    outputTokens: isCount(outputTokens.total) ? outputTokens.total : estimateContent(content),
    ...details,
    estimated: true,
  };
}

function isCount(value: number | undefined): value is number {
  return typeof value === "number" && value >= 0 && value < Infinity;
}

function positive<K extends string>(key: K, value: number | undefined): { [key in K]?: number } | undefined {
  // As above: a computed key.
  return isCount(value) && value > 0 ? ({ [key]: value } as { [key in K]: number }) : undefined;
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
