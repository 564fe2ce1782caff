/** A sentence and its position. */
export interface PositionedSentence {
  readonly text: string;
  /** Which text it is from. */
  readonly piece: number;
  /** Index of the sentence in its text. */
  readonly position: number;
}

/** Ranked sentences: their scores, and the similarity of any two of them. */
export interface Ranking {
  readonly scores: Float64Array;
  readonly likeness: (a: number, b: number) => number;
}

const stopWords: ReadonlySet<string> = new Set(
  (
    "a an and are as at be been but by can could did do does for from had has have he her his how i if in into is it its may " +
    "more most no not of on or our out she so some such than that the their them then there these they this to up was " +
    "we were what when which who will with would you your about also said"
  ).split(" "),
);

/** Function characters; a run of Han characters is split at them. */
const joints = /[的了是在和与及也就都而但并将被把从到对为以于其这那有个之或]/;

/** Returns the terms that a sentence is compared by: word stems, and pairs of Han characters. */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  for (const [run] of text.toLowerCase().matchAll(/[\u3040-\u30ff\u3400-\u9fff]+|[\p{L}\p{N}]+/gu)) {
    if (!/^[\u3040-\u9fff]/.test(run)) {
      if (run.length > 1 && !stopWords.has(run)) terms.push(stem(run));
      continue;
    }
    for (const word of run.split(joints)) {
      for (let at = 0; at + 1 < word.length; at++) terms.push(word.slice(at, at + 2));
    }
  }
  return terms;
}

function stem(word: string): string {
  return word.length > 4 ? word.replace(/(?:ing|ed|es|s|ly)$/, "") : word;
}

const leadWeight = 0.5;
const titleWeight = 0.15;
const focusWeight = 2;

/**
 * LexRank with a weight on the beginning of a text: a sentence is central if it is similar to many central ones, and
 * the first sentences of most texts state their topic. Similarity to the title of its piece, and to the interest of the
 * reader, adds to the score.
 */
export function rankSentences(
  sentences: readonly PositionedSentence[],
  titlesByPiece: readonly (string | undefined)[],
  interest: string = "",
): Ranking {
  const vectors = toVectors(sentences.map(({ text }) => termsOf(text)));
  const size = sentences.length;
  const alike = likenesses(vectors);
  const central = centrality(alike, size);
  const highest = central.reduce((a, b) => Math.max(a, b), 0) || 1;
  const titles = titlesByPiece.map((title) => new Set(termsOf(title ?? "")));
  const focus = new Set(termsOf(interest));
  const scores = Float64Array.from(sentences, (sentence, at) => {
    const terms = new Set(vectors[at]?.keys());
    return (
      ((central[at] ?? 0) / highest) * (1 - leadWeight) +
      leadWeight * Math.exp(-sentence.position / 3) +
      titleWeight * overlap(terms, titles[sentence.piece]) +
      focusWeight * overlap(terms, focus) -
      burden(sentence.text)
    );
  });
  return { scores, likeness: (a, b) => alike[a * size + b] ?? 0 };
}

type Vector = ReadonlyMap<string, number>;

function toVectors(terms: readonly (readonly string[])[]): Vector[] {
  const seenIn = new Map<string, number>();
  for (const list of terms) for (const term of new Set(list)) seenIn.set(term, (seenIn.get(term) ?? 0) + 1);
  return terms.map((list) => {
    const vector = new Map<string, number>();
    for (const term of list) vector.set(term, (vector.get(term) ?? 0) + 1);
    let squares = 0;
    for (const [term, count] of vector) {
      const weight = count * Math.log(1 + terms.length / (seenIn.get(term) ?? 1));
      vector.set(term, weight);
      squares += weight * weight;
    }
    const length = Math.sqrt(squares) || 1;
    for (const [term, weight] of vector) vector.set(term, weight / length);
    return vector;
  });
}

/** A lower similarity is chance. */
const minLikeness = 0.02;

/** Returns the cosines of all pairs, computed from sentences that share a term: most pairs share none. */
function likenesses(vectors: readonly Vector[]): Float64Array {
  const size = vectors.length;
  const alike = new Float64Array(size * size);
  const holders = new Map<string, { readonly at: number; readonly weight: number }[]>();
  for (const [at, vector] of vectors.entries()) {
    for (const [term, weight] of vector) {
      const others = holders.get(term) ?? [];
      for (const other of others) {
        const location = other.at * size + at;
        alike[location] = (alike[location] ?? 0) + other.weight * weight;
      }
      others.push({ at, weight });
      holders.set(term, others);
    }
  }
  for (let a = 0; a < size; a++) {
    for (let b = a + 1; b < size; b++) {
      const cosine = alike[a * size + b] ?? 0;
      const retained = cosine > minLikeness ? cosine : 0;
      alike[a * size + b] = retained;
      alike[b * size + a] = retained;
    }
  }
  return alike;
}

const damping = 0.85;
const rounds = 30;

/** Returns the stationary distribution of a random walk between similar sentences. */
function centrality(alike: Float64Array, size: number): Float64Array {
  const rows = Array.from({ length: size }, (_, at) => alike.subarray(at * size, (at + 1) * size));
  const degrees = rows.map((row) => row.reduce((sum, likeness) => sum + likeness, 0));
  let shares = new Float64Array(size).fill(1 / size);
  for (let round = 0; round < rounds; round++) {
    const next = new Float64Array(size).fill((1 - damping) / size);
    for (const [from, row] of rows.entries()) spread(next, row, (damping * (shares[from] ?? 0)) / (degrees[from] || 1));
    shares = next;
  }
  // The share that every sentence gets is subtracted; a sentence that is similar to no other is not central at all.
  return shares.map((share) => Math.max(0, share - (1 - damping) / size));
}

function spread(shares: Float64Array, row: Float64Array, flow: number): void {
  for (let to = 0; to < row.length; to++) shares[to] = (shares[to] ?? 0) + flow * (row[to] ?? 0);
}

function overlap(terms: ReadonlySet<string>, requested: ReadonlySet<string> | undefined): number {
  if (requested === undefined || requested.size === 0) return 0;
  let shared = 0;
  for (const term of requested) if (terms.has(term)) shared++;
  return shared / requested.size;
}

/**
 * Penalizes sentences that do not stand well alone: those that refer to the one before, end with a question mark, or
 * are too long.
 */
function burden(text: string): number {
  const leans =
    /^(?:this|these|that|those|it|he|she|they|however|but|also|and|so)\b/i.test(text) ||
    /^(?:这|那|他|她|它|但|而|此外|因此|所以|另外)/.test(text);
  const isInterrogative = /[?？]$/.test(text);
  return (leans ? 0.1 : 0) + (isInterrogative ? 0.2 : 0) + (text.length > 320 ? 0.3 : 0);
}
