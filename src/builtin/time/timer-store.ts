/** A timer as it is kept; times are epoch milliseconds. */
export interface KeptTimer {
  readonly minutes: number;
  readonly label?: string;
  readonly startedAt: number;
  readonly endsAt: number;
  /** When it was stopped before its end. */
  readonly stoppedAt?: number;
  /** The same for every attempt of the call that started it. */
  readonly key?: string;
}

/** What a store holds, and how often it was written. */
export interface StoredTimer {
  readonly timer?: KeptTimer;
  readonly revision: number;
}

/** Where the latest timer is kept. Of several writers that read the same revision, exactly one succeeds. */
export interface TimerStore {
  read(signal?: AbortSignal): Promise<StoredTimer>;
  /** Replaces the timer, unless it was written since `revision` was read: then nothing changes, and this gives false. */
  write(timer: KeptTimer, revision: number, signal?: AbortSignal): Promise<boolean>;
}

/** A store that lives as long as the process. */
export function createMemoryTimerStore(): TimerStore {
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
