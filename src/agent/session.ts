import { createIds, fail } from "../base/index.ts";
import { type TokenUsage, addUsage, noTokens } from "../model/index.ts";
import type { Agent, AskOptions } from "./agent.ts";
import type { AgentResult } from "./agent-result.ts";
import { checkHistory } from "./check-history.ts";
import { holdsOutside } from "./run/holds-outside.ts";
import type { ConversationMessage } from "./message.ts";
import type { AgentExecuteOptions } from "./run/execute-options.ts";
import { type Said, nothingSaid } from "./run/said.ts";

/** What a {@link Session} is to be. */
export interface SessionOptions {
  /** Of a conversation that goes on; a new one where absent. */
  readonly conversationId?: string;
  /** What it begins with, instead of what was said in it so far. */
  readonly history?: readonly ConversationMessage[];
  /** Whether what was said holds text from outside. Where absent, as the history or the conversation tells. */
  readonly tainted?: boolean;
}

const ids = createIds();

/**
 * A conversation with an agent. It is what the journal has of it: others may ask in it too, and each question sees what
 * was answered before it was asked, in the order of the answers. A question that was cancelled or failed leaves it as it
 * was; one that waited for a person is part of it as soon as it is answered.
 */
export class Session {
  readonly conversationId: string;
  #agent: Agent;
  /** Undefined until it is looked up. */
  #said: Said | undefined;
  /** Whoever began it said that it is, whatever is looked up. */
  #isTainted: boolean;
  /** Of each question. What a run took is told anew with each of its lives. */
  readonly #usage = new Map<string, TokenUsage>();
  #asking = false;

  constructor(agent: Agent, { conversationId, history, tainted }: SessionOptions = {}) {
    this.#agent = agent;
    this.conversationId = conversationId ?? ids.next();
    this.#isTainted = tainted === true;
    if (history !== undefined) {
      checkHistory(history);
      this.#said = { messages: history, tainted: tainted ?? holdsOutside(history), turn: 0, isKept: false };
    } else if (conversationId === undefined) this.#said = nothingSaid;
  }

  /** What was said so far, when it was last looked up. */
  get messages(): readonly ConversationMessage[] {
    return this.#said?.messages ?? [];
  }

  /** Text from outside has entered it. */
  get tainted(): boolean {
    return this.#isTainted || this.#said?.tainted === true;
  }

  /** What the questions took that were asked here. */
  get usage(): TokenUsage {
    return [...this.#usage.values()].reduce(addUsage, noTokens);
  }

  /** Looks up what was said meanwhile. Every question does so before it is asked. */
  async refresh(): Promise<void> {
    this.#said = await this.#agent.runs.conversations.soFar(this.conversationId, this.#said);
  }

  /** Asks the next question; one at a time. */
  ask(text: string, options: Omit<AskOptions, "history" | "tainted" | "conversationId"> = {}): Promise<AgentResult> {
    return this.#take(async () => {
      await this.refresh();
      const { conversationId, tainted } = this;
      const said = { ...(this.#said ?? nothingSaid), tainted };
      const { runs, spec } = this.#agent;
      return this.#agent.track(runs.start(spec, text, { ...options, said, conversationId }));
    });
  }

  /** Goes on with a question of this conversation that waited for a person. */
  resume(runId: string, options: AgentExecuteOptions = {}): Promise<AgentResult> {
    return this.#take(async () => {
      const of = await this.#agent.runs.conversationOf(runId);
      if (of !== this.conversationId) {
        throw fail(`run ${runId} is no question of this conversation`, { code: "validation_error" });
      }
      return this.#agent.resume(runId, options);
    });
  }

  /** Goes on with another agent. */
  use(agent: Agent): void {
    // Its runs may be kept elsewhere, where nothing of this is known.
    if (agent.runs !== this.#agent.runs && this.#said !== undefined) this.#said = { ...this.#said, isKept: false };
    this.#agent = agent;
  }

  /** Forgets what was said, also for others who ask in this conversation, now or later. */
  async clear(): Promise<void> {
    if (this.#asking) throw answering();
    const { runs } = this.#agent;
    await runs.conversations.clear(this.conversationId, runs.now());
    this.#said = undefined;
    this.#isTainted = false;
    await this.refresh();
  }

  async #take(begin: () => Promise<AgentResult>): Promise<AgentResult> {
    if (this.#asking) throw answering();
    this.#asking = true;
    try {
      const result = await begin();
      this.#usage.set(result.runId, result.usage);
      if (result.status === "completed") await this.#heard();
      return result;
    } finally {
      this.#asking = false;
    }
  }

  /** The answer is part of the conversation. What was given from elsewhere is, too, as the question brought it along. */
  async #heard(): Promise<void> {
    if (this.#said?.isKept === false) this.#said = undefined;
    // The answer counts, and the next question looks again.
    await this.refresh().catch(() => {});
  }
}

function answering(): Error {
  return fail("the conversation is answering another question", { code: "rejected" });
}
