import type { Problem } from "../../text/index.ts";
import type { RegistryChange, ToolRegistry } from "../../tool/index.ts";
import type { FolderEventEmitter } from "../tool-folder/folder-event-emitter.ts";
import { type FolderChange, type ReloadReason, noChange } from "../tool-folder/folder-reloader.ts";

/** Dependencies of a {@link ChangeEmitter}. */
export interface ChangeEmitterDeps {
  readonly registry: ToolRegistry;
  readonly events: FolderEventEmitter;
  readonly problems: () => readonly Problem[];
  /** The file of each tool. */
  readonly owners: () => ReadonlyMap<string, string>;
}

/** Emits changes of tools: an event before the first change, and one after the last with all that changed. */
export class ChangeEmitter {
  readonly #deps: ChangeEmitterDeps;
  /** The current run, and its changes so far. */
  #run: { readonly why: ReloadReason; started: boolean; change: RegistryChange } | undefined;

  constructor(reported: ChangeEmitterDeps) {
    this.#deps = reported;
  }

  /** Processes the files and emits all changes as one. Emits nothing if a check finds no change. */
  run(why: ReloadReason, work: () => void): FolderChange {
    const run = { why, started: false, change: noChange as RegistryChange };
    this.#run = run;
    const before = JSON.stringify(this.#deps.problems());
    if (why !== "look") this.#start();
    try {
      work();
    } finally {
      this.#run = undefined;
    }
    const { problems, owners, events } = this.#deps;
    const { change } = run;
    if (!run.started && before === JSON.stringify(problems())) return noChange;
    if (!run.started) events.started(why);
    return { ...change, errors: events.ended({ why, change, problems: problems(), owners: owners() }) };
  }

  /** Applies a change, as a part of the current run or as its own run. */
  change(apply: () => RegistryChange): void {
    if (this.#run === undefined) {
      this.run("look", () => this.change(apply));
      return;
    }
    this.#start();
    this.#run.change = merged(this.#run.change, this.#deps.events.change(this.#deps.registry, apply));
  }

  #start(): void {
    if (this.#run === undefined || this.#run.started) return;
    this.#run.started = true;
    this.#deps.events.started(this.#run.why);
  }
}

function merged(a: RegistryChange, b: RegistryChange): RegistryChange {
  // A tool that was removed and added again within one run is still there.
  const back = new Set(a.removed.filter((name) => b.added.includes(name)));
  return {
    added: [...a.added, ...b.added.filter((name) => !back.has(name))],
    updated: [...a.updated, ...b.updated, ...back],
    removed: [...a.removed.filter((name) => !back.has(name)), ...b.removed],
  };
}
