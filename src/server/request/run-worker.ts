import type { Workspace } from "../../app/index.ts";

/**
 * Executes the runs of a workspace that are executable: new ones, woken ones, and those whose processes have died. Sends
 * the messages of the workspace.
 */
export class RunWorker {
  readonly #workspace: Workspace;
  readonly #stopping = new AbortController();
  #serving: Promise<void> | undefined;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** Aborted when it stops: nothing waits for a run any more. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  start(): void {
    if (this.stopping.aborted) return;
    const signal = this.stopping;
    this.#serving ??= Promise.all([this.#workspace.runs.serve({ signal }), this.#workspace.outbox.serve(signal)]).then(
      () => {},
    );
  }

  /** Claims no more runs. Those that it executes continue until the workspace closes, which releases them. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#serving;
  }
}
