import { cutText, dataRule, estimateTokens, fenceData } from "../../text/index.ts";
import type { ConversationMessage, ToolResultPart } from "../message.ts";

/** What a tool gave, as a model reads it. */
export interface Gathered {
  readonly tool: string;
  readonly text: string;
  /** It says what went wrong. */
  readonly failed: boolean;
}

/** The result of a call as it is put behind a question. */
export function gatheredFrom({ toolName, output }: ToolResultPart): Gathered {
  const text = "value" in output && typeof output.value === "string" ? output.value : JSON.stringify(output);
  return { tool: toolName, text, failed: output.type === "error-text" };
}

/** What tools gave in a conversation, without those results that were in it before. */
export function resultsIn(
  messages: readonly ConversationMessage[],
  before: readonly ConversationMessage[],
): readonly Gathered[] {
  const old = new Set(partsIn(before).map(({ toolCallId }) => toolCallId));
  return partsIn(messages).flatMap((part) => (old.has(part.toolCallId) ? [] : [gatheredFrom(part)]));
}

function partsIn(messages: readonly ConversationMessage[]): ToolResultPart[] {
  return messages.flatMap(({ role, content }) =>
    role === "tool" ? content.filter((part) => part.type === "tool-result") : [],
  );
}

/** Texts behind a question, and whether some of them had to be cut. */
export interface Enriched {
  readonly text: string;
  readonly cut: boolean;
}

/** Stand between a question and what was found for it. */
const header = "What the tools gave for this:";
export const notesHeader = "Notes that were found:";
/** So much of each is shown in any case. */
const leastChars = 200;

/**
 * A question with what tools gave for it, each result in an envelope of its own that nothing in it can close. All of them
 * together take about so many tokens at most: the largest are cut first.
 */
export function enrich(question: string, gathered: readonly Gathered[], maxTokens: number): Enriched {
  if (gathered.length === 0) return { text: question, cut: false };
  const most = longestShare(
    gathered.map(({ text }) => estimateTokens(text)),
    maxTokens,
  );
  let cut = false;
  const envelopes = gathered.map(({ tool, text, failed }, index) => {
    const shown = cutToTokens(text, most);
    cut ||= shown !== text;
    return fenceData(`${index + 1}. ${tool}${failed ? " (failed)" : ""}`, shown);
  });
  return { text: [question, header, dataRule, ...envelopes].join("\n\n"), cut };
}

/** The most that each may take, so that all together take no more than `most`. */
export function longestShare(sizes: readonly number[], most: number): number {
  let left = most;
  let count = sizes.length;
  for (const size of sizes.toSorted((a, b) => a - b)) {
    const share = left / count;
    if (size > share) return share;
    left -= size;
    count--;
  }
  return Infinity;
}

/** The beginning of a text that takes about so many tokens. */
export function cutToTokens(text: string, most: number): string {
  const tokens = estimateTokens(text);
  if (tokens <= most) return text;
  return cutText(text, Math.max(leastChars, Math.floor((text.length * most) / tokens)), { at: "line" }).text;
}

/** What somebody said in a message, without what was put behind it. */
export function saidIn({ content }: ConversationMessage): string {
  if (typeof content === "string") return "";
  const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(" ");
  const ends = [header, notesHeader].map((line) => text.indexOf(`\n\n${line}\n\n`)).filter((at) => at !== -1);
  return text.slice(0, Math.min(text.length, ...ends)).trim();
}
