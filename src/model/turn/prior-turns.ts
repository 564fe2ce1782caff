import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { fitToolName } from "../../tool/index.ts";
import { type AssistantMessage, messageOrigin } from "./to-assistant-message.ts";

/** Facts about the conversation before a request that its response depends on. */
export interface PriorTurns {
  /** Number of responses. */
  readonly answers: number;
  /** True if there is a tool call with this id. */
  has(id: string): boolean;
  /** Origins of the responses; may contain more if another conversation began with the same messages. */
  readonly origins: ReadonlySet<string>;
  /** True if some call may have a name that a service would reject. */
  readonly hasOddNames: boolean;
}

/** Facts collected while a conversation grows; each message knows how many responses preceded it. */
interface Memory {
  /** Number of the response in which an id occurred first. */
  readonly ids: Map<string, number>;
  readonly origins: Set<string>;
  /** Names of the called tools. */
  readonly names: Set<string>;
  hasOddNames: boolean;
}

interface Known {
  readonly memory: Memory;
  readonly answers: number;
}

const known = new WeakMap<AssistantMessage, Known>();

/**
 * Reads a conversation. Messages that were read for an earlier request are not read again, because a run has many
 * turns.
 */
export function readPriorTurns(prompt: LanguageModelV4Prompt): PriorTurns {
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
  origins.add(messageOrigin(message) ?? "");
  for (const part of message.content) {
    if (part.type !== "tool-call") continue;
    if ((ids.get(part.toolCallId) ?? Infinity) > number) ids.set(part.toolCallId, number);
    if (names.has(part.toolName)) continue;
    names.add(part.toolName);
    memory.hasOddNames ||= fitToolName(part.toolName) !== part.toolName;
  }
}
