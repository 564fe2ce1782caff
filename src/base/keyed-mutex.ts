/** Serializes work with the same key; work with different keys runs concurrently. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<void>>();

  /** Runs `work` after all earlier work for this key has settled. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    this.#last.set(key, ended);
    try {
      await before;
      return await work();
    } finally {
      if (this.#last.get(key) === ended) this.#last.delete(key);
      end();
    }
  }
}
