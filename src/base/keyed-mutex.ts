/** Work on the same thing takes turns; work on different things does not wait. */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  /** Runs `work` when all work that was given before for this key has ended, well or not. */
  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
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
