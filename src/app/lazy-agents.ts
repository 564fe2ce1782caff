import type { Closable } from "../engine/index.ts";
import { type RunJournal, isAgentRun } from "../store/index.ts";
import type { AgentsSetting, OpenedAgents } from "./open-agents.ts";

async function anyUnfinished(journal: Pick<RunJournal, "list">): Promise<boolean> {
  const [running, waiting] = await Promise.all([
    journal.list({ status: "running" }),
    journal.list({ status: "waiting" }),
  ]);
  return [...running, ...waiting].some(isAgentRun);
}

/** The agents of a workspace, of which nothing is loaded before somebody asks for them. */
export class LazyAgents implements Closable {
  readonly #setting: AgentsSetting;
  #opened: Promise<OpenedAgents> | undefined;

  constructor(setting: AgentsSetting) {
    this.#setting = setting;
  }

  open(): Promise<OpenedAgents> {
    this.#opened ??= import("./open-agents.ts").then(({ openAgents }) => openAgents(this.#setting));
    return this.#opened;
  }

  /** Ends what a run that is over has called; loads nothing where no agent is under way. */
  async endCalledBy(runId: string, by: string | undefined): Promise<void> {
    if (await anyUnfinished(this.#setting.journal.runs)) await (await this.open()).runs.endCalledBy(runId, by);
  }

  async close(): Promise<void> {
    await (await this.#opened)?.runs.close();
  }
}
