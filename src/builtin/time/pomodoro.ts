import { type Clock, systemClock, definedOnly } from "../../base/index.ts";
import { formatDuration, quoteText } from "../../text/index.ts";
import { timeFailure } from "./time-reasons.ts";
import { type TimerState, type StoredTimer, type TimerStore, createInMemoryTimerStore } from "./timer-store.ts";

/** State of a timer; all times are ISO strings in UTC. */
export interface PomodoroStatus {
  /** `idle` if none was ever started. */
  readonly state: "idle" | "running" | "finished" | "stopped";
  readonly label?: string;
  readonly minutes?: number;
  readonly startedAt?: string;
  /** When it ends, or would have ended. */
  readonly endsAt?: string;
  readonly stoppedAt?: string;
  readonly elapsedSeconds?: number;
  readonly remainingSeconds?: number;
  /** The same, for people. */
  readonly message: string;
}

/** Options of a new timer. */
export interface PomodoroStart {
  /** Default: 25. */
  readonly minutes?: number | undefined;
  readonly label?: string | undefined;
  /** Starting twice with the same key starts one timer. */
  readonly key?: string | undefined;
}

/** The usual length. */
export const defaultMinutes = 25;
/** Maximum number of attempts of a change while others change the timer. */
const maxTries = 20;

/**
 * A timer for one stretch of work: one runs at a time, and it outlives the process if its store does.
 *
 * @example
 * ```ts
 * const pomodoro = new Pomodoro({ store: createFileTimerStore(".windlass/pomodoro") });
 * await pomodoro.start({ minutes: 25, label: "Write the report" });
 * ```
 *
 * @see docs/guide/built-in-tools.md
 */
export class Pomodoro {
  readonly #store: TimerStore;
  readonly #clock: Clock;

  constructor({ store = createInMemoryTimerStore(), clock = systemClock }: { store?: TimerStore; clock?: Clock } = {}) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Starts a timer; fails and names the running one if there is one. */
  start({ minutes = defaultMinutes, label, key }: PomodoroStart = {}, signal?: AbortSignal): Promise<PomodoroStatus> {
    return this.#change((timer, now) => {
      if (timer !== undefined && key !== undefined && timer.key === key) return timer;
      const status = statusOf(timer, now);
      if (status.state === "running") {
        throw timeFailure("timer_running", `another timer is running. ${status.message} Stop it before starting one`);
      }
      return {
        minutes,
        startedAt: now,
        endsAt: now + Math.round(minutes * 60_000),
        ...definedOnly({ label, key }),
      };
    }, signal);
  }

  /** Returns the state of the latest timer. */
  async status(signal?: AbortSignal): Promise<PomodoroStatus> {
    const { timer } = await this.#store.read(signal);
    return statusOf(timer, this.#clock.now());
  }

  /** Stops the timer if one is running. Idempotent. */
  stop(signal?: AbortSignal): Promise<PomodoroStatus> {
    return this.#change((timer, now) => {
      const isRunning = statusOf(timer, now).state === "running";
      return timer !== undefined && isRunning ? { ...timer, stoppedAt: now } : timer;
    }, signal);
  }

  /**
   * Reads, decides and writes, and retries if another writer was faster: the decision is always about the latest timer.
   */
  async #change(
    decide: (timer: TimerState | undefined, now: number) => TimerState | undefined,
    signal: AbortSignal | undefined,
  ): Promise<PomodoroStatus> {
    for (let tried = 0; tried < maxTries; tried++) {
      const { timer, revision }: StoredTimer = await this.#store.read(signal);
      const now = this.#clock.now();
      const next = decide(timer, now);
      if (next === undefined || next === timer) return statusOf(timer, now);
      if (await this.#store.write(next, revision, signal)) return statusOf(next, now);
    }
    throw timeFailure("timer_contended", "other processes keep changing the timer; retry");
  }
}

function statusOf(timer: TimerState | undefined, now: number): PomodoroStatus {
  if (timer === undefined) return { state: "idle", message: "No timer was started yet." };
  const { minutes, label, startedAt, endsAt, stoppedAt } = timer;
  const until = stoppedAt ?? Math.min(now, endsAt);
  // Setting the clock back does not extend a timer.
  const elapsedMs = Math.min(Math.max(0, until - startedAt), Math.max(0, endsAt - startedAt));
  const remainingMs = Math.max(0, endsAt - startedAt) - elapsedMs;
  const running = now < endsAt ? "running" : "finished";
  const state = stoppedAt === undefined ? running : "stopped";
  return {
    state,
    ...(label !== undefined && { label }),
    minutes,
    startedAt: iso(startedAt),
    endsAt: iso(endsAt),
    ...(stoppedAt !== undefined && { stoppedAt: iso(stoppedAt) }),
    elapsedSeconds: Math.floor(elapsedMs / 1000),
    remainingSeconds: Math.ceil(remainingMs / 1000),
    message: messageOf(timer, state, { elapsedMs, remainingMs }),
  };
}

function messageOf(
  { label, minutes, endsAt }: TimerState,
  state: "running" | "finished" | "stopped",
  { elapsedMs, remainingMs }: { readonly elapsedMs: number; readonly remainingMs: number },
): string {
  const name = `${minutes} minutes${label === undefined ? "" : ` for ${quoteText(label, 200)}`}`;
  switch (state) {
    case "running":
      return `Running: ${name}, ${formatDuration(remainingMs)} left, until ${iso(endsAt)}.`;
    case "finished":
      return `Finished: ${name}, at ${iso(endsAt)}.`;
    case "stopped":
      return `Stopped: ${name}, after ${formatDuration(elapsedMs)}.`;
  }
}

function iso(instant: number): string {
  return new Date(instant).toISOString();
}
