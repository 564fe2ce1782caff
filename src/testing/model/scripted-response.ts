import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { FinishReason } from "../../model/index.ts";

/** A tool call that a scripted model makes. */
export interface ScriptedToolCall {
  readonly name: string;
  /** The arguments as a value. Default: `{}` if neither this nor the text is set. */
  readonly args?: unknown;
  /** The arguments as raw text, which may be truncated or invalid JSON. */
  readonly argumentsText?: string;
  /** Default: `call_1`, `call_2`, … across all requests. */
  readonly id?: string;
  /** Data that the provider requires back with this call in the next request, such as Gemini's thought signature. */
  readonly signature?: string;
}

/** Usage of a response. */
export interface ScriptedUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Number of `inputTokens` that came from a cache. */
  readonly cachedTokens?: number;
  /** Number of `outputTokens` that were thinking. */
  readonly reasoningTokens?: number;
}

/** A detailed response: thinking, then text, then tool calls. */
export interface ScriptedTurn {
  readonly text?: string;
  readonly thinking?: string;
  /** The provider's signature of the thinking, which it requires back with the next request. */
  readonly signature?: string;
  readonly toolCalls?: readonly ScriptedToolCall[];
  /** An error instead of a response, to be combined with a delay. */
  readonly error?: Error;
  /** Default: `tool-calls` with tool calls, `stop` without. */
  readonly finishReason?: FinishReason;
  /** Default: 10 and 5; null for a server that does not count. */
  readonly usage?: ScriptedUsage | null;
  /** Time before the response begins; `Infinity` for one that never arrives. */
  readonly delayMs?: number;
  /** Delay before every further chunk of a stream. */
  readonly pieceDelayMs?: number;
}

/** A detailed text response. */
export interface ScriptedText extends ScriptedTurn {
  readonly text: string;
}

/** A silence within a stream; `Infinity` for one that lasts until the caller aborts. */
export interface ScriptedPause {
  readonly type: "pause";
  readonly ms: number;
}

/** A piece of a raw stream: a part as a provider's client yields it, a pause, or the error that breaks the stream. */
export type ScriptedPart = LanguageModelV4StreamPart | ScriptedPause | Error;

/**
 * A response of a scripted model: a text, an object as JSON, a detailed turn, raw parts of a stream, or an error that
 * it throws.
 */
export type ScriptedResponse =
  | string
  | Error
  | ScriptedTurn
  | readonly ScriptedPart[]
  | Readonly<Record<string, unknown>>;

/** Normalizes a response to a detailed turn or raw parts. */
export function toScriptedTurn(answer: ScriptedResponse): ScriptedTurn | readonly ScriptedPart[] {
  if (typeof answer === "string") return { text: answer };
  if (answer instanceof Error) return { error: answer };
  if (isRawStreamParts(answer) || isTurn(answer)) return answer;
  return { text: JSON.stringify(answer) };
}

/** True if this is a response in raw stream parts. */
export function isRawStreamParts(answer: object): answer is readonly ScriptedPart[] {
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

/** The finish reason of a response, or its default. */
export function scriptedFinishReason({ finishReason, toolCalls }: ScriptedTurn): FinishReason {
  return finishReason ?? (toolCalls === undefined || toolCalls.length === 0 ? "stop" : "tool-calls");
}

/** The arguments of a call as text. */
export function argumentsOf({ argumentsText, args }: ScriptedToolCall): string {
  // JSON.stringify returns undefined for a function: then there is nothing to pass.
  return argumentsText ?? (args === undefined ? "{}" : (JSON.stringify(args) ?? "{}"));
}

/** A short description of a response, for messages about unused responses. */
export function describeResponse(answer: unknown): string {
  if (typeof answer === "function") return "the result of a function";
  if (typeof answer === "string") return `the text ${short(answer)}`;
  if (answer instanceof Error) return `the error ${short(answer.message)}`;
  if (typeof answer !== "object" || answer === null) return String(answer);
  if (isRawStreamParts(answer)) return `a stream of ${answer.length} parts`;
  return isTurn(answer) ? describeTurn(answer) : cut(JSON.stringify(answer));
}

function describeTurn({ text, toolCalls = [], thinking, error }: ScriptedTurn): string {
  if (error !== undefined) return `the error ${short(error.message)}`;
  const described = [
    ...(text === undefined || text === "" ? [] : [`the text ${short(text)}`]),
    ...toolCalls.map((call) => `a call ${call.name}(${cut(argumentsOf(call))})`),
  ];
  return described.length === 0 ? `the thought ${short(thinking ?? "")}` : described.join(" and ");
}

function short(text: string): string {
  return JSON.stringify(cut(text));
}

function cut(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text;
}
