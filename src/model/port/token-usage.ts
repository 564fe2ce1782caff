import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import { estimateTokens } from "../../text/index.ts";
import { estimateCall } from "./estimate-call.ts";
import type { ModelCall, FinishReason } from "./model.ts";
import type { TurnPart } from "./model-turn.ts";

/** Tokens used by a response. */
export interface TokenUsage {
  /** All input tokens, including the cached ones. */
  readonly inputTokens: number;
  /** All output tokens, including thinking. */
  readonly outputTokens: number;
  /** Input tokens that were read from the server's cache. */
  readonly cachedTokens?: number;
  /** Input tokens that were written to the server's cache. */
  readonly cacheWriteTokens?: number;
  /** Output tokens used for thinking. */
  readonly reasoningTokens?: number;
  /** In the currency of the prices in the settings; undefined without prices. */
  readonly cost?: number;
  /** The server reported no usage; the numbers are estimated from the texts. */
  readonly estimated?: boolean;
}

/** Prices for a million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** For input that the server read from its cache. Default: the price of input. */
  readonly cached?: number | undefined;
}

/** Nothing used. */
export const noTokens: TokenUsage = { inputTokens: 0, outputTokens: 0 };

/** The usage of a response whose service reports none. */
export const unknownUsage: LanguageModelV4Usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

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

/** The difference between a usage and an earlier part of it. */
export function subtractUsage(all: TokenUsage, before: TokenUsage): TokenUsage {
  const rest: Writable<TokenUsage> = {
    inputTokens: Math.max(0, all.inputTokens - before.inputTokens),
    outputTokens: Math.max(0, all.outputTokens - before.outputTokens),
  };
  for (const key of details) if (all[key] !== undefined) rest[key] = Math.max(0, all[key] - (before[key] ?? 0));
  if (all.estimated === true) rest.estimated = true;
  return rest;
}

type Writable<T> = { -readonly [key in keyof T]: T[key] };

const details = ["cachedTokens", "cacheWriteTokens", "reasoningTokens", "cost"] as const;

/** A usage with its cost, if there is a price. */
export function costed(usage: TokenUsage, price: ModelPrice | undefined): TokenUsage {
  if (price === undefined) return usage;
  const cached = Math.min(usage.cachedTokens ?? 0, usage.inputTokens);
  const millionths =
    (usage.inputTokens - cached) * price.input +
    cached * (price.cached ?? price.input) +
    usage.outputTokens * price.output;
  return { ...usage, cost: millionths / 1_000_000 };
}

/** The usage that a server reports, or an estimate if it reports none. */
export function toTokenUsage(usage: ReportedUsage, call: ModelCall, content: readonly TurnPart[]): TokenUsage {
  const input = usage.inputTokens ?? {};
  const output = usage.outputTokens ?? {};
  const used: Writable<TokenUsage> = {
    inputTokens: isCount(input.total) ? input.total : estimateCall(call),
    outputTokens: isCount(output.total) ? output.total : estimateContent(content),
  };
  if (isSome(input.cacheRead)) used.cachedTokens = input.cacheRead;
  if (isSome(input.cacheWrite)) used.cacheWriteTokens = input.cacheWrite;
  if (isSome(output.reasoning)) used.reasoningTokens = output.reasoning;
  if (!isCount(input.total) || !isCount(output.total)) used.estimated = true;
  return used;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value < Infinity;
}

function isSome(value: unknown): value is number {
  return isCount(value) && value > 0;
}

function estimateContent(content: readonly TurnPart[]): number {
  return content.reduce(
    (tokens, part) => tokens + estimateTokens(part.type === "tool-call" ? part.name + part.input : part.text),
    0,
  );
}

/** The end of a response: everything besides its parts. */
export interface TurnEnd {
  /** `other` if the model reports none. */
  readonly finishReason: FinishReason;
  readonly usage: ReportedUsage;
  readonly structuredText?: string | undefined;
}

/** The usage that a model reports: any field may be missing or not a number. */
interface ReportedUsage {
  readonly inputTokens?: {
    readonly total?: unknown;
    readonly cacheRead?: unknown;
    readonly cacheWrite?: unknown;
  } | null;
  readonly outputTokens?: { readonly total?: unknown; readonly reasoning?: unknown } | null;
}

/** The end of a response, from a model that may omit it. */
export function toTurnEnd(reported: {
  readonly finishReason?: { readonly unified?: FinishReason } | null;
  readonly usage?: ReportedUsage | null;
}): Pick<TurnEnd, "finishReason" | "usage"> {
  return { finishReason: reported.finishReason?.unified ?? "other", usage: reported.usage ?? {} };
}
