import type { Clock, Timer } from "../../base/index.ts";
import { OrderedKeyMap } from "./ordered-key-map.ts";

interface Armed {
  readonly isDeadline: boolean;
  /** Milliseconds from `since`. */
  remainingMs: number;
  since: number;
  /** Undefined while the deadline is paused. */
  timer: Timer | undefined;
}

/** The longest delay that a system timer supports. */
const maxDelayMs = 2 ** 31 - 1;

/** Receives the events of timers. */
interface TimerSink {
  fired(key: string): void;
  /** A deadline that was paused runs down again. */
  resumed(key: string, remainingMs: number): void;
}

/**
 * The timers of one run: pauses, which always run down, and deadlines, which stand still while the run waits for
 * approvals.
 */
export class RunTimers {
  readonly #clock: Clock;
  readonly #sink: TimerSink;
  readonly #armed = new OrderedKeyMap<Armed>();
  #deadlines = 0;
  #paused = false;

  constructor(clock: Clock, sink: TimerSink) {
    this.#clock = clock;
    this.#sink = sink;
  }

  /** Number of pauses and deadlines. */
  get size(): number {
    return this.#armed.size;
  }

  /** Number of running pauses. */
  get pauses(): number {
    return this.#armed.size - this.#deadlines;
  }

  set(key: string, ms: number, kind: "pause" | "deadline"): void {
    const isDeadline = kind === "deadline";
    if (isDeadline) this.#deadlines++;
    const armed: Armed = { isDeadline, remainingMs: ms, since: 0, timer: undefined };
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

  /** Pauses the deadlines, because only a person's decision can move the run forward. */
  pauseDeadlines(): void {
    if (this.#paused || this.#deadlines === 0) return;
    this.#paused = true;
    const now = this.#clock.elapsed();
    for (const armed of this.#armed.values()) {
      if (!armed.isDeadline || armed.timer === undefined) continue;
      armed.timer.cancel();
      armed.timer = undefined;
      armed.remainingMs = Math.max(0, armed.remainingMs - (now - armed.since));
    }
  }

  resumeDeadlines(): void {
    if (!this.#paused) return;
    this.#paused = false;
    for (const [key, armed] of this.#armed.entries()) {
      if (armed.timer !== undefined) continue;
      this.#arm(key, armed);
      this.#sink.resumed(key, armed.remainingMs);
    }
  }

  #arm(key: string, armed: Armed): void {
    const ms = Math.min(armed.remainingMs, maxDelayMs);
    armed.since = this.#clock.elapsed();
    armed.timer = this.#clock.after(ms, () => {
      armed.remainingMs -= ms;
      if (armed.remainingMs > 0) return this.#arm(key, armed);
      this.stop(key);
      this.#sink.fired(key);
    });
  }
}
