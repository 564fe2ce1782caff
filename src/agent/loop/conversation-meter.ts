import { plainJsonSize } from "../../base/index.ts";
import { type PromptPart, estimateImages, estimateMessage, estimatePart } from "../../model/index.ts";
import { estimateTokens } from "../../text/index.ts";
import type { LoopConversation } from "./agent-loop.ts";
import type { ConversationMessage, ToolResultPart } from "../events/message.ts";

/** Estimates the size of a conversation. While it grows, only new messages are measured. */
export class ConversationMeter {
  static readonly #known = new WeakMap<LoopConversation, ConversationMeter>();
  /** Size of the constant part before the messages. */
  readonly before: number;
  #bounds = new RunningSum(boundOf);
  #sizes = new RunningSum(sizeOfMessage);

  private constructor({ system, preface = [] }: LoopConversation) {
    this.before = estimateTokens(system) + sizeOfMessages(preface);
  }

  static of(conversation: LoopConversation): ConversationMeter {
    let meter = this.#known.get(conversation);
    if (meter === undefined) this.#known.set(conversation, (meter = new ConversationMeter(conversation)));
    return meter;
  }

  /** True if the messages take no more than this number of tokens. */
  isWithin(room: number, { messages }: LoopConversation): boolean {
    return this.#bounds.of(messages) <= room || this.#sizes.of(messages) <= room;
  }

  /** Measured messages were replaced by others. */
  changed(): void {
    this.#bounds = new RunningSum(boundOf);
    this.#sizes = new RunningSum(sizeOfMessage);
  }
}

/** Running sum over a growing list of messages. */
class RunningSum {
  readonly #measure: (message: ConversationMessage) => number;
  #count = 0;
  #sum = 0;

  constructor(measure: (message: ConversationMessage) => number) {
    this.#measure = measure;
  }

  of(messages: readonly ConversationMessage[]): number {
    for (; this.#count < messages.length; this.#count++) {
      this.#sum += this.#measure(messages[this.#count] as ConversationMessage);
    }
    return this.#sum;
  }
}

/** Size of messages. */
export function sizeOfMessages(messages: readonly ConversationMessage[]): number {
  return new RunningSum(sizeOfMessage).of(messages);
}

/** Messages do not change, so each is measured once. */
const sizes = new WeakMap<ConversationMessage, number>();

/** Size of a message. */
export function sizeOfMessage(message: ConversationMessage): number {
  let size = sizes.get(message);
  if (size === undefined) sizes.set(message, (size = estimateMessage(message)));
  return size;
}

/** A cheap upper bound of a message's size. */
function boundOf({ content }: ConversationMessage): number {
  if (typeof content === "string") return content.length;
  let bound = estimateMessage(empty);
  for (const part of content) bound += boundOfPart(part) + estimateImages(part);
  return bound;
}

const empty: ConversationMessage = { role: "user", content: [] };

/** Each character is at most one token; a character that JSON escapes is at most two. */
function boundOfPart(part: PromptPart): number {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.text.length;
    case "tool-call": {
      const size = plainJsonSize(part.input, Number.MAX_SAFE_INTEGER);
      return size >= 0 ? part.toolName.length + 2 * size : estimatePart(part);
    }
    case "tool-result":
      return resultText(part)?.length ?? estimatePart(part);
    default:
      return estimatePart(part);
  }
}

/** Text of a result; undefined if it is not text. */
export function resultText({ output }: ToolResultPart): string | undefined {
  return output.type === "text" || output.type === "error-text" ? output.value : undefined;
}
