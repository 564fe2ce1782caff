/** The position of an item in its {@link Bag}, -1 if it is in none; only the bag writes it. */
export interface Bagged {
  position: number;
}

/**
 * Items in no order that carry their position themselves: adding and removing one takes constant time and allocates
 * nothing.
 */
export class Bag<T extends Bagged> {
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  add(item: T): void {
    item.position = this.#items.push(item) - 1;
  }

  /** Removes an item from this bag; does nothing if it is already removed. */
  remove(item: T): void {
    const { position } = item;
    if (position < 0) return;
    item.position = -1;
    const last = this.#items.pop();
    if (last === undefined || last === item) return;
    this.#items[position] = last;
    last.position = position;
  }

  /** A snapshot of the items; the bag may change during iteration. */
  toArray(): T[] {
    return [...this.#items];
  }
}
