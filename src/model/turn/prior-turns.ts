import type { LanguageModelV4Prompt, LanguageModelV4Message, LanguageModelV4ToolCallPart } from "@ai-sdk/provider";
import { fitToolName } from "../../tool/index.ts";
import type { ModelTurn, TurnPart, TurnToolCall } from "../port/model-turn.ts";

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

/** A message of a model in a conversation. */
export type AssistantMessage = Extract<LanguageModelV4Message, { role: "assistant" }>;

/**
 * A response as the next request carries it: with everything that its service requires back, including thinking and
 * signatures. Each of its tool calls needs a result with its id. A call that could not be parsed is shown without
 * arguments, since services reject arguments that are not an object; the problem belongs in its result.
 *
 * @example
 * ```ts
 * const turn = await requestTurn(model, call);
 * messages.push(toAssistantMessage(turn));
 * ```
 */
export function toAssistantMessage(turn: ModelTurn): AssistantMessage {
  return {
    role: "assistant",
    content: turn.content.map(toPart),
    providerOptions: { [originKey]: { of: originFor(turn.family, turn.provider) } },
  };
}

/** Key under which a message stores its origin. No client reads this key of a message. */
const originKey = "windlass_origin";

/** The origin of this message, in the form of {@link originFor}; undefined if it has none. */
export function messageOrigin({ providerOptions }: AssistantMessage): string | undefined {
  const origin = providerOptions?.[originKey]?.["of"];
  return typeof origin === "string" ? origin : undefined;
}

/** The common origin of messages from models of this family at this provider. */
export function originFor(family: string, provider: string): string {
  return `${family}@${provider}`;
}

function toPart(part: TurnPart): AssistantMessage["content"][number] {
  if (part.type === "tool-call") return toCallPart(part);
  const { type, text, providerOptions } = part;
  return providerOptions === undefined ? { type, text } : { type, text, providerOptions };
}

function toCallPart({ id, name, input, broken, providerOptions }: TurnToolCall): LanguageModelV4ToolCallPart {
  const args = broken === undefined ? (JSON.parse(input) as unknown) : {};
  const part = { type: "tool-call" as const, toolCallId: id, toolName: name, input: args };
  return providerOptions === undefined ? part : { ...part, providerOptions };
}
