import { type PendingKeys, type Settled, cancelKey } from "./host.ts";

/**
 * Tells again what happened. An outcome is told once it is asked for; of those that are, the one that happened first. So
 * a run goes the same way as before, and one that asks in another order, since its chain has changed, gets all the same
 * what it asks for.
 */
export class Retelling {
  readonly #settled: readonly Settled[];
  /** Where the outcome of a key stands among them; -1 while it is in line, and when it was told. */
  readonly #places = new Map<string, number>();
  /** The places of what was asked for and not told yet: a heap, the first of them at its top. */
  readonly #line: number[] = [];
  #untold: number;

  /** @param settled In the order in which it happened. */
  constructor(settled: readonly Settled[]) {
    this.#settled = settled;
    this.#untold = settled.length;
    // What comes twice was heard of once.
    for (const [place, { key }] of settled.entries()) if (!this.#places.has(key)) this.#places.set(key, place);
    // Nobody asks for a cancellation.
    this.ask(cancelKey);
  }

  /** The outcome is known, told or not. */
  has(key: string): boolean {
    return this.#places.size > 0 && this.#places.has(key);
  }

  /** How many outcomes were not told yet. */
  get untold(): number {
    return this.#untold;
  }

  /** Puts an outcome in line; false when it is not known. */
  ask(key: string): boolean {
    const place = this.#places.size > 0 ? this.#places.get(key) : undefined;
    if (place === undefined) return false;
    if (place >= 0) {
      this.#places.set(key, -1);
      this.#push(place);
    }
    return true;
  }

  /** The first that is in line and still waited for. */
  next(pending: PendingKeys): Settled | undefined {
    for (let place = this.#pop(); place !== undefined; place = this.#pop()) {
      // Places are of this list.
      const settled = this.#settled[place] as Settled;
      if (settled.key === cancelKey || pending.has(settled.key)) {
        this.#untold--;
        return settled;
      }
      // A wait that was given up.
      this.#places.set(settled.key, place);
    }
    return undefined;
  }

  #push(place: number): void {
    const line = this.#line;
    let at = line.length;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const other = line[above] as number;
      if (other <= place) break;
      line[at] = other;
      at = above;
    }
    line[at] = place;
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
      const least = line[below] as number;
      if (last <= least) break;
      line[at] = least;
      at = below;
    }
    line[at] = last;
    return first;
  }
}
