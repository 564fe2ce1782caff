import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { fitToolName } from "../../tool/index.ts";
import { type AssistantMessage, originOf } from "./to-assistant-message.ts";

/** What has been said before a question, as far as the answer to it has to know. */
export interface Conversation {
  /** How many answers there are. */
  readonly answers: number;
  /** Is there a tool call with this id? */
  has(id: string): boolean;
  /** Whose answers they are; more than there are where another conversation has begun with the same messages. */
  readonly origins: ReadonlySet<string>;
  /** May some call have a name that a service would refuse? */
  readonly hasOddNames: boolean;
}

/** What is remembered of a conversation while it grows; each of its messages knows how much was there with it. */
interface Memory {
  /** The number of the answer that had an id first. */
  readonly ids: Map<string, number>;
  readonly origins: Set<string>;
  /** Of tools that were called. */
  readonly names: Set<string>;
  hasOddNames: boolean;
}

interface Known {
  readonly memory: Memory;
  readonly answers: number;
}

const known = new WeakMap<AssistantMessage, Known>();

/** Reads a conversation. What was read for an earlier question of it is not read again: a run has many turns. */
export function conversationOf(prompt: LanguageModelV4Prompt): Conversation {
  const fresh: AssistantMessage[] = [];
  let before: Known | undefined;
  for (let at = prompt.length - 1; at >= 0 && before === undefined; at--) {
    const message = prompt[at];
    if (message?.role !== "assistant") continue;
    before = known.get(message);
    if (before === undefined) fresh.push(message);
  }
  const memory: Memory = before?.memory ?? { ids: new Map(), origins: new Set(), names: new Set(), hasOddNames: false };
  let answers = before?.answers ?? 0;
  for (let message = fresh.pop(); message !== undefined; message = fresh.pop()) {
    answers++;
    remember(message, memory, answers);
    known.set(message, { memory, answers });
  }
  const count = answers;
  const { ids, origins, hasOddNames } = memory;
  return { answers: count, origins, hasOddNames, has: (id) => (ids.get(id) ?? Infinity) <= count };
}

function remember(message: AssistantMessage, memory: Memory, number: number): void {
  const { ids, origins, names } = memory;
  origins.add(originOf(message) ?? "");
  for (const part of message.content) {
    if (part.type !== "tool-call") continue;
    if ((ids.get(part.toolCallId) ?? Infinity) > number) ids.set(part.toolCallId, number);
    if (names.has(part.toolName)) continue;
    names.add(part.toolName);
    memory.hasOddNames ||= fitToolName(part.toolName) !== part.toolName;
  }
}
