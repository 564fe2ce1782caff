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
  #usage: TokenUsage = noTokens;
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
    return this.#usage;
  }

  /** Asks the next question; one at a time. */
  ask(text: string, options: Omit<AskOptions, "history" | "tainted" | "conversationId"> = {}): Promise<AgentResult> {
    const { conversationId } = this;
    const said = { history: this.#messages, ...(this.#tainted !== undefined && { tainted: this.#tainted }) };
    return this.#take(() => this.#agent.run(text, { ...options, conversationId, ...said }));
  }

  /** Goes on with a question of this conversation that waited for a person. */
  resume(runId: string, options: AgentExecuteOptions = {}): Promise<AgentResult> {
    return this.#take(() => this.#agent.resume(runId, options));
  }

  /** Forgets what was said. */
  clear(): void {
    this.#messages = [];
    this.#tainted = undefined;
  }

  async #take(begin: () => Promise<AgentResult>): Promise<AgentResult> {
    if (this.#asking) throw fail("the conversation is answering another question", { code: "rejected" });
    this.#asking = true;
    try {
      const result = await begin();
      this.#usage = addUsage(this.#usage, result.usage);
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
