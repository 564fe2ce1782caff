import { parseJson } from "../../base/index.ts";
import { type Passage, SeenUrls, bringsUrls, textsIn } from "../../engine/index.ts";
import type { ModelTurn } from "../../model/index.ts";
import type { AnyTool, Effect, ToolResult } from "../../tool/index.ts";
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
  readonly #seen = new SeenUrls();
  readonly #requested: Set<string>;

  private constructor(passages: readonly Passage[], requested: Set<string>) {
    for (const passage of passages) this.#seen.add(passage);
    this.#requested = requested;
  }

  /**
   * The URLs of a conversation with this prompt. A prompt that a model wrote adds none.
   *
   * @param brings True for the name of a tool whose results are not what a model passed to it.
   */
  static of(
    { text, history, untrusted }: Pick<AgentPrompt, "text" | "history" | "untrusted">,
    brings: (tool: string) => boolean,
  ): KnownUrls {
    const passages = history.map((message) => passageOf(message, brings));
    const prompt: Passage = { by: untrusted === true ? "model" : "user", content: text };
    return new KnownUrls([...passages, prompt], requestedUrls(history));
  }

  /** Adds the result of a call. */
  addResult(result: ToolResult, effect: Effect | undefined, tool?: Pick<AnyTool, "composite" | "callerContent">): void {
    if (!result.success) return;
    const isBrought = bringsUrls(result, effect, tool) && tool?.composite !== true;
    this.#seen.add({ by: isBrought ? "tool" : "model", content: result.output });
  }

  /** Adds the response of a model. The calls of an earlier execution count for the maximum. */
  addTurn(turn: ModelTurn, isReplayed: boolean): void {
    if (isReplayed) for (const url of urlsOfCalls(parseCalls(turn.content))) this.#requested.add(url);
    this.#seen.add({ by: "model", content: () => parseCalls(turn.content) });
  }

  readonly has = (url: string): boolean => {
    if (!this.#seen.has(url)) return false;
    if (this.#requested.size >= maxKnownUrls && !this.#requested.has(url)) return false;
    this.#requested.add(url);
    return true;
  };
}

/** The response of a model with its calls parsed, since JSON can escape any letter of a URL. */
function parseCalls(content: ModelTurn["content"]): unknown {
  return content.map((part) => (part.type === "tool-call" ? parseJson(part.input, part.input) : part));
}

function passageOf(message: ConversationMessage, brings: (tool: string) => boolean): Passage {
  const { role, content } = message;
  if (role === "user") return { by: isSummary(message) ? "model" : "user", content };
  if (role !== "tool") return { by: "model", content };
  const isBrought = content.every((part) => part.type === "tool-result" && brings(part.toolName));
  return { by: isBrought ? "tool" : "model", content };
}

/** The URLs in the calls of a conversation. */
function requestedUrls(history: readonly ConversationMessage[]): Set<string> {
  const parts = history.flatMap(({ role, content }) => (role === "assistant" ? content : []));
  return new Set(parts.flatMap((part) => (part.type === "tool-call" ? [...urlsOfCalls(part.input)] : [])));
}

function urlsOfCalls(calls: unknown): string[] {
  return [...textsIn(calls)].filter((text) => /^https?:\/\//i.test(text));
}
