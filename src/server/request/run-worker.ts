import type { Workspace } from "../../app/index.ts";
import type { RunOptionsOf } from "../../run/index.ts";

/**
 * Executes the runs of a workspace that are executable: new ones, woken ones, and those whose processes have died. Its
 * triggers start others. Sends the messages of the workspace.
 */
export class RunWorker {
  readonly #workspace: Workspace;
  readonly #stopping = new AbortController();
  #serving: Promise<unknown> | undefined;
  /** Options with which a run is executed here, so that its events are sent. */
  readonly optionsOf: RunOptionsOf;

  constructor(workspace: Workspace, optionsOf: RunOptionsOf) {
    this.#workspace = workspace;
    this.optionsOf = optionsOf;
  }

  /** Aborted when it stops: nothing waits for a run any more. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  start(): void {
    if (this.stopping.aborted) return;
    const { runs, triggers, outbox } = this.#workspace;
    this.#serving ??= Promise.all([
      runs.serve({ signal: this.stopping }, this.optionsOf),
      triggers.serve(this.stopping),
      outbox.serve(this.stopping),
    ]);
  }

  /** Claims no more runs. Those that it executes continue until the workspace closes, which releases them. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#serving;
  }
}
