import type { Clock, Timer } from "../../base/index.ts";
import { KeyTable } from "./key-table.ts";

interface Armed {
  readonly isDeadline: boolean;
  /** Milliseconds from `since`. */
  left: number;
  since: number;
  /** Absent while it is paused. */
  timer: Timer | undefined;
}

/** No timer of the system can be set for longer. */
const longest = 2 ** 31 - 1;

/** The timers of one run: pauses, which always pass, and deadlines, which stand still while the run waits for people. */
export class RunTimers {
  readonly #clock: Clock;
  readonly #onFired: (key: string) => void;
  readonly #armed = new KeyTable<Armed>();
  #deadlines = 0;
  #paused = false;

  constructor(clock: Clock, onFired: (key: string) => void) {
    this.#clock = clock;
    this.#onFired = onFired;
  }

  /** How many pauses and deadlines there are. */
  get size(): number {
    return this.#armed.size;
  }

  /** How many pauses are under way. */
  get pauses(): number {
    return this.#armed.size - this.#deadlines;
  }

  set(key: string, ms: number, kind: "pause" | "deadline"): void {
    const isDeadline = kind === "deadline";
    if (isDeadline) this.#deadlines++;
    const armed: Armed = { isDeadline, left: ms, since: 0, timer: undefined };
    this.#armed.set(key, armed);
    this.#arm(key, armed);
  }

  stop(key: string): void {
    const armed = this.#armed.get(key);
    if (armed === undefined) return;
    armed.timer?.cancel();
    this.#armed.delete(key);
    if (armed.isDeadline) this.#deadlines--;
  }

  stopAll(): void {
    for (const key of this.#armed.keys()) this.stop(key);
  }

  /** From now on only people can move the run: its deadlines stand still. */
  pauseDeadlines(): void {
    if (this.#paused || this.#deadlines === 0) return;
    this.#paused = true;
    const now = this.#clock.elapsed();
    for (const armed of this.#armed.values()) {
      if (!armed.isDeadline || armed.timer === undefined) continue;
      armed.timer.cancel();
      armed.timer = undefined;
      armed.left = Math.max(0, armed.left - (now - armed.since));
    }
  }

  get paused(): boolean {
    return this.#paused;
  }

  /** They count again; gives what is left of each. */
  resumeDeadlines(): [key: string, left: number][] {
    if (!this.#paused) return [];
    this.#paused = false;
    const resumed: [string, number][] = [];
    for (const [key, armed] of this.#armed.entries()) {
      if (armed.timer !== undefined) continue;
      this.#arm(key, armed);
      resumed.push([key, armed.left]);
    }
    return resumed;
  }

  #arm(key: string, armed: Armed): void {
    const ms = Math.min(armed.left, longest);
    armed.since = this.#clock.elapsed();
    armed.timer = this.#clock.after(ms, () => {
      armed.left -= ms;
      if (armed.left > 0) return this.#arm(key, armed);
      this.stop(key);
      this.#onFired(key);
    });
  }
}
