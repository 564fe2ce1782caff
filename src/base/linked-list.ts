/** Links of an item of a {@link LinkedList}; only the list writes them. */
export interface Linked<T> {
  previous: T | undefined;
  next: T | undefined;
  linked: boolean;
}

/**
 * A doubly linked list whose items carry the links themselves: adding allocates nothing, and an item in the middle of a
 * long queue is removed in constant time, keeping nothing alive.
 */
export class LinkedList<T extends Linked<T>> {
  #first: T | undefined;
  #last: T | undefined;
  #size = 0;

  get first(): T | undefined {
    return this.#first;
  }

  get size(): number {
    return this.#size;
  }

  append(item: T): void {
    item.previous = this.#last;
    item.next = undefined;
    item.linked = true;
    if (this.#last) this.#last.next = item;
    else this.#first = item;
    this.#last = item;
    this.#size++;
  }

  /** Removes an item from this list; does nothing if it is already removed. */
  remove(item: T): void {
    if (!item.linked) return;
    if (item.previous) item.previous.next = item.next;
    else this.#first = item.next;
    if (item.next) item.next.previous = item.previous;
    else this.#last = item.previous;
    item.previous = undefined;
    item.next = undefined;
    item.linked = false;
    this.#size--;
  }

  /** A snapshot of the items; the list may change during iteration. */
  toArray(): T[] {
    const items: T[] = [];
    for (let item = this.#first; item; item = item.next) items.push(item);
    return items;
  }
}
