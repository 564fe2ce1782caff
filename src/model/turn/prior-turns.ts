import type { LanguageModelV4Prompt, LanguageModelV4Message, LanguageModelV4ToolCallPart } from "@ai-sdk/provider";
import { fitToolName } from "../../tool/index.ts";
import type { ModelTurn, TurnPart, TurnToolCall } from "../port/model-turn.ts";

/** Facts about the conversation before a request that its response depends on. */
export interface PriorTurns {
  /** Number of responses. */
  readonly answers: number;
  /** True if there is a tool call with this id. */
  has(id: string): boolean;
  /** Origins of the responses; may contain more if earlier messages were replaced since. */
  readonly origins: ReadonlySet<string>;
  /** True if some call may have a name that a service would reject. */
  readonly hasOddNames: boolean;
}

/** Reads the conversation of a run. While it grows, only new messages are read. */
export class PriorTurnsReader {
  #facts = new ConversationFacts();
  /** Number of messages that were read, and the last of them. */
  #count = 0;
  #last: LanguageModelV4Message | undefined;

  read(prompt: LanguageModelV4Prompt): PriorTurns {
    if (this.#count > prompt.length || prompt[this.#count - 1] !== this.#last) {
      this.#facts = new ConversationFacts();
      this.#count = 0;
    }
    const facts = this.#facts;
    for (; this.#count < prompt.length; this.#count++) {
      const message = prompt[this.#count];
      if (message?.role === "assistant") facts.add(message);
    }
    this.#last = prompt[this.#count - 1];
    const { answers, origins, hasOddNames } = facts;
    // Another request may read on while this one is in flight.
    return { answers, origins, hasOddNames, has: (id) => facts.has(id, answers) };
  }
}

/** Facts collected while a conversation grows. */
class ConversationFacts {
  answers = 0;
  readonly origins = new Set<string>();
  hasOddNames = false;
  /** Number of the response in which an id occurred first. */
  readonly #ids = new Map<string, number>();
  /** Names of the called tools. */
  readonly #names = new Set<string>();

  has(id: string, within: number): boolean {
    return (this.#ids.get(id) ?? Infinity) <= within;
  }

  add(message: AssistantMessage): void {
    this.answers++;
    this.origins.add(messageOrigin(message) ?? "");
    for (const part of message.content) {
      if (part.type !== "tool-call") continue;
      if (!this.#ids.has(part.toolCallId)) this.#ids.set(part.toolCallId, this.answers);
      if (this.#names.has(part.toolName)) continue;
      this.#names.add(part.toolName);
      this.hasOddNames ||= fitToolName(part.toolName) !== part.toolName;
    }
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
