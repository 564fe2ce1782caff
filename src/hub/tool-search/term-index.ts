/** The terms of one document: each with how much it counts there, fields and repetition included. */
export type TermBag = ReadonlyMap<string, number>;

/** Documents that contain a term. Removed documents stay in the lists and are ignored. */
interface Postings {
  readonly documents: number[];
  readonly weights: number[];
  /** Number of documents that still exist. */
  live: number;
}

/** Saturation of repeated terms, and normalization by document length (BM25). */
const saturation = 0.8;
const lengthShare = 0.5;

/** Number of new terms that are scanned linearly before they are sorted in. */
const maxUnsorted = 500;

/**
 * An inverted index of bags of terms. Adding or removing a bag costs time in proportion to its length, independent of
 * the size of the index.
 */
export class TermIndex {
  readonly #postings = new Map<string, Postings>();
  /** By document; undefined if it was removed. */
  readonly #bags: (TermBag | undefined)[] = [];
  readonly #lengths: number[] = [];
  #count = 0;
  #length = 0;
  /** Terms in sorted order, for prefix searches, and later ones. */
  #sorted: readonly string[] = [];
  readonly #unsorted = new Set<string>();

  /** One more than the highest number of a document. */
  get end(): number {
    return this.#bags.length;
  }

  /** Number of documents. */
  get count(): number {
    return this.#count;
  }

  /** Adds a document and returns its number. */
  add(bag: TermBag): number {
    const document = this.#bags.push(bag) - 1;
    let length = 0;
    for (const [term, weight] of bag) {
      length += weight;
      const postings = this.#postings.get(term) ?? { documents: [], weights: [], live: 0 };
      if (postings.documents.length === 0) {
        this.#postings.set(term, postings);
        this.#unsorted.add(term);
      }
      postings.documents.push(document);
      postings.weights.push(weight);
      postings.live++;
    }
    this.#lengths.push(length);
    this.#length += length;
    this.#count++;
    return document;
  }

  remove(document: number): void {
    const bag = this.#bags[document];
    if (bag === undefined) return;
    this.#bags[document] = undefined;
    this.#length -= this.#lengths[document] ?? 0;
    this.#count--;
    for (const term of bag.keys()) {
      const postings = this.#postings.get(term);
      if (postings !== undefined) postings.live--;
    }
  }

  has(term: string): boolean {
    return (this.#postings.get(term)?.live ?? 0) > 0;
  }

  /** Inverse document frequency of a term; highest if no document has it. */
  rarityOf(term: string): number {
    const live = this.#postings.get(term)?.live ?? 0;
    return Math.log(1 + (this.#count - live + 0.5) / (live + 0.5));
  }

  /** Calls back with every document that has a term, and its gain. */
  eachGain(term: string, take: (document: number, gain: number) => void): void {
    const postings = this.#postings.get(term);
    if (postings === undefined || postings.live === 0) return;
    const rarity = this.rarityOf(term);
    const defaults = Math.max(this.#length / Math.max(1, this.#count), 1e-9);
    const { documents, weights } = postings;
    for (let at = 0; at < documents.length; at++) {
      const document = documents[at] ?? 0;
      if (this.#bags[document] === undefined) continue;
      const weight = weights[at] ?? 0;
      const length = (this.#lengths[document] ?? 0) / defaults;
      const held = saturation * (1 - lengthShare + lengthShare * length);
      take(document, (rarity * weight * (saturation + 1)) / (weight + held));
    }
  }

  /** Longer terms that begin with this one, up to a limit. */
  *beginningWith(prefix: string, limit: number): Generator<string, void, undefined> {
    this.#sort();
    let yielded = 0;
    for (const term of this.#candidates(prefix)) {
      if (yielded === limit) return;
      if (term === prefix || !this.has(term)) continue;
      yielded++;
      yield term;
    }
  }

  *#candidates(prefix: string): Generator<string, void, undefined> {
    for (let at = firstAtMin(this.#sorted, prefix); ; at++) {
      const term = this.#sorted[at];
      if (term === undefined || !term.startsWith(prefix)) break;
      yield term;
    }
    for (const term of this.#unsorted) if (term.startsWith(prefix)) yield term;
  }

  #sort(): void {
    if (this.#unsorted.size <= maxUnsorted) return;
    this.#sorted = [...this.#sorted, ...this.#unsorted].toSorted();
    this.#unsorted.clear();
  }
}

function firstAtMin(sorted: readonly string[], text: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? "") < text) low = middle + 1;
    else high = middle;
  }
  return low;
}
