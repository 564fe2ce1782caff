/** Hands on events to whoever reads them, at their own pace; each goes to one reader. */
export class EventQueue<T> implements AsyncIterable<T> {
  readonly #events: T[] = [];
  /** How many of them somebody has. */
  #taken = 0;
  #ended: { readonly error: Error | undefined } | undefined;
  /** Readers that wait for the next event, or for the end. */
  #waiting: (() => void)[] = [];

  push(event: T): void {
    this.#events.push(event);
    this.#wake();
  }

  end(error?: Error): void {
    this.#ended = { error };
    this.#wake();
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const go of waiting) go();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<T> {
    for (;;) {
      // One at a time: who stops reading leaves the rest to others.
      while (this.#taken < this.#events.length) yield this.#events[this.#taken++] as T;
      this.#events.length = 0;
      this.#taken = 0;
      if (this.#ended !== undefined) {
        if (this.#ended.error !== undefined) throw this.#ended.error;
        return;
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }
}
