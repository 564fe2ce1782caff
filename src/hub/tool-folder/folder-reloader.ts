import { type Clock, type Timer, systemClock } from "../../base/index.ts";
import type { RegistryChange } from "../../tool/index.ts";
import { type FolderWatch, watchFolder } from "./watch-folder.ts";

/** When a folder is looked at again, besides on demand. */
export interface ReloadMode {
  /** Looks at the folder every `intervalMs`; loads only when something changed. */
  readonly autoReload?: boolean;
  /** 5 s where absent. */
  readonly intervalMs?: number;
  /** Loads as soon as the system tells of a change. */
  readonly watch?: boolean;
}

/** What a load changed, by name of tool, and how many files could not be used. */
export interface FolderChange extends RegistryChange {
  readonly errors: number;
}

/** A load that changed nothing. */
export const noChange: FolderChange = { added: [], updated: [], removed: [], errors: 0 };

/** Why a folder is gone through: for the first time, because somebody asked, or to see whether something changed. */
export type Why = "load" | "reload" | "look";

interface FolderWork {
  readonly dir: string;
  readonly clock?: Clock | undefined;
  readonly mode?: ReloadMode | undefined;
  /** Goes through the folder once. */
  readonly run: (why: Why) => Promise<FolderChange>;
}

/** Goes through a folder when it has to: on demand, at intervals, when it changed; never twice at the same time. */
export class FolderRuns {
  readonly #work: FolderWork;
  readonly #clock: Clock;
  readonly #abort = new AbortController();
  #running: Promise<FolderChange> | undefined;
  #next: Promise<FolderChange> | undefined;
  /** The most that was asked of the next run. */
  #nextWhy: Why | undefined;
  #timer: Timer | undefined;
  #watch: FolderWatch | undefined;

  constructor(work: FolderWork) {
    this.#work = work;
    this.#clock = work.clock ?? systemClock;
  }

  /** Aborted when the folder is closed. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** The first run; from then on the folder is looked at as its mode says. */
  async load(): Promise<FolderChange> {
    const change = await this.#queue("load");
    this.#startLooking();
    return change;
  }

  reload(): Promise<FolderChange> {
    return this.#queue("reload");
  }

  /** Watches files outside of the folder too, where it is watched. */
  alsoWatch(paths: readonly string[]): void {
    this.#watch?.add(paths);
  }

  async close(): Promise<void> {
    this.#abort.abort();
    this.#timer?.cancel();
    await this.#watch?.close();
    await this.#running?.catch(() => undefined);
  }

  /** One run at a time. Whoever asks meanwhile gets the next one, which sees everything that was there when asking. */
  #queue(why: Why): Promise<FolderChange> {
    if (this.#running === undefined && this.#next === undefined) return this.#start(why);
    this.#nextWhy = this.#nextWhy === undefined || this.#nextWhy === "look" ? why : this.#nextWhy;
    this.#next ??= Promise.resolve(this.#running)
      .catch(() => undefined)
      .then(() => {
        const asked = this.#nextWhy ?? why;
        this.#next = undefined;
        this.#nextWhy = undefined;
        return this.#start(asked);
      });
    return this.#next;
  }

  #start(why: Why): Promise<FolderChange> {
    const running = this.#work.run(why).finally(() => {
      if (this.#running === running) this.#running = undefined;
    });
    this.#running = running;
    return running;
  }

  #startLooking(): void {
    const { autoReload = false, intervalMs = 5_000, watch = false } = this.#work.mode ?? {};
    const { signal } = this.#abort;
    if (signal.aborted) return;
    // A failed look is told by its events; the next one comes in any case.
    const look = (): Promise<unknown> => this.#queue("look").catch(() => undefined);
    if (watch) this.#watch ??= watchFolder(this.#work.dir, { clock: this.#clock, onChange: () => void look() });
    if (!autoReload || this.#timer !== undefined) return;
    const again = (): void => {
      this.#timer = this.#clock.after(intervalMs, () => void look().then(() => (signal.aborted ? undefined : again())));
      this.#timer.hold(false);
    };
    again();
  }
}
