import type { Agent, AskOptions } from "./agent.ts";
import { createIds, fail } from "../base/index.ts";
import type { AgentResult } from "./agent-result.ts";
import { holdsOutside } from "./loop/holds-outside.ts";
import type { ConversationMessage } from "./loop/message.ts";
import type { AgentExecuteOptions } from "./run/agent-runs.ts";
import { type TokenUsage, addUsage, noTokens } from "../model/index.ts";

const ids = createIds();

/** A conversation with an agent. A question that was cancelled or failed leaves what was said before as it was. */
export class Session {
  readonly conversationId: string;
  readonly #agent: Agent;
  #messages: readonly ConversationMessage[];
  #tainted: boolean | undefined;
  /** Of the questions before the last one. */
  #usage: TokenUsage = noTokens;
  /** The last question, which may go on when a person has decided. */
  #last: { readonly runId: string; readonly usage: TokenUsage } | undefined;
  #asking = false;

  constructor(
    agent: Agent,
    options: {
      readonly conversationId?: string;
      readonly history?: readonly ConversationMessage[];
      readonly tainted?: boolean;
    },
  ) {
    this.#agent = agent;
    this.conversationId = options.conversationId ?? ids.next();
    this.#messages = options.history ?? [];
    this.#tainted = options.tainted;
  }

  /** What was said so far. */
  get messages(): readonly ConversationMessage[] {
    return this.#messages;
  }

  /** Text from outside has entered it. */
  get tainted(): boolean {
    return this.#tainted ?? holdsOutside(this.#messages);
  }

  /** What all its questions took. */
  get usage(): TokenUsage {
    return this.#last === undefined ? this.#usage : addUsage(this.#usage, this.#last.usage);
  }

  /** Asks the next question; one at a time. */
  ask(text: string, options: Omit<AskOptions, "history" | "tainted" | "conversationId"> = {}): Promise<AgentResult> {
    const { conversationId } = this;
    const said = { history: this.#messages, ...(this.#tainted !== undefined && { tainted: this.#tainted }) };
    return this.#take(() => this.#agent.run(text, { ...options, conversationId, ...said }));
  }

  /** Goes on with the last question of this conversation, which waited for a person. */
  resume(runId: string, options: AgentExecuteOptions = {}): Promise<AgentResult> {
    return this.#take(async () => {
      await this.#checkLast(runId);
      return this.#agent.resume(runId, options);
    });
  }

  /** Forgets what was said. */
  clear(): void {
    this.#messages = [];
    this.#tainted = undefined;
  }

  /** What was said since would be forgotten, and what others were asked is no part of this. */
  async #checkLast(runId: string): Promise<void> {
    if (this.#last?.runId === runId) return;
    if (this.#last !== undefined) {
      const message = `the conversation went on without run ${runId}; resume it by itself, or ask again`;
      throw fail(message, { code: "validation_error" });
    }
    const of = await this.#agent.runs.conversationOf(runId);
    if (of === this.conversationId) return;
    throw fail(`run ${runId} is no question of this conversation`, { code: "validation_error" });
  }

  async #take(begin: () => Promise<AgentResult>): Promise<AgentResult> {
    if (this.#asking) throw fail("the conversation is answering another question", { code: "rejected" });
    this.#asking = true;
    try {
      const result = await begin();
      const { runId, usage } = result;
      // What a run took is told anew with each of its lives.
      if (this.#last !== undefined && this.#last.runId !== runId) this.#usage = this.usage;
      this.#last = { runId, usage };
      if (result.status === "completed") {
        this.#messages = result.messages;
        this.#tainted = result.tainted;
      }
      return result;
    } finally {
      this.#asking = false;
    }
  }
}
