import type { Workspace } from "../../app/index.ts";
import type { RunKindId } from "../../store/index.ts";
import type { LiveRuns } from "../events/live-runs.ts";

/** Executes the runs of a workspace that are executable: new ones, woken ones, and those whose processes have died. */
export class RunWorker {
  readonly #workspace: Workspace;
  readonly #stopping = new AbortController();
  #serving: Promise<void> | undefined;
  readonly #live: Pick<LiveRuns, "listenTo">;

  constructor(workspace: Workspace, live: Pick<LiveRuns, "listenTo">) {
    this.#workspace = workspace;
    this.#live = live;
  }

  /** Options with which a run is executed here, so that its events are sent. */
  optionsOf(run: { readonly id: string; readonly kind: RunKindId }): object {
    return this.#live.listenTo(run);
  }

  /** Aborted when it stops: nothing waits for a run any more. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  start(): void {
    if (this.stopping.aborted) return;
    this.#serving ??= this.#workspace.runs.serve({ signal: this.stopping }, (run) => this.optionsOf(run));
  }

  /** Claims no more runs. Those that it executes continue until the workspace closes, which releases them. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#serving;
  }
}
