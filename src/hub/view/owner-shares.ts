/** Something that is kept, and how much room it takes. */
export interface Kept {
  readonly key: string;
  readonly bytes: number;
}

/** Of more than this at once, the oldest are not counted any more. */
const mostCounted = 1000;

/** Counts what each owner keeps, so that one who keeps much pushes out only what is their own. */
export class OwnerShares {
  readonly #most: number;
  /** Oldest first. */
  #kept: (Kept & { readonly owner: string })[] = [];

  /** @param most Bytes of one owner. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Counts one more of an owner, and gives the keys of those that have to make room for it. */
  take(owner: string, { key, bytes }: Kept): string[] {
    const own = this.#kept.filter((each) => each.owner === owner);
    let left = this.#most - bytes - own.reduce((sum, each) => sum + each.bytes, 0);
    const gone = new Set<string>();
    for (const old of own) {
      if (left >= 0) break;
      left += old.bytes;
      gone.add(old.key);
    }
    this.#kept = [...this.#kept.filter((each) => !gone.has(each.key)), { owner, key, bytes }].slice(-mostCounted);
    return [...gone];
  }
}
