/** A stored timer; times are epoch milliseconds. */
export interface TimerState {
  readonly minutes: number;
  readonly label?: string;
  readonly startedAt: number;
  readonly endsAt: number;
  /** Time at which it was stopped before its end. */
  readonly stoppedAt?: number;
  /** The same for every attempt of the call that started it. */
  readonly key?: string;
}

/** The timer of a store, and its revision. */
export interface StoredTimer {
  readonly timer?: TimerState;
  readonly revision: number;
}

/** Stores the latest timer. If several writers read the same revision, exactly one succeeds. */
export interface TimerStore {
  read(signal?: AbortSignal): Promise<StoredTimer>;
  /**
   * Replaces the timer, unless it was written since `revision` was read: then nothing changes, and this returns false.
   */
  write(timer: TimerState, revision: number, signal?: AbortSignal): Promise<boolean>;
}

/** Creates a store that lives as long as the process. */
export function createInMemoryTimerStore(): TimerStore {
  let stored: StoredTimer = { revision: 0 };
  return {
    read: () => Promise.resolve(stored),
    write: (timer, revision) => {
      const isCurrent = revision === stored.revision;
      if (isCurrent) stored = { timer, revision: revision + 1 };
      return Promise.resolve(isCurrent);
    },
  };
}
