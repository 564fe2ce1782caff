import type { AgentExecuteOptions, AgentResult, Session } from "../../agent/index.ts";
import type { Workspace, WorkspaceAgentOptions } from "../../app/index.ts";
import { type Conversation, conversationSoFar } from "../conversation-so-far.ts";

/** A conversation at the terminal: it goes on when its model or its runner is exchanged. */
export class Talk {
  readonly workspace: Workspace;
  #options: WorkspaceAgentOptions;
  #session: Session;
  /** The last question, where it waits for a person. */
  waiting: string | undefined;

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
    const said = await conversationSoFar(workspace, conversationId);
    return new Talk(workspace, options, await sessionOf(workspace, options, said));
  }

  get conversationId(): string {
    return this.#session.conversationId;
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

  ask(text: string, how: AgentExecuteOptions): Promise<AgentResult> {
    return this.#heard(this.#session.ask(text, how));
  }

  /** Goes on with the question that waited for a person. */
  resume(runId: string, how: AgentExecuteOptions): Promise<AgentResult> {
    return this.#heard(this.#session.resume(runId, how));
  }

  clear(): void {
    this.#session.clear();
    this.waiting = undefined;
  }

  /** The same conversation, from now on with another model or another runner. */
  async change(options: WorkspaceAgentOptions): Promise<void> {
    const { conversationId, messages: history, tainted } = this.#session;
    const changed = { ...this.#options, ...options };
    this.#session = await sessionOf(this.workspace, changed, { conversationId, history, tainted });
    this.#options = changed;
  }

  async #heard(answer: Promise<AgentResult>): Promise<AgentResult> {
    const result = await answer;
    this.waiting = result.status === "waiting" ? result.runId : undefined;
    return result;
  }
}

async function sessionOf(workspace: Workspace, options: WorkspaceAgentOptions, said: Conversation): Promise<Session> {
  return (await workspace.agent(options)).session(said);
}
