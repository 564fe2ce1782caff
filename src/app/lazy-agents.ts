import type { Closable } from "../engine/index.ts";
import type { AgentsSetting, OpenedAgents } from "./open-agents.ts";

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

  async close(): Promise<void> {
    await (await this.#opened)?.runs.close();
  }
}
