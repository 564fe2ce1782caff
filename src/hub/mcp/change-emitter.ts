import type { Problem } from "../../text/index.ts";
import type { RegistryChange } from "../../tool/index.ts";
import type { FolderEvents } from "../folder/folder-events.ts";
import { type FolderChange, type Why, noChange } from "../folder/folder-runs.ts";

/** Of what a {@link ChangeTeller} tells. */
export interface Told {
  readonly events: FolderEvents;
  readonly problems: () => readonly Problem[];
  /** The file of each tool. */
  readonly owners: () => ReadonlyMap<string, string>;
}

/** Tells of changes of tools: before the first one that something is about to change, and after the last one what did. */
export class ChangeTeller {
  readonly #told: Told;
  /** The run that is under way, and what it has changed so far. */
  #run: { readonly why: Why; started: boolean; change: RegistryChange } | undefined;

  constructor(told: Told) {
    this.#told = told;
  }

  /** Goes through the files; all that changes on the way is told as one change. A look that changes nothing is silent. */
  run(why: Why, work: () => void): FolderChange {
    const run = { why, started: false, change: noChange as RegistryChange };
    this.#run = run;
    const before = JSON.stringify(this.#told.problems());
    if (why !== "look") this.#start();
    try {
      work();
    } finally {
      this.#run = undefined;
    }
    const { problems, owners, events } = this.#told;
    const { change } = run;
    if (!run.started && before === JSON.stringify(problems())) return noChange;
    if (!run.started) events.started(why);
    return { ...change, errors: events.ended({ why, change, problems: problems(), owners: owners() }) };
  }

  /** Makes a change, as a part of the run or by itself. */
  change(apply: () => RegistryChange): void {
    if (this.#run === undefined) {
      this.run("look", () => this.change(apply));
      return;
    }
    this.#start();
    this.#run.change = merged(this.#run.change, apply());
  }

  #start(): void {
    if (this.#run === undefined || this.#run.started) return;
    this.#run.started = true;
    this.#told.events.started(this.#run.why);
  }
}

function merged(a: RegistryChange, b: RegistryChange): RegistryChange {
  // What left and came back within one run is still there.
  const back = new Set(a.removed.filter((name) => b.added.includes(name)));
  return {
    added: [...a.added, ...b.added.filter((name) => !back.has(name))],
    updated: [...a.updated, ...b.updated, ...back],
    removed: [...a.removed.filter((name) => !back.has(name)), ...b.removed],
  };
}
