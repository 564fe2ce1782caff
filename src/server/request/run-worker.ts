import type { RunEvent } from "../../chain/index.ts";
import type { Workspace } from "../../app/index.ts";

/** Executes the runs of a workspace that are executable: new ones, woken ones, and those whose processes have died. */
export class RunWorker {
  readonly #workspace: Workspace;
  readonly #stopping = new AbortController();
  readonly #onRunEvent: ((event: RunEvent) => void) | undefined;
  #serving: Promise<void> | undefined;

  constructor(workspace: Workspace, { onRunEvent }: { readonly onRunEvent?: (event: RunEvent) => void } = {}) {
    this.#workspace = workspace;
    this.#onRunEvent = onRunEvent;
  }

  /** Aborted when it stops: nothing waits for a run any more. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  start(): void {
    if (this.stopping.aborted) return;
    this.#serving ??= this.#workspace.runs.serve({
      signal: this.stopping,
      ...(this.#onRunEvent !== undefined && { onEvent: this.#onRunEvent }),
    });
  }

  /** Claims no more runs. Those that it executes continue until the workspace closes, which releases them. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#serving;
  }
}
