import { type PendingKeys, type SettledOutcome, cancelKey } from "../host.ts";

/**
 * Replays recorded outcomes, each once its key is requested; among the requested ones, the one that was recorded first.
 * So a run takes the same path as before, and a run that requests keys in another order, because its chain was edited,
 * still receives their outcomes.
 */
export class ReplayCursor {
  readonly #settled: readonly SettledOutcome[];
  /** Index of the outcome of a key; -1 while it is queued and after it was replayed. */
  readonly #positions = new Map<string, number>();
  /** Indices of the outcomes that were requested and not replayed yet: a min-heap. */
  readonly #line: number[] = [];
  #unreported: number;

  /** @param settled In recorded order. */
  constructor(settled: readonly SettledOutcome[]) {
    this.#settled = settled;
    this.#unreported = settled.length;
    // If a key was recorded twice, only the first outcome was delivered.
    for (const [index, { key }] of settled.entries()) if (!this.#positions.has(key)) this.#positions.set(key, index);
    // A cancellation is replayed without a request.
    this.request(cancelKey);
  }

  /** True if the outcome is recorded, replayed or not. */
  has(key: string): boolean {
    return this.#positions.size > 0 && this.#positions.has(key);
  }

  /** Number of outcomes that were not replayed yet. */
  get remaining(): number {
    return this.#unreported;
  }

  /** Queues the outcome of a key for replay; false if it is not recorded. */
  request(key: string): boolean {
    const index = this.#positions.size > 0 ? this.#positions.get(key) : undefined;
    if (index === undefined) return false;
    if (index >= 0) {
      this.#positions.set(key, -1);
      this.#push(index);
    }
    return true;
  }

  /** Returns the first queued outcome that is still pending. */
  next(pending: PendingKeys): SettledOutcome | undefined {
    for (let index = this.#pop(); index !== undefined; index = this.#pop()) {
      // Indices are those of this list.
      const settled = this.#settled[index] as SettledOutcome;
      if (settled.key === cancelKey || pending.has(settled.key)) {
        this.#unreported--;
        return settled;
      }
      // The program abandoned this wait.
      this.#positions.set(settled.key, index);
    }
    return undefined;
  }

  #push(index: number): void {
    const line = this.#line;
    let at = line.length;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const other = line[above] as number;
      if (other <= index) break;
      line[at] = other;
      at = above;
    }
    line[at] = index;
  }

  #pop(): number | undefined {
    const line = this.#line;
    const first = line[0];
    const last = line.pop();
    if (last === undefined || line.length === 0) return first;
    let at = 0;
    for (let below = 1; below < line.length; below = 2 * at + 1) {
      const right = line[below + 1];
      if (right !== undefined && right < (line[below] as number)) below++;
      const min = line[below] as number;
      if (last <= min) break;
      line[at] = min;
      at = below;
    }
    line[at] = last;
    return first;
  }
}
