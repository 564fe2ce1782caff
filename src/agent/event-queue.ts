/** Hands on events to whoever reads them, at their own pace. */
export class EventQueue<T> implements AsyncIterable<T> {
  readonly #events: T[] = [];
  #ended: { readonly error: Error | undefined } | undefined;
  #wake: (() => void) | undefined;

  push(event: T): void {
    this.#events.push(event);
    this.#wake?.();
  }

  end(error?: Error): void {
    this.#ended = { error };
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<T> {
    for (;;) {
      const events = this.#events.splice(0);
      yield* events;
      if (this.#events.length > 0) continue;
      if (this.#ended !== undefined) {
        if (this.#ended.error !== undefined) throw this.#ended.error;
        return;
      }
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
