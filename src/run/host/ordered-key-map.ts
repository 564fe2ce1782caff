/**
 * A map from keys in the order in which they came, for what comes and goes all the time, or never comes. Most chains
 * have one call under way, and a `Map` that has one entry and none in turns makes its table anew again and again; an
 * empty one takes as much memory as a step.
 */
export class KeyTable<V> {
  #key: string | undefined = undefined;
  #value: V | undefined = undefined;
  /** All but the first. */
  #more: Map<string, V> | undefined = undefined;

  get size(): number {
    return (this.#key === undefined ? 0 : 1) + (this.#more?.size ?? 0);
  }

  get(key: string): V | undefined {
    return key === this.#key ? this.#value : this.#more?.get(key);
  }

  has(key: string): boolean {
    return key === this.#key || this.#more?.has(key) === true;
  }

  set(key: string, value: V): void {
    if (key === this.#key || this.size === 0) {
      this.#key = key;
      this.#value = value;
    } else {
      this.#more ??= new Map();
      this.#more.set(key, value);
    }
  }

  /** False when it was not there. */
  delete(key: string): boolean {
    if (key !== this.#key) return this.#more?.delete(key) === true;
    this.#key = undefined;
    this.#value = undefined;
    return true;
  }

  clear(): void {
    this.#key = undefined;
    this.#value = undefined;
    this.#more = undefined;
  }

  /** The keys as they are now. */
  keys(): string[] {
    const more = this.#more === undefined ? [] : [...this.#more.keys()];
    return this.#key === undefined ? more : [this.#key, ...more];
  }

  /** The values as they are now. */
  values(): V[] {
    // Every key has its value.
    return this.keys().map((key) => this.get(key) as V);
  }

  /** The keys with their values as they are now. */
  entries(): [key: string, value: V][] {
    return this.keys().map((key) => [key, this.get(key) as V]);
  }
}
