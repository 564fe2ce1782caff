/**
 * A map that keeps insertion order, optimized for zero or one entry. Most chains have one running call, and a `Map`
 * that alternates between one entry and none reallocates its table all the time; an empty `Map` takes as much memory as
 * a step.
 */
export class OrderedKeyMap<V> {
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

  /** Returns false if the key is not in the map. */
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

  /** Returns a snapshot of the keys. */
  keys(): string[] {
    const more = this.#more === undefined ? [] : [...this.#more.keys()];
    return this.#key === undefined ? more : [this.#key, ...more];
  }

  /** Returns a snapshot of the values. */
  values(): V[] {
    // Every key has its value.
    return this.keys().map((key) => this.get(key) as V);
  }

  /** Returns a snapshot of the entries. */
  entries(): [key: string, value: V][] {
    return this.keys().map((key) => [key, this.get(key) as V]);
  }
}
