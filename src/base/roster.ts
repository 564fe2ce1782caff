/**
 * Those that are here right now, of things that come and go all the time. Few enough to look through: a `Set` of them
 * leaves tables behind as it changes, each of which keeps the next one alive, and so whatever was in them, until all of
 * the memory is looked through.
 */
export class Roster<T> implements Iterable<T> {
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  add(item: T): void {
    this.#items.push(item);
  }

  delete(item: T): void {
    const at = this.#items.indexOf(item);
    if (at !== -1) this.#items.splice(at, 1);
  }

  /** Of those that are here now; some may leave meanwhile. */
  [Symbol.iterator](): Iterator<T> {
    return [...this.#items].values();
  }
}
