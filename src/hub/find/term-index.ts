/** The terms of one document: each with how much it counts there, fields and repetition included. */
export type TermBag = ReadonlyMap<string, number>;

/** Where a term occurs, and how much a document gains by it. */
export interface Postings {
  readonly documents: Uint32Array;
  readonly gains: Float32Array;
  /** How much it tells, by how few documents have it; a part of the gains. */
  readonly rarity: number;
}

/** How soon a repeated term counts no more, and how much longer documents are held back (BM25). */
const saturation = 0.8;
const lengthShare = 0.35;

/** An index of bags of terms that is made once and never changed. */
export class TermIndex {
  readonly #postings: ReadonlyMap<string, Postings>;
  /** In order, for those that begin alike. */
  #sorted: readonly string[] | undefined;

  constructor(bags: readonly TermBag[]) {
    this.#postings = postingsOf(bags);
  }

  get(term: string): Postings | undefined {
    return this.#postings.get(term);
  }

  /** Longer terms that begin with this one, at most so many. */
  *beginningWith(prefix: string, most: number): Generator<string, void, undefined> {
    this.#sorted ??= [...this.#postings.keys()].toSorted();
    let at = firstAtLeast(this.#sorted, prefix);
    for (let given = 0; given < most; at++) {
      const term = this.#sorted[at];
      if (term === undefined || !term.startsWith(prefix)) return;
      if (term === prefix) continue;
      given++;
      yield term;
    }
  }
}

function postingsOf(bags: readonly TermBag[]): Map<string, Postings> {
  const found = new Map<string, { documents: number[]; weights: number[] }>();
  const lengths = bags.map((bag) => bag.values().reduce((sum, weight) => sum + weight, 0));
  const usual = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, bags.length);
  for (const [document, bag] of bags.entries()) {
    for (const [term, weight] of bag) {
      const entry = found.get(term) ?? { documents: [], weights: [] };
      if (entry.documents.length === 0) found.set(term, entry);
      entry.documents.push(document);
      entry.weights.push(weight);
    }
  }
  const gain = (document: number, weight: number, rarity: number): number => {
    const length = (lengths[document] ?? 0) / Math.max(usual, 1e-9);
    return (rarity * weight * (saturation + 1)) / (weight + saturation * (1 - lengthShare + lengthShare * length));
  };
  return new Map(
    found.entries().map(([term, { documents, weights }]) => {
      const rarity = Math.log(1 + (bags.length - documents.length + 0.5) / (documents.length + 0.5));
      const gains = Float32Array.from(weights, (weight, at) => gain(documents[at] ?? 0, weight, rarity));
      return [term, { documents: Uint32Array.from(documents), gains, rarity }];
    }),
  );
}

function firstAtLeast(sorted: readonly string[], text: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? "") < text) low = middle + 1;
    else high = middle;
  }
  return low;
}
