import type { Workspace } from "../../app/index.ts";

/** Lets the schedules and watched files of a workspace fire while the server listens. */
export class TriggerWorker {
  readonly #workspace: Workspace;
  readonly #stopping = new AbortController();
  #serving: Promise<void> | undefined;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  start(): void {
    if (this.#stopping.signal.aborted) return;
    this.#serving ??= this.#workspace.triggers.serve(this.#stopping.signal);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#serving;
  }
}
