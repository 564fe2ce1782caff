import type { Trigger } from "../chain/index.ts";
import { scheduleOf, fireSchedule } from "./fire-schedules.ts";
import type { TriggerDeps } from "./trigger-deps.ts";
import type { TriggerStanding } from "./trigger-state.ts";
import { FileTriggerWatch } from "./watch-files.ts";

/** The parts that serving triggers needs. */
export interface ServedTriggers extends TriggerDeps {
  standings(): Promise<readonly TriggerStanding[]>;
  register(triggers: readonly Trigger[]): Promise<void>;
  /** `begins`: firings that wait may begin. */
  dispatch(trigger: Trigger, begins: boolean): Promise<void>;
}

/** The time of the computer may change, files too, and another process may pause a trigger. */
const maxPauseMs = 1_000;

/** Fires the schedules and watches the files of a workspace, until the signal is aborted. */
export async function serveTriggers(served: ServedTriggers, signal: AbortSignal): Promise<void> {
  const rounds = new TriggerRounds(served);
  let reported: string | undefined;
  try {
    while (!signal.aborted) {
      let pauseMs = maxPauseMs;
      try {
        pauseMs = await rounds.next();
        reported = undefined;
      } catch (error) {
        const reason = String(error);
        if (reason !== reported) served.onError(error);
        reported = reason;
      }
      await pause(served, pauseMs, signal);
    }
  } finally {
    await rounds.close();
  }
}

class TriggerRounds {
  readonly #served: ServedTriggers;
  /** By the digests of their triggers. */
  readonly #watches = new Map<string, FileTriggerWatch>();

  constructor(served: ServedTriggers) {
    this.#served = served;
  }

  /** Fires what is due, and returns the time until the next round. */
  async next(): Promise<number> {
    const standings = await this.#registered();
    const active = standings.filter(({ status }) => status === "active");
    await this.#closeOthers(active);
    // One that fails, such as a folder that cannot be read, does not keep the others from firing.
    const failures: unknown[] = [];
    for (const standing of active) await this.#fire(standing).catch((error: unknown) => failures.push(error));
    await this.#dispatch(standings);
    if (failures.length > 0) throw failures[0];
    return this.#pauseMs(active);
  }

  /** The triggers with their states; new ones are registered first. */
  async #registered(): Promise<readonly TriggerStanding[]> {
    const standings = await this.#served.standings();
    const changed = standings.flatMap(({ trigger, state, status }) => {
      const isUsable = status !== "untrusted" && status !== "invalid";
      return isUsable && state?.digest !== trigger.digest ? [trigger] : [];
    });
    if (changed.length === 0) return standings;
    await this.#served.register(changed);
    return this.#served.standings();
  }

  async #fire({ trigger, state }: TriggerStanding): Promise<void> {
    if (state === undefined) return;
    if (trigger.kind === "schedule") await fireSchedule(trigger, state, this.#served);
    if (trigger.kind === "file") await this.#watchOf(trigger).look(state);
  }

  #watchOf(trigger: Trigger): FileTriggerWatch {
    const key = watchKey(trigger);
    let watch = this.#watches.get(key);
    if (watch === undefined) this.#watches.set(key, (watch = new FileTriggerWatch(trigger, this.#served)));
    return watch;
  }

  async #closeOthers(active: readonly TriggerStanding[]): Promise<void> {
    const used = new Set(active.map(({ trigger }) => watchKey(trigger)));
    for (const [key, watch] of this.#watches) {
      if (used.has(key)) continue;
      this.#watches.delete(key);
      await watch.close();
    }
  }

  async #dispatch(standings: readonly TriggerStanding[]): Promise<void> {
    const open = new Set((await this.#served.store.open()).map(({ triggerId }) => triggerId));
    for (const { trigger, status } of standings)
      if (open.has(trigger.id)) await this.#served.dispatch(trigger, status === "active");
  }

  #pauseMs(active: readonly TriggerStanding[]): number {
    const now = this.#served.clock.now();
    const next = active.flatMap(({ trigger }) =>
      trigger.kind === "schedule" ? (scheduleOf(trigger)?.next(now) ?? []) : [],
    );
    return Math.max(1, Math.min(maxPauseMs, ...next.map((at) => at - now)));
  }

  async close(): Promise<void> {
    for (const watch of this.#watches.values()) await watch.close();
    this.#watches.clear();
  }
}

function watchKey({ id, digest }: Trigger): string {
  return `${id} ${digest}`;
}

function pause({ clock }: Pick<TriggerDeps, "clock">, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      timer.cancel();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = clock.after(ms, done);
    signal.addEventListener("abort", done, { once: true });
    if (signal.aborted) done();
  });
}
