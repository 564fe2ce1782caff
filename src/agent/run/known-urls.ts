import { type Passage, bringsUrls, isBroughtUrl, textsIn } from "../../engine/index.ts";
import type { ModelTurn } from "../../model/index.ts";
import { isRecord } from "../../schema/index.ts";
import type { Effect, ToolResult } from "../../tool/index.ts";
import type { ConversationMessage } from "../events/message.ts";
import type { AgentPrompt } from "./runner.ts";
import { isSummary } from "./untrusted-messages.ts";

/** Maximum number of URLs of a conversation that are exempt: with each one, untrusted content may send a few bits. */
export const maxKnownUrls = 50;

/**
 * The URLs that a model may request although its conversation is tainted: those that appeared verbatim in a prompt or
 * in a result before the model wrote them.
 */
export class KnownUrls {
  readonly #passages: Passage[];
  readonly #requested: Set<string>;

  private constructor(passages: Passage[], requested: Set<string>) {
    this.#passages = passages;
    this.#requested = requested;
  }

  /**
   * The URLs of a conversation with this prompt. A prompt that a model wrote adds none.
   *
   * @param isPure True for the name of a pure tool, whose results contain what a model passed to it.
   */
  static of(
    { text, history, untrusted }: Pick<AgentPrompt, "text" | "history" | "untrusted">,
    isPure: (tool: string) => boolean,
  ): KnownUrls {
    const passages = history.map((message) => passageOf(message, isPure));
    return new KnownUrls([...passages, { byModel: untrusted === true, content: text }], requestedUrls(history));
  }

  /** Adds the result of a call. */
  addResult(result: ToolResult, effect: Effect | undefined): void {
    if (result.success) this.#passages.push({ byModel: !bringsUrls(result, effect), content: result.output });
  }

  /** Adds the response of a model. */
  addTurn(turn: ModelTurn): void {
    this.#passages.push({ byModel: true, content: turn.content });
  }

  readonly has = (url: string): boolean => {
    if (!isBroughtUrl(this.#read(), url)) return false;
    if (this.#requested.size >= maxKnownUrls && !this.#requested.has(url)) return false;
    this.#requested.add(url);
    return true;
  };

  *#read(): Generator<Passage> {
    for (const { byModel, content } of this.#passages) {
      yield { byModel, content: byModel ? parseCalls(content) : content };
    }
  }
}

/** The response of a model with its calls parsed, since JSON can escape any letter of a URL. */
function parseCalls(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return content.map((part: unknown) =>
    isRecord(part) && typeof part["input"] === "string" ? parsedOrText(part["input"]) : part,
  );
}

function parsedOrText(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}

function passageOf(message: ConversationMessage, isPure: (tool: string) => boolean): Passage {
  switch (message.role) {
    case "user":
      return { byModel: isSummary(message), content: message.content };
    case "tool": {
      const isBrought = (part: (typeof message.content)[number]): boolean =>
        part.type === "tool-result" && !isPure(part.toolName);
      return { byModel: false, content: message.content.filter(isBrought) };
    }
    default:
      return { byModel: true, content: message.content };
  }
}

/** The URLs in the calls of a conversation. */
function requestedUrls(history: readonly ConversationMessage[]): Set<string> {
  const urls = new Set<string>();
  for (const { role, content } of history) {
    if (role !== "assistant") continue;
    for (const part of content) {
      if (part.type !== "tool-call") continue;
      for (const text of textsIn(part.input)) if (/^https?:\/\//i.test(text)) urls.add(text);
    }
  }
  return urls;
}
