import { estimateTokens } from "../../text/index.ts";
import type { AgentRun } from "../run/agent-run.ts";
import type { Talk } from "./converse.ts";
import type { ConversationMessage, ToolResultPart } from "./message.ts";

/** From this part of the context on, older results are cleared. */
const fullAt = 0.75;
/** Results of the last rounds stay. */
const keptRounds = { usual: 2, more: 1 } as const;
/** What is shorter is not worth it. */
const shortest = 400;

/**
 * Clears old tool results where a request comes near the limit of the context: each call keeps its result message, the
 * thoughts and signatures of the model stay as they are, and what was cleared says so and how to get it back. True when
 * something was cleared. What it does depends only on what the run knows from its journal.
 */
export function makeRoom(run: AgentRun, talk: Talk, how: "usual" | "more"): boolean {
  const { messages } = talk;
  const room = roomFor(run, talk);
  let size = sizeOfAll(messages);
  const most = how === "more" ? Math.min(size, room) / 2 : room;
  let cleared = false;
  for (const index of clearable(messages, keptRounds[how])) {
    const before = messages[index] as ConversationMessage;
    const after = withoutResults(before);
    if (after === before) continue;
    messages[index] = after;
    cleared = true;
    size -= sizeOf(before) - sizeOf(after);
    if (size <= most) break;
  }
  return cleared;
}

/** Is a conversation short enough to be sent as it is? No text has more tokens than twice its characters. */
export function fits(run: AgentRun, talk: Talk): boolean {
  const room = roomFor(run, talk);
  let length = 0;
  for (const message of talk.messages) length += measured(message).length;
  return length * 2 <= room || sizeOfAll(talk.messages) <= room;
}

/** How many tokens the messages may take, by estimate. */
export function roomFor({ spec }: AgentRun, { system, preface = [], tools }: Talk): number {
  return spec.contextTokens * fullAt - estimateTokens(system) - sizeOfAll(preface) - (tools?.tokens ?? 0);
}

/** Places of tool messages, the oldest first, without those of the last rounds. */
function clearable(messages: readonly ConversationMessage[], kept: number): number[] {
  const places = messages.flatMap(({ role }, index) => (role === "tool" ? [index] : []));
  return places.slice(0, Math.max(0, places.length - kept));
}

function withoutResults(message: ConversationMessage): ConversationMessage {
  if (message.role !== "tool") return message;
  let changed = false;
  const content = message.content.map((part) => {
    const text = part.type === "tool-result" ? textOf(part) : undefined;
    if (part.type !== "tool-result" || text === undefined || text.length < shortest) return part;
    changed = true;
    return { ...part, output: { type: "text" as const, value: clearedText(text) } };
  });
  return changed ? { ...message, content } : message;
}

function textOf({ output }: ToolResultPart): string | undefined {
  return output.type === "text" || output.type === "error-text" ? output.value : undefined;
}

/** The handle of a result that is kept is worth keeping. */
const handleIn = /result:[\w.:-]+/;

function clearedText(text: string): string {
  const handle = handleIn.exec(text)?.[0];
  const back =
    handle === undefined ? "call the tool again if you need it" : `read_result {"handle":"${handle}"} gives it again`;
  return `[cleared to make room: ${text.length} characters; ${back}]`;
}

/** Messages do not change, so each is measured once. */
const measures = new WeakMap<ConversationMessage, { readonly length: number; tokens: number | undefined }>();

function measured(message: ConversationMessage): { readonly length: number; tokens: number | undefined } {
  let measure = measures.get(message);
  if (measure === undefined) {
    measure = { length: lengthOf(message), tokens: undefined };
    measures.set(message, measure);
  }
  return measure;
}

/** What messages take, by estimate. */
export function sizeOfAll(messages: readonly ConversationMessage[]): number {
  let size = 0;
  for (const message of messages) size += sizeOf(message);
  return size;
}

function sizeOf(message: ConversationMessage): number {
  const measure = measured(message);
  measure.tokens ??= tokensOf(message);
  return measure.tokens;
}

/** About what an image takes, whatever its bytes. */
const imageTokens = 1000;

type Part = Exclude<ConversationMessage["content"], string>[number];

function lengthOf({ content }: ConversationMessage): number {
  if (typeof content === "string") return content.length;
  let length = 0;
  for (const part of content) length += partText(part)?.length ?? imageTokens;
  return length;
}

function tokensOf({ content }: ConversationMessage): number {
  if (typeof content === "string") return estimateTokens(content);
  let tokens = 4;
  for (const part of content) {
    const text = partText(part);
    tokens += text === undefined ? imageTokens : estimateTokens(text);
  }
  return tokens;
}

/** What a part says; undefined for an image or a file. */
function partText(part: Part): string | undefined {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.text;
    case "tool-call":
      return part.toolName + JSON.stringify(part.input);
    case "tool-result":
      return textOf(part) ?? JSON.stringify(part.output);
    default:
      return undefined;
  }
}
