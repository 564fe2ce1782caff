import { type Clock, systemClock } from "../../base/index.ts";
import type { LoadError, ReloadCompleted, ReloadStarted, ToolEvent } from "../../engine/index.ts";
import type { Problem } from "../../text/index.ts";
import type { RegistryChange, ToolRegistry } from "../../tool/index.ts";
import type { ReloadReason } from "./folder-reloader.ts";

/** Events of a folder of tools. */
export type ToolFolderEvent = ToolEvent | ReloadStarted | ReloadCompleted | LoadError;

interface Listening {
  /** The source that the tools of the folder belong to. */
  readonly source: string;
  readonly clock?: Clock | undefined;
  readonly onEvent?: ((event: ToolFolderEvent) => void) | undefined;
}

/** Result of a run through a folder. */
export interface ReloadReport {
  readonly why: ReloadReason;
  readonly change: RegistryChange;
  readonly problems: readonly Problem[];
  /** The file of each tool. */
  readonly owners: ReadonlyMap<string, string>;
}

/** Emits the changes of a folder, and each error once. */
export class FolderEventEmitter {
  readonly #listening: Listening;
  readonly #clock: Clock;
  /** Reported errors by file. */
  #reported: ReadonlyMap<string, string> = new Map();

  constructor(listening: Listening) {
    this.#listening = listening;
    this.#clock = listening.clock ?? systemClock;
  }

  /** Changes a registry. The registry reports the change only if no listener gets the events of this emitter. */
  change(registry: ToolRegistry, apply: () => RegistryChange): RegistryChange {
    return this.#listening.onEvent === undefined ? apply() : registry.unreported(apply);
  }

  /** A run begins that loads all files. */
  started(why: ReloadReason): void {
    if (why !== "load") this.#emit({ type: "reload_started", at: this.#clock.now(), source: this.#listening.source });
  }

  /** The run is over and its tools are registered; returns the number of files with errors. */
  ended({ why, change, problems, owners }: ReloadReport): number {
    const { source } = this.#listening;
    this.reportErrors(problems);
    this.reportTools(change, { why, owners });
    const errors = this.#reported.size;
    if (why !== "load") this.#emit({ type: "reload_completed", at: this.#clock.now(), source, ...change, errors });
    return errors;
  }

  /** Emits the errors of each file, unless they were emitted before. */
  reportErrors(problems: readonly Problem[]): void {
    const errors = Map.groupBy(
      problems.filter(({ severity }) => severity === "error"),
      ({ file }) => file,
    );
    const reported = new Map([...errors].map(([file, own]) => [file, JSON.stringify(own)]));
    for (const [file, own] of errors) {
      if (this.#reported.get(file) !== reported.get(file))
        this.#emit({ type: "load_error", at: this.#clock.now(), file, problems: own });
    }
    this.#reported = reported;
  }

  /** Emits an event for each changed tool. */
  reportTools(
    { added, updated, removed }: RegistryChange,
    { why, owners }: Pick<ReloadReport, "why" | "owners">,
  ): void {
    const { source } = this.#listening;
    const report = (type: ToolEvent["type"], names: readonly string[]): void => {
      for (const tool of names) {
        const file = owners.get(tool);
        this.#emit({ type, at: this.#clock.now(), tool, source, ...(file !== undefined && { file }) });
      }
    };
    report(why === "load" ? "tool_loaded" : "tool_added", added);
    report("tool_updated", updated);
    report("tool_removed", removed);
  }

  #emit(event: ToolFolderEvent): void {
    try {
      this.#listening.onEvent?.(event);
    } catch {
      // A listener that throws must not leave the folder half loaded.
    }
  }
}
