import {
  type BeginCondition,
  type Firing,
  type FiringChange,
  type NewFiring,
  type TriggerAdvance,
  type TriggerState,
  type TriggerStore,
  openFiringStatuses,
} from "./triggers.ts";

/** Firings of a trigger that are retained. */
const maxFirings = 10_000;

/** Stores triggers in memory, for one process. */
export function createInMemoryTriggers(): TriggerStore {
  return new InMemoryTriggers();
}

class InMemoryTriggers implements TriggerStore {
  readonly #states = new Map<string, TriggerState>();
  /** By trigger and key, in the order in which they were added. */
  readonly #firings = new Map<string, Map<string, Firing>>();
  readonly #writes = new Map<string, number>();
  #lastWrite = 0;

  async register(triggers: readonly Pick<TriggerState, "id" | "digest">[], at: number): Promise<void> {
    for (const { id, digest } of triggers) {
      const known = this.#states.get(id);
      if (known === undefined) this.#states.set(id, { id, digest, registeredAt: at, cursor: at });
      else if (known.digest !== digest) this.#states.set(id, { ...known, digest, cursor: at });
    }
  }

  async list(): Promise<readonly TriggerState[]> {
    return [...this.#states.values()];
  }

  async pause(id: string, change: { readonly pausedAt: number } | { readonly resumedAt: number }): Promise<void> {
    this.#change(id, ({ pausedAt, ...state }) => {
      if ("resumedAt" in change) return pausedAt === undefined ? state : { ...state, cursor: change.resumedAt };
      return { ...state, pausedAt: pausedAt ?? change.pausedAt };
    });
  }

  async approve(id: string, approved: NonNullable<TriggerState["approved"]>, at: number): Promise<void> {
    this.#change(id, (state) => ({ ...state, approved, cursor: at }));
  }

  #change(id: string, change: (state: TriggerState) => TriggerState): void {
    const state = this.#states.get(id);
    if (state !== undefined) this.#states.set(id, change(state));
  }

  async advance(id: string, { from, to, firings }: TriggerAdvance): Promise<boolean> {
    if (this.#states.get(id)?.cursor !== from) return false;
    this.#change(id, (state) => ({ ...state, cursor: to }));
    for (const firing of firings) this.#insert(id, firing);
    return true;
  }

  async add(id: string, firing: NewFiring, maxWaiting: number): Promise<"added" | "known" | "full"> {
    const own = this.#of(id);
    if (own.has(firing.key)) return "known";
    const waiting = own.values().filter(({ status }) => status === "waiting");
    if ([...waiting].length >= maxWaiting) return "full";
    this.#insert(id, firing);
    return "added";
  }

  #of(id: string): Map<string, Firing> {
    let own = this.#firings.get(id);
    if (own === undefined) this.#firings.set(id, (own = new Map()));
    return own;
  }

  #insert(triggerId: string, firing: NewFiring): void {
    const own = this.#of(triggerId);
    if (own.has(firing.key)) return;
    own.set(firing.key, { triggerId, ...firing });
    if (own.size <= maxFirings) return;
    const oldest = own.values().find(({ status, isLasting }) => isLasting !== true && isClosed(status));
    if (oldest !== undefined) own.delete(oldest.key);
  }

  async get(id: string, key: string): Promise<Firing | undefined> {
    return this.#of(id).get(key);
  }

  async known(id: string, keys: readonly string[]): Promise<readonly string[]> {
    const own = this.#of(id);
    return keys.filter((key) => own.has(key));
  }

  async open(id?: string): Promise<readonly Firing[]> {
    const all = id === undefined ? [...this.#firings.values()] : [this.#of(id)];
    return all.flatMap((own) => [...own.values()].filter(({ status }) => openFiringStatuses.includes(status)));
  }

  async begin(id: string, key: string, when: BeginCondition): Promise<boolean> {
    const own = this.#of(id);
    const isRunning = own.values().some(({ status }) => status === "starting" || status === "started");
    if (when === "alone" && isRunning) return false;
    return this.settle(id, key, { from: "waiting", to: "starting" });
  }

  async settle(id: string, key: string, { from, to, reason }: FiringChange): Promise<boolean> {
    const own = this.#of(id);
    const firing = own.get(key);
    if (firing?.status !== from) return false;
    const { input, ...rest } = firing;
    const keepsInput = (to === "waiting" || to === "starting") && input !== undefined;
    own.set(key, { ...rest, status: to, ...(keepsInput && { input }), ...(reason !== undefined && { reason }) });
    if (to !== "started") return true;
    const { at, runId } = firing;
    this.#change(id, (state) => (at >= (state.last?.at ?? 0) ? { ...state, last: { at, runId } } : state));
    return true;
  }

  async toolWrites(file: string): Promise<void> {
    this.#writes.set(file, ++this.#lastWrite);
  }

  async writtenFiles(): Promise<ReadonlyMap<string, number>> {
    return new Map(this.#writes);
  }
}

function isClosed(status: Firing["status"]): boolean {
  return !openFiringStatuses.includes(status);
}
