import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { FinishReason } from "../model.ts";

/** A tool call that a scripted model makes. */
export interface ScriptedToolCall {
  readonly name: string;
  /** What it passes, as a value; `{}` where neither this nor the text is given. */
  readonly args?: unknown;
  /** What it passes, letter for letter: also what is cut off, or no JSON at all. */
  readonly argumentsText?: string;
  /** `call_1`, `call_2`, … over all questions where absent. */
  readonly id?: string;
  /** What the provider wants back with this call in the next question, such as Gemini's thought signature. */
  readonly signature?: string;
}

/** What an answer cost. */
export interface ScriptedUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** How many of `inputTokens` came from a cache. */
  readonly cachedTokens?: number;
  /** How many of `outputTokens` were thinking. */
  readonly reasoningTokens?: number;
}

/** An answer in detail: thinking, then text, then tool calls. */
export interface ScriptedTurn {
  readonly text?: string;
  readonly thinking?: string;
  /** The provider's signature of the thinking, which it wants back with the next question. */
  readonly signature?: string;
  readonly toolCalls?: readonly ScriptedToolCall[];
  /** An error instead of an answer, where it is to come after a delay. */
  readonly error?: Error;
  /** `tool-calls` with tool calls and `stop` without where absent. */
  readonly finishReason?: FinishReason;
  /** 10 and 5 where absent; null for a server that does not count. */
  readonly usage?: ScriptedUsage | null;
  /** Time before the answer begins; `Infinity` for one that never comes. */
  readonly delayMs?: number;
  /** Time before every further piece of a stream. */
  readonly pieceDelayMs?: number;
}

/** An answer of text, in detail. */
export interface ScriptedText extends ScriptedTurn {
  readonly text: string;
}

/** A silence within a stream; `Infinity` for one that lasts until the asker gives up. */
export interface ScriptedPause {
  readonly type: "pause";
  readonly ms: number;
}

/** A piece of a raw stream: as a provider's client gives it, a pause, or the error by which the stream breaks. */
export type ScriptedPart = LanguageModelV4StreamPart | ScriptedPause | Error;

/**
 * What a scripted model answers: a text, an object as JSON, an answer in detail, raw parts of a stream, or an error that
 * it throws.
 */
export type ScriptedAnswer =
  | string
  | Error
  | ScriptedTurn
  | readonly ScriptedPart[]
  | Readonly<Record<string, unknown>>;

/** An answer, in detail or in raw parts. */
export function toTurn(answer: ScriptedAnswer): ScriptedTurn | readonly ScriptedPart[] {
  if (typeof answer === "string") return { text: answer };
  if (answer instanceof Error) return { error: answer };
  if (isParts(answer) || isTurn(answer)) return answer;
  return { text: JSON.stringify(answer) };
}

/** Is this an answer in raw parts? */
export function isParts(answer: object): answer is readonly ScriptedPart[] {
  return Array.isArray(answer);
}

function isTurn(answer: ScriptedTurn | Readonly<Record<string, unknown>>): answer is ScriptedTurn {
  return (
    typeof answer.text === "string" ||
    Array.isArray(answer.toolCalls) ||
    typeof answer.thinking === "string" ||
    answer.error instanceof Error
  );
}

/** Why an answer ends, where its script does not say. */
export function finishReasonOf({ finishReason, toolCalls }: ScriptedTurn): FinishReason {
  return finishReason ?? (toolCalls === undefined || toolCalls.length === 0 ? "stop" : "tool-calls");
}

/** The text that a call passes. */
export function argumentsOf({ argumentsText, args }: ScriptedToolCall): string {
  // JSON.stringify has no text for a function: then there is nothing to pass.
  return argumentsText ?? (args === undefined ? "{}" : (JSON.stringify(args) ?? "{}"));
}

/** An answer in a few words, for those who read what is left of a script. */
export function describeAnswer(answer: unknown): string {
  if (typeof answer === "function") return "what a function makes of the question";
  if (typeof answer === "string") return `the text ${short(answer)}`;
  if (answer instanceof Error) return `the error ${short(answer.message)}`;
  if (typeof answer !== "object" || answer === null) return String(answer);
  if (isParts(answer)) return `a stream of ${answer.length} parts`;
  return isTurn(answer) ? describeTurn(answer) : cut(JSON.stringify(answer));
}

function describeTurn({ text, toolCalls = [], thinking, error }: ScriptedTurn): string {
  if (error !== undefined) return `the error ${short(error.message)}`;
  const said = [
    ...(text === undefined || text === "" ? [] : [`the text ${short(text)}`]),
    ...toolCalls.map((call) => `a call ${call.name}(${cut(argumentsOf(call))})`),
  ];
  return said.length === 0 ? `the thought ${short(thinking ?? "")}` : said.join(" and ");
}

function short(text: string): string {
  return JSON.stringify(cut(text));
}

function cut(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text;
}
