/** What an item of a {@link LinkedList} carries; the list writes it, nobody else does. */
export interface Linked<T> {
  previous: T | undefined;
  next: T | undefined;
  linked: boolean;
}

/**
 * A doubly linked list whose items carry the links themselves: adding allocates nothing, and an item that gives up
 * in the middle of a long queue leaves in constant time, keeping nothing alive.
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

  /** Takes an item of this list out; does nothing when it is out already. */
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

  /** The items as they are now; the list may change while they are visited. */
  toArray(): T[] {
    const items: T[] = [];
    for (let item = this.#first; item; item = item.next) items.push(item);
    return items;
  }
}
