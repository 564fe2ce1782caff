import {
  type AgentExecuteOptions,
  type AgentResult,
  type ConversationMessage,
  type Session,
  type ReasoningLanguage,
  isAmong,
  languageOf,
} from "../../agent/index.ts";
import type { Workspace, WorkspaceAgentOptions } from "../../app/index.ts";
import type { Registration } from "../../tool/index.ts";
import type { Used } from "../agent-view/agent-words.ts";
import { type WaitingQuestion, waitingQuestions } from "./waiting-questions.ts";

/** A conversation at the terminal: it goes on when its model or its runner is exchanged. */
export class Talk {
  readonly workspace: Workspace;
  #options: WorkspaceAgentOptions;
  readonly #session: Session;
  /** What each question took that was asked here; one that goes on is told anew. */
  readonly #used = new Map<string, Used>();

  private constructor(workspace: Workspace, options: WorkspaceAgentOptions, session: Session) {
    this.workspace = workspace;
    this.#options = options;
    this.#session = session;
  }

  /** Goes on with a conversation of the workspace, or begins one. */
  static async open(
    workspace: Workspace,
    options: WorkspaceAgentOptions,
    conversationId: string | undefined,
  ): Promise<Talk> {
    const agent = await workspace.agent(options);
    const session = agent.session(conversationId === undefined ? {} : { conversationId });
    if (conversationId !== undefined) await session.refresh();
    return new Talk(workspace, options, session);
  }

  get conversationId(): string {
    return this.#session.conversationId;
  }

  /** The questions of the conversation that wait for a person, the oldest first. */
  waiting(): Promise<readonly WaitingQuestion[]> {
    return waitingQuestions(this.workspace, this.conversationId);
  }

  /** What was said so far. */
  get messages(): readonly ConversationMessage[] {
    return this.#session.messages;
  }

  /** The language of the last question. */
  get language(): ReasoningLanguage {
    const last = this.messages.findLast(({ role }) => role === "user")?.content;
    return languageOf(
      Array.isArray(last) ? last.map((part) => (part.type === "text" ? part.text : "")).join("\n") : "",
    );
  }

  /** The tools that the model is told of or can find; a runner may let it use fewer. */
  async tools(): Promise<readonly Registration[]> {
    const { engine } = this.workspace;
    const { spec } = await this.workspace.agent(this.#options);
    if (spec.runner === "llm") return [];
    return engine.tools
      .list()
      .filter(({ tool }) => engine.isAvailable(tool) && isAmong({ engine, spec, only: undefined }, tool));
  }

  /** What the questions took that were asked here, and how many there were. */
  get used(): Used & { readonly questions: number } {
    const all = [...this.#used.values()];
    const sum = (of: (used: Used) => number): number => all.reduce((total, used) => total + of(used), 0);
    const { usage } = this.#session;
    return { questions: all.length, calls: sum(({ calls }) => calls), rounds: sum(({ rounds }) => rounds), usage };
  }

  /** How many messages there were. */
  get length(): number {
    return this.#session.messages.length;
  }

  get runner(): string {
    const { runner = this.workspace.config.agent.runner } = this.#options;
    return typeof runner === "string" ? runner : runner.name;
  }

  /** The model's name in the settings; undefined for the default one. */
  get model(): string | undefined {
    return this.#options.model ?? this.workspace.config.agent.model;
  }

  /** Asks a question; `fromOutside` where it may be anybody's. */
  ask(text: string, how: AgentExecuteOptions & { readonly fromOutside: boolean }): Promise<AgentResult> {
    return this.#heard(this.#session.ask(text, how));
  }

  /** Goes on with the question that waited for a person. */
  resume(runId: string, how: AgentExecuteOptions): Promise<AgentResult> {
    return this.#heard(this.#session.resume(runId, how));
  }

  async clear(): Promise<void> {
    await this.#session.clear();
  }

  /** The same conversation, from now on with another model or another runner. */
  async change(options: WorkspaceAgentOptions): Promise<void> {
    const changed = { ...this.#options, ...options };
    this.#session.use(await this.workspace.agent(changed));
    this.#options = changed;
  }

  async #heard(answer: Promise<AgentResult>): Promise<AgentResult> {
    const result = await answer;
    const { runId, toolUsageSummary, rounds, usage } = result;
    this.#used.set(runId, { calls: toolUsageSummary.totalCalls, rounds, usage });
    return result;
  }
}
