import { plainJsonSize } from "../../base/index.ts";
import { type PromptPart, estimateMessage, estimatePart } from "../../model/index.ts";
import { estimateTokens } from "../../text/index.ts";
import type { Talk } from "./converse.ts";
import type { ConversationMessage, ToolResultPart } from "../message.ts";

/** Measures a conversation, by estimate. While it grows, only what is new is measured. */
export class TalkMeter {
  static readonly #known = new WeakMap<Talk, TalkMeter>();
  /** Of what comes before the messages and stays the same. */
  readonly before: number;
  #bounds = new RunningSum(boundOf);
  #sizes = new RunningSum(sizeOf);

  private constructor({ system, preface = [] }: Talk) {
    this.before = estimateTokens(system) + sizeOfAll(preface);
  }

  static of(talk: Talk): TalkMeter {
    let meter = this.#known.get(talk);
    if (meter === undefined) this.#known.set(talk, (meter = new TalkMeter(talk)));
    return meter;
  }

  /** Do the messages take no more than so many tokens? */
  isWithin(room: number, { messages }: Talk): boolean {
    return this.#bounds.of(messages) <= room || this.#sizes.of(messages) <= room;
  }

  /** Others stand in the place of messages that were measured. */
  changed(): void {
    this.#bounds = new RunningSum(boundOf);
    this.#sizes = new RunningSum(sizeOf);
  }
}

/** Of messages, to which others are added. */
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

/** What messages take. */
export function sizeOfAll(messages: readonly ConversationMessage[]): number {
  return new RunningSum(sizeOf).of(messages);
}

/** Messages do not change, so each is measured once. */
const sizes = new WeakMap<ConversationMessage, number>();

/** What a message takes. */
export function sizeOf(message: ConversationMessage): number {
  let size = sizes.get(message);
  if (size === undefined) sizes.set(message, (size = estimateMessage(message)));
  return size;
}

/** A number that is quickly found, and no less than what a message takes. */
function boundOf({ content }: ConversationMessage): number {
  if (typeof content === "string") return content.length;
  let bound = estimateMessage(empty);
  for (const part of content) bound += boundOfPart(part);
  return bound;
}

const empty: ConversationMessage = { role: "user", content: [] };

/** No character is more than a token, and none that JSON writes as an escape sequence more than two. */
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

/** What a result says; undefined where it is no text. */
export function resultText({ output }: ToolResultPart): string | undefined {
  return output.type === "text" || output.type === "error-text" ? output.value : undefined;
}
