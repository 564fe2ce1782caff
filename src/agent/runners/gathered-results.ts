import { fairShare, cutText, fencedDataRule, estimateTokens, fenceData } from "../../text/index.ts";
import { type ToolImage, imagesOf } from "../../model/index.ts";
import type { ConversationMessage, ToolResultPart } from "../events/message.ts";

/** Result of a tool, as a model reads it. */
export interface GatheredResult {
  readonly tool: string;
  readonly text: string;
  /** The text is an error message. */
  readonly failed: boolean;
  readonly images?: readonly ToolImage[];
}

/** Converts the result of a call to the form that is appended to a prompt. */
export function toGatheredResult(part: ToolResultPart): GatheredResult {
  const { toolName, output } = part;
  const images = imagesOf(part);
  const text = "value" in output && typeof output.value === "string" ? output.value : JSON.stringify(output);
  const gathered = { tool: toolName, text, failed: output.type === "error-text" };
  return images.length === 0 ? gathered : { ...gathered, images };
}

/** Tool results in a conversation, without those that were already in it. */
export function resultsIn(
  messages: readonly ConversationMessage[],
  before: readonly ConversationMessage[],
): readonly GatheredResult[] {
  const old = new Set(partsIn(before).map(({ toolCallId }) => toolCallId));
  return partsIn(messages).flatMap((part) => (old.has(part.toolCallId) ? [] : [toGatheredResult(part)]));
}

function partsIn(messages: readonly ConversationMessage[]): ToolResultPart[] {
  return messages.flatMap(({ role, content }) =>
    role === "tool" ? content.filter((part) => part.type === "tool-result") : [],
  );
}

/** Texts appended to a prompt, and whether some of them had to be cut. */
export interface EnrichedPrompt {
  readonly text: string;
  readonly cut: boolean;
}

/** Separates a prompt from the results found for it. */
const header = "What the tools gave for this:";
export const notesHeader = "Notes that were found:";
/** Minimum length that is shown of each result. */
const minChars = 200;

/**
 * A prompt with tool results appended, each in its own envelope that its content cannot close. Together they take at
 * most about `maxTokens` tokens: the largest are cut first.
 */
export function enrichPrompt(prompt: string, gathered: readonly GatheredResult[], maxTokens: number): EnrichedPrompt {
  if (gathered.length === 0) return { text: prompt, cut: false };
  const limit = fairShare(
    gathered.map(({ text }) => estimateTokens(text)),
    maxTokens,
  );
  let cut = false;
  const envelopes = gathered.map(({ tool, text, failed }, index) => {
    const shown = cutToTokens(text, limit);
    cut ||= shown !== text;
    return fenceData(`${index + 1}. ${tool}${failed ? " (failed)" : ""}`, shown);
  });
  return { text: [prompt, header, fencedDataRule, ...envelopes].join("\n\n"), cut };
}

/** The beginning of a text, of about `limit` tokens. */
export function cutToTokens(text: string, limit: number): string {
  const tokens = estimateTokens(text);
  if (tokens <= limit) return text;
  return cutText(text, Math.max(minChars, Math.floor((text.length * limit) / tokens)), { at: "line" }).text;
}

/** The text that the author wrote in a message, without appended results. */
export function messageTextOf({ content }: ConversationMessage): string {
  if (typeof content === "string") return "";
  const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(" ");
  const ends = [header, notesHeader].map((line) => text.indexOf(`\n\n${line}\n\n`)).filter((at) => at !== -1);
  return text.slice(0, Math.min(text.length, ...ends)).trim();
}

/** Options that a runner passes to another runner, in addition to the prompt. */
export interface DelegateOptions {
  /** Sent to the model after the instructions of the user. */
  readonly rules?: readonly string[];
  /** Sent before the conversation, and not part of it. */
  readonly preface?: readonly ConversationMessage[];
  /** Tool results gathered before. */
  readonly earlier?: readonly GatheredResult[];
  /** Commands such as `@vault` in the prompt are text. */
  readonly noCommands?: boolean;
  /** The model does not support tools. */
  readonly noTools?: boolean;
}
