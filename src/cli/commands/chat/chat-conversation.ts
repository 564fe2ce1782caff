import {
  type AgentExecuteOptions,
  type AgentResult,
  type ConversationMessage,
  type Session,
  type ReasoningLanguage,
  isListedTool,
  deserializeAgentRun,
} from "../../../agent/index.ts";
import { detectLanguage } from "../../../text/index.ts";
import type { Workspace, WorkspaceAgentOptions } from "../../../app/index.ts";
import type { Registration } from "../../../tool/index.ts";
import type { AgentUsage } from "../../terminal/texts/agent-usage.ts";

/** A conversation at the terminal. It continues when its model or runner is switched. */
export class ChatConversation {
  readonly workspace: Workspace;
  #options: WorkspaceAgentOptions;
  readonly #session: Session;
  /** Usage per prompt of this session; a resumed prompt replaces its earlier entry. */
  readonly #used = new Map<string, AgentUsage>();

  private constructor(workspace: Workspace, options: WorkspaceAgentOptions, session: Session) {
    this.workspace = workspace;
    this.#options = options;
    this.#session = session;
  }

  /** Opens a conversation of the workspace, or starts one. */
  static async open(
    workspace: Workspace,
    options: WorkspaceAgentOptions,
    conversationId: string | undefined,
  ): Promise<ChatConversation> {
    const agent = await workspace.agent(options);
    const session = agent.session(conversationId === undefined ? {} : { conversationId });
    if (conversationId !== undefined) await session.refresh();
    return new ChatConversation(workspace, options, session);
  }

  get conversationId(): string {
    return this.#session.conversationId;
  }

  /** Suspended prompts of the conversation that wait for approval, oldest first. */
  waiting(): Promise<readonly SuspendedPrompt[]> {
    return listSuspendedPrompts(this.workspace, this.conversationId);
  }

  /** The conversation history. */
  get messages(): readonly ConversationMessage[] {
    return this.#session.messages;
  }

  /** Language of the last prompt. */
  get language(): ReasoningLanguage {
    const last = this.messages.findLast(({ role }) => role === "user")?.content;
    return detectLanguage(
      Array.isArray(last) ? last.map((part) => (part.type === "text" ? part.text : "")).join("\n") : "",
    );
  }

  /** Tools that the model sees or can find; a runner may restrict them further. */
  async tools(): Promise<readonly Registration[]> {
    const { engine } = this.workspace;
    const { spec } = await this.workspace.agent(this.#options);
    if (spec.runner === "llm") return [];
    return engine.tools
      .list()
      .filter(({ tool }) => engine.isAvailable(tool) && isListedTool({ engine, spec, only: undefined }, tool));
  }

  /** Total usage and number of the prompts of this session. */
  get used(): AgentUsage & { readonly prompts: number } {
    const all = [...this.#used.values()];
    const sum = (of: (used: AgentUsage) => number): number => all.reduce((total, used) => total + of(used), 0);
    const { usage } = this.#session;
    return { prompts: all.length, calls: sum(({ calls }) => calls), rounds: sum(({ rounds }) => rounds), usage };
  }

  /** Number of messages. */
  get length(): number {
    return this.#session.messages.length;
  }

  get runner(): string {
    const { runner = this.workspace.config.agent.runner } = this.#options;
    return typeof runner === "string" ? runner : runner.name;
  }

  /** Name of the model in the settings; undefined for the default model. */
  get model(): string | undefined {
    return this.#options.model ?? this.workspace.config.agent.model;
  }

  /** Sends a prompt; `untrusted` if it may not come from the user. */
  send(text: string, how: AgentExecuteOptions & { readonly untrusted: boolean }): Promise<AgentResult> {
    return this.#heard(this.#session.send(text, how));
  }

  /** Resumes a suspended prompt. */
  resume(runId: string, how: AgentExecuteOptions): Promise<AgentResult> {
    return this.#heard(this.#session.resume(runId, how));
  }

  async clear(): Promise<void> {
    await this.#session.clear();
  }

  /** Continues the same conversation with another model or runner. */
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

/** A prompt of a conversation that is suspended and waits for approval. */
interface SuspendedPrompt {
  readonly runId: string;
  /** With secrets redacted. */
  readonly text: string;
}

/** Suspended prompts of a conversation that wait for approval, oldest first, including those of other processes. */
async function listSuspendedPrompts(
  { runs, engine }: Workspace,
  conversationId: string,
): Promise<readonly SuspendedPrompt[]> {
  const waiting = await runs.list({ conversation: conversationId, status: "waiting", limit: 1000 });
  return waiting
    .map((run) => ({ runId: run.id, text: engine.redactor.knownText(deserializeAgentRun(run).prompt.text) }))
    .reverse();
}
