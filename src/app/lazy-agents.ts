import type { Closable } from "../engine/index.ts";
import type { RunReader } from "../store/index.ts";
import type { OpenAgentsOptions, OpenedAgents } from "./open-agents.ts";

async function anyUnfinished(journal: Pick<RunReader, "list">): Promise<boolean> {
  const [running, waiting] = await Promise.all([
    journal.list({ kind: "agent", status: "running", limit: 1 }),
    journal.list({ kind: "agent", status: "waiting", limit: 1 }),
  ]);
  return running.length + waiting.length > 0;
}

/** The agents of a workspace, loaded on first use. */
export class LazyAgents implements Closable {
  readonly #setting: OpenAgentsOptions;
  #opened: Promise<OpenedAgents> | undefined;

  constructor(setting: OpenAgentsOptions) {
    this.#setting = setting;
  }

  open(): Promise<OpenedAgents> {
    this.#opened ??= import("./open-agents.ts").then(({ openAgents }) => openAgents(this.#setting));
    return this.#opened;
  }

  /** Ends the sub-runs of a finished run; loads nothing if no agent is running. */
  async cancelSubRuns(runId: string, by: string | undefined): Promise<void> {
    if (await anyUnfinished(this.#setting.service.journal)) await (await this.open()).runs.cancelSubRuns(runId, by);
  }

  async close(): Promise<void> {
    await (await this.#opened)?.runs.close();
  }
}
