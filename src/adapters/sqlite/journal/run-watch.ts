import type { Clock, Timer } from "../../../base/index.ts";
import type { RunReader } from "../../../store/index.ts";
import type { ReaderThread } from "../thread/lazy-thread.ts";

/** Interval at which the database is checked for writes of other processes while runs are watched. */
const pollMs = 100;

/** Notifies the watchers of runs: of writes through this store at once, of those of other processes a moment later. */
export class RunWatch {
  readonly #reader: Pick<ReaderThread, "call">;
  readonly #clock: Clock;
  readonly #watchers = new Set<(runId?: string) => void>();
  /** The version of the database at the last check. */
  #version: number | undefined;
  #timer: Timer | undefined;
  #isChecking = false;

  constructor(parts: { readonly reader: Pick<ReaderThread, "call">; readonly clock: Clock }) {
    this.#reader = parts.reader;
    this.#clock = parts.clock;
  }

  watch(changed: Parameters<RunReader["watch"]>[0]): () => void {
    this.#watchers.add(changed);
    // A watcher reads the present state first.
    if (!this.#isChecking) this.#timer ??= this.#schedule();
    return () => {
      this.#watchers.delete(changed);
      if (this.#watchers.size > 0) return;
      this.#timer?.cancel();
      this.#timer = undefined;
    };
  }

  /** A run was written through this store; without an id, perhaps any run in another process. */
  changed(runId?: string): void {
    for (const changed of this.#watchers) changed(runId);
  }

  async #check(): Promise<void> {
    this.#timer = undefined;
    this.#isChecking = true;
    // While the database cannot be read, its version is unknown.
    const version = await this.#reader.call("dataVersion", null).catch(() => undefined);
    this.#isChecking = false;
    if (this.#watchers.size === 0) return;
    this.#timer = this.#schedule();
    if (version === this.#version) return;
    this.#version = version;
    this.changed();
  }

  #schedule(): Timer {
    return this.#clock.after(pollMs, () => void this.#check());
  }
}
