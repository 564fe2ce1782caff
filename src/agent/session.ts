import { createIdGenerator, fail, raceAbortOrUndefined } from "../base/index.ts";
import { type TokenUsage, addUsage, noTokens } from "../model/index.ts";
import type { Agent, AgentRunOptions } from "./agent.ts";
import type { AgentResult } from "./events/agent-result.ts";
import { checkHistory } from "./check-history.ts";
import { hasUntrustedContent } from "./run/untrusted-messages.ts";
import type { ConversationMessage } from "./events/message.ts";
import type { AgentExecuteOptions } from "./run/execute-options.ts";
import { type MessageHistory, emptyHistory } from "./run/message-history.ts";

/** Options of a {@link Session}. */
export interface SessionOptions {
  /** Id of a conversation to continue. Default: a new conversation. */
  readonly conversationId?: string;
  /** Initial history, instead of the stored history of the conversation. */
  readonly history?: readonly ConversationMessage[];
  /** True if the history contains untrusted content. Default: derived from the history or the conversation. */
  readonly tainted?: boolean;
}

const ids = createIdGenerator();

/**
 * A conversation with an agent. Its content is the journal's: others may send prompts to it too, and each prompt sees
 * the answers that were complete when it was sent, in their order. A cancelled or failed prompt leaves it unchanged;
 * one that waited for a person becomes part of it as soon as it is answered.
 *
 * @see docs/guide/agents.md
 */
export class Session {
  readonly conversationId: string;
  #agent: Agent;
  /** Undefined until it is loaded. */
  #history: MessageHistory | undefined;
  /** Declared as tainted by its creator, regardless of the loaded history. */
  #isTainted: boolean;
  /** Usage per prompt. Each resumed execution of a run reports its usage anew. */
  readonly #usage = new Map<string, TokenUsage>();
  /** Settles once everything sent so far has ended. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(agent: Agent, { conversationId, history, tainted }: SessionOptions = {}) {
    this.#agent = agent;
    this.conversationId = conversationId ?? ids.next();
    this.#isTainted = tainted === true;
    if (history !== undefined) {
      checkHistory(history);
      this.#history = {
        messages: history,
        tainted: tainted ?? hasUntrustedContent(history),
        turn: 0,
        isPersisted: false,
      };
    } else if (conversationId === undefined) this.#history = emptyHistory;
  }

  /** The history, as of the last refresh. */
  get messages(): readonly ConversationMessage[] {
    return this.#history?.messages ?? [];
  }

  /** It contains untrusted content. */
  get tainted(): boolean {
    return this.#isTainted || this.#history?.tainted === true;
  }

  /** Usage of the prompts sent here. */
  get usage(): TokenUsage {
    return [...this.#usage.values()].reduce(addUsage, noTokens);
  }

  /** Loads turns added by others since. Every prompt does so before it is sent. */
  async refresh(): Promise<void> {
    this.#history = await this.#agent.runs.conversations.load(this.conversationId, this.#history);
  }

  /**
   * Sends the next prompt. Prompts are answered one at a time, in this order. A tool that one of them calls must not
   * wait for another: it would wait for itself.
   */
  send(
    text: string,
    options: Omit<AgentRunOptions, "history" | "tainted" | "conversationId"> = {},
  ): Promise<AgentResult> {
    return this.#answer(options.signal, async () => {
      await this.refresh();
      const { conversationId, tainted } = this;
      const history = { ...(this.#history ?? emptyHistory), tainted };
      const { runs, spec } = this.#agent;
      return this.#agent.track(runs.start(spec, text, { ...options, history, conversationId }));
    });
  }

  /** Resumes a prompt of this conversation that waited for a person. */
  resume(runId: string, options: AgentExecuteOptions = {}): Promise<AgentResult> {
    return this.#answer(options.signal, async () => {
      const of = await this.#agent.runs.conversationOf(runId);
      if (of !== this.conversationId) {
        throw fail(`run ${runId} does not belong to this conversation`, { code: "validation_error" });
      }
      return this.#agent.resume(runId, options);
    });
  }

  /** Continues with another agent. */
  use(agent: Agent): void {
    // Its runs may be stored elsewhere, where this history is unknown.
    if (agent.runs !== this.#agent.runs && this.#history !== undefined)
      this.#history = { ...this.#history, isPersisted: false };
    this.#agent = agent;
  }

  /** Clears the history, also for other users of this conversation, now or later. Prompts sent before end first. */
  clear(): Promise<void> {
    return this.#enqueue(undefined, async () => {
      const { runs } = this.#agent;
      await runs.conversations.clear(this.conversationId, runs.now());
      this.#history = undefined;
      this.#isTainted = false;
      await this.refresh();
    });
  }

  #answer(signal: AbortSignal | undefined, begin: () => Promise<AgentResult>): Promise<AgentResult> {
    return this.#enqueue(signal, async () => {
      const result = await begin();
      this.#usage.set(result.runId, result.usage);
      if (result.status === "completed") await this.#onResult();
      return result;
    });
  }

  /** Does the work after everything before it; immediately if the signal aborts, since it then only reports that. */
  async #enqueue<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    const before = this.#queue;
    const ended = Promise.withResolvers<void>();
    this.#queue = before.then(() => ended.promise);
    try {
      await (signal === undefined ? before : raceAbortOrUndefined(before, signal));
      return await work();
    } finally {
      ended.resolve();
    }
  }

  /** The answer is part of the conversation, and so is a history from the caller, which the prompt brought along. */
  async #onResult(): Promise<void> {
    if (this.#history?.isPersisted === false) this.#history = undefined;
    // The answer counts even if this fails; the next prompt refreshes again.
    await this.refresh().catch(() => {});
  }
}
