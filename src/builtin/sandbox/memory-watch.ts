import type { Clock, Timer } from "../../base/index.ts";
import { memoryUse } from "./memory-use.ts";

/** Between two looks. */
const everyMs = 100;

/** Watches how much memory a sandbox uses as a whole; each process alone is held by its own limit. */
export class MemoryWatch {
  readonly #clock: Clock;
  readonly #maxBytes: number;
  readonly #exceeded: () => void;
  #timer: Timer | undefined;
  #stopped = false;

  constructor(maxBytes: number, exceeded: () => void, clock: Clock) {
    this.#maxBytes = maxBytes;
    this.#exceeded = exceeded;
    this.#clock = clock;
  }

  start(pid: number): void {
    if (this.#stopped) return;
    this.#timer = this.#clock.after(everyMs, () => {
      void this.#look(pid);
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  async #look(pid: number): Promise<void> {
    const bytes = await memoryUse(pid);
    if (this.#stopped) return;
    if (bytes > this.#maxBytes) this.#exceeded();
    else this.start(pid);
  }
}
