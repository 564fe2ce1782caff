import type { RunEvent } from "../../chain/index.ts";
import type { Workspace } from "../../app/index.ts";
import type { RunKindId } from "../../store/index.ts";
import type { LiveRuns } from "../events/live-runs.ts";

type RunListener = (event: RunEvent) => void;

/** Executes the runs of a workspace that are executable: new ones, woken ones, and those whose processes have died. */
export class RunWorker {
  readonly #workspace: Workspace;
  readonly #stopping = new AbortController();
  readonly #live: Pick<LiveRuns, "listenTo">;
  readonly #onRunEvent: RunListener | undefined;
  #serving: Promise<void> | undefined;

  constructor(workspace: Workspace, live: Pick<LiveRuns, "listenTo">, onRunEvent?: RunListener) {
    this.#workspace = workspace;
    this.#live = live;
    this.#onRunEvent = onRunEvent;
  }

  /** Options with which a run is executed here, so that its events are sent. */
  optionsOf(run: { readonly id: string; readonly kind: RunKindId }): object {
    const options: { readonly onEvent?: RunListener } = this.#live.listenTo(run);
    const report = this.#onRunEvent;
    if (report === undefined || run.kind !== "chain") return options;
    const onEvent: RunListener = (event) => {
      options.onEvent?.(event);
      report(event);
    };
    return { ...options, onEvent };
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
