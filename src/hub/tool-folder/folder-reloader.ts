import { type Clock, type Timer, systemClock } from "../../base/index.ts";
import type { RegistryChange } from "../../tool/index.ts";

/** Automatic checks of a folder, in addition to those on demand. */
export interface ReloadMode {
  /** Checks the folder every `intervalMs`; loads only if something changed. */
  readonly autoReload?: boolean;
  /** Default: 5 s. */
  readonly intervalMs?: number;
  /** Loads as soon as the system reports a change. */
  readonly watch?: boolean;
}

/** Changed tools of a load, by name, and the number of files that could not be used. */
export interface FolderChange extends RegistryChange {
  readonly errors: number;
}

/** A load that changed nothing. */
export const noChange: FolderChange = { added: [], updated: [], removed: [], errors: 0 };

/** Reason of a run: the first load, an explicit request, or an automatic check. */
export type ReloadReason = "load" | "reload" | "look";

interface FolderWork {
  readonly dir: string;
  readonly clock?: Clock | undefined;
  readonly mode?: ReloadMode | undefined;
  /** Goes through the folder once. */
  readonly run: (why: ReloadReason) => Promise<FolderChange>;
}

/** Goes through a folder when it has to: on demand, at intervals, when it changed; never twice at the same time. */
export class FolderReloader {
  readonly #work: FolderWork;
  readonly #clock: Clock;
  readonly #abort = new AbortController();
  #running: Promise<FolderChange> | undefined;
  #next: Promise<FolderChange> | undefined;
  /** The strongest reason requested for the next run. */
  #nextWhy: ReloadReason | undefined;
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

  /** The first run; after it the folder is checked according to its mode. */
  async load(): Promise<FolderChange> {
    const change = await this.#queue("load");
    this.#startLooking();
    return change;
  }

  reload(): Promise<FolderChange> {
    return this.#queue("reload");
  }

  /** Also watches files outside of the folder, if it is watched. */
  alsoWatch(paths: readonly string[]): void {
    this.#watch?.add(paths);
  }

  async close(): Promise<void> {
    this.#abort.abort();
    this.#timer?.cancel();
    await this.#watch?.close();
    await this.#running?.catch(() => undefined);
  }

  /**
   * One run at a time. Requests during a run share the next one, which sees everything that existed at the time of the
   * request.
   */
  #queue(why: ReloadReason): Promise<FolderChange> {
    if (this.#running === undefined && this.#next === undefined) return this.#start(why);
    this.#nextWhy = this.#nextWhy === undefined || this.#nextWhy === "look" ? why : this.#nextWhy;
    this.#next ??= Promise.resolve(this.#running)
      .catch(() => undefined)
      .then(() => {
        const request = this.#nextWhy ?? why;
        this.#next = undefined;
        this.#nextWhy = undefined;
        return this.#start(request);
      });
    return this.#next;
  }

  #start(why: ReloadReason): Promise<FolderChange> {
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
    // A failed check is reported by its events; the next one follows in any case.
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

/** A folder under watch. */
export interface FolderWatch {
  /** Watches more files. */
  add(paths: readonly string[]): void;
  close(): Promise<void>;
}

/** Editors write a file in several steps; they are done when nothing happened for this long. */
const settleMs = 50;

/** Reports changes in a folder, even if it does not exist yet. Never keeps the process alive. */
export function watchFolder(
  dir: string,
  { clock, onChange }: { readonly clock: Clock; readonly onChange: () => void },
): FolderWatch {
  let settle: Timer | undefined;
  let closed = false;
  const changed = (): void => {
    settle?.cancel();
    if (closed) return;
    settle = clock.after(settleMs, onChange);
    settle.hold(false);
  };
  const watcher = open(dir, changed);
  return {
    add: (paths) => {
      if (paths.length > 0) void watcher.then((opened) => opened?.add([...paths]));
    },
    async close() {
      closed = true;
      settle?.cancel();
      await (await watcher)?.close();
    },
  };
}

async function open(dir: string, changed: () => void) {
  const { watch } = await import("chokidar");
  const watcher = watch(dir, {
    ignoreInitial: true,
    persistent: false,
    ignored: (path) => /[/\\](?:node_modules|\.git)(?:[/\\]|$)/.test(path),
  });
  // A check finds the changes between the first load and now; the same applies after an error of the watcher.
  watcher.on("all", changed).on("ready", changed).on("error", changed);
  return watcher;
}
