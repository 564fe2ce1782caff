import { type Clock, systemClock } from "../../base/index.ts";
import type { LoadError, ReloadCompleted, ReloadStarted, ToolEvent } from "../../engine/index.ts";
import type { Problem } from "../../text/index.ts";
import type { RegistryChange } from "../../tool/index.ts";
import type { Why } from "./folder-runs.ts";

/** What a folder of tools tells. */
export type FolderEvent = ToolEvent | ReloadStarted | ReloadCompleted | LoadError;

interface Listening {
  /** The source that the tools of the folder belong to. */
  readonly source: string;
  readonly clock?: Clock | undefined;
  readonly onEvent?: ((event: FolderEvent) => void) | undefined;
}

/** What a run through a folder found. */
export interface Ran {
  readonly why: Why;
  readonly change: RegistryChange;
  readonly problems: readonly Problem[];
  /** The file of each tool. */
  readonly owners: ReadonlyMap<string, string>;
}

/** Tells what became of a folder, and of each error once. */
export class FolderEvents {
  readonly #listening: Listening;
  readonly #clock: Clock;
  /** The errors that were told, by file. */
  #told: ReadonlyMap<string, string> = new Map();

  constructor(listening: Listening) {
    this.#listening = listening;
    this.#clock = listening.clock ?? systemClock;
  }

  /** A run begins that will load whatever it finds. */
  started(why: Why): void {
    if (why !== "load") this.#emit({ type: "reload_started", at: this.#clock.now(), source: this.#listening.source });
  }

  /** The run is over and its tools are registered; gives the number of files with errors. */
  ended({ why, change, problems, owners }: Ran): number {
    const { source } = this.#listening;
    this.#tellErrors(problems);
    this.#tellTools(change, { why, owners });
    const errors = this.#told.size;
    if (why !== "load") this.#emit({ type: "reload_completed", at: this.#clock.now(), source, ...change, errors });
    return errors;
  }

  #tellErrors(problems: readonly Problem[]): void {
    const errors = Map.groupBy(
      problems.filter(({ severity }) => severity === "error"),
      ({ file }) => file,
    );
    const told = new Map([...errors].map(([file, own]) => [file, JSON.stringify(own)]));
    for (const [file, own] of errors) {
      if (this.#told.get(file) !== told.get(file))
        this.#emit({ type: "load_error", at: this.#clock.now(), file, problems: own });
    }
    this.#told = told;
  }

  #tellTools({ added, updated, removed }: RegistryChange, { why, owners }: Pick<Ran, "why" | "owners">): void {
    const { source } = this.#listening;
    const tell = (type: ToolEvent["type"], names: readonly string[]): void => {
      for (const tool of names) {
        const file = owners.get(tool);
        this.#emit({ type, at: this.#clock.now(), tool, source, ...(file !== undefined && { file }) });
      }
    };
    tell(why === "load" ? "tool_loaded" : "tool_added", added);
    tell("tool_updated", updated);
    tell("tool_removed", removed);
  }

  #emit(event: FolderEvent): void {
    try {
      this.#listening.onEvent?.(event);
    } catch {
      // A listener that throws must not leave the folder half loaded.
    }
  }
}
