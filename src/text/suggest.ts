import { distance } from "fastest-levenshtein";

/** Longer words are not compared: no one mistypes a page of text, and an attacker could send one for free. */
const maxLength = 128;

/**
 * The most likely intended candidate for a misspelled word. Case, `_`, `-` and camelCase make no difference.
 *
 * @example
 * ```ts
 * suggest("webSerch", ["web_search", "web_fetch"]); // "web_search"
 * ```
 */
export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  const target = bare(word);
  if (target === "" || target.length > maxLength) return undefined;
  let best: string | undefined;
  let lowest = Infinity;
  for (const candidate of candidates) {
    const rank = candidate.length > maxLength * 2 ? Infinity : rankOf(...withoutKind(target, bare(candidate)));
    if (rank < lowest) {
      lowest = rank;
      best = candidate;
    }
  }
  return best;
}

/** `did you mean "web_search"?` with the most likely intended candidate; undefined if none is near. */
export function suggestHint(word: string, candidates: Iterable<string>): string | undefined {
  const near = suggest(word, candidates);
  return near === undefined ? undefined : `did you mean "${near}"?`;
}

/** The same as the ending of a message: `; did you mean "web_search"?`, or an empty text if none is near. */
export function suggestEnding(word: string, candidates: Iterable<string>): string {
  const hint = suggestHint(word, candidates);
  return hint === undefined ? "" : `; ${hint}`;
}

/** The word that such a hint suggests; undefined for any other hint. */
export function suggestedWord(hint: string): string | undefined {
  return /^did you mean "(.+)"\?$/.exec(hint)?.[1];
}

/** A common prefix up to a colon or a slash is not part of the words: `capability:web` is not `capability:csv`. */
function withoutKind(target: string, candidate: string): readonly [target: string, candidate: string] {
  const end = Math.max(target.lastIndexOf(":"), target.lastIndexOf("/")) + 1;
  const isShared = end > 0 && end < target.length && candidate.startsWith(target.slice(0, end));
  return isShared ? [target.slice(end), candidate.slice(end)] : [target, candidate];
}

/** 0 means the same word; Infinity is too far to suggest. */
function rankOf(target: string, candidate: string): number {
  if (target === candidate) return 0;
  const edits = editsBetween(target, candidate);
  if (edits <= tolerance(target, candidate)) return edits;
  // Abbreviations rank after every spelling mistake, those that omit least first: `desc`, `param`.
  if (target.length >= 3 && candidate.startsWith(target)) return 10 + candidate.length;
  if (target.length >= 5 && candidate.includes(target)) return 1000 + candidate.length;
  return Infinity;
}

/** Edit distance between two words; two swapped letters count as one edit. */
function editsBetween(a: string, b: string): number {
  const edits = distance(a, b);
  return edits === 2 && a.length === b.length && swapsOnePair(a, b) ? 1 : edits;
}

function swapsOnePair(a: string, b: string): boolean {
  let i = 0;
  while (a[i] === b[i]) i++;
  return a[i] === b[i + 1] && a[i + 1] === b[i] && a.slice(i + 2) === b.slice(i + 2);
}

/**
 * Maximum number of edits that still look like a mistake: a third of the word, none for two letters, one for two
 * ideographs.
 */
function tolerance(target: string, candidate: string): number {
  const length = Math.max(target.length, candidate.length);
  if (length < 3) return target.length === 2 && hasIdeographs(target) ? 1 : 0;
  return Math.min(4, Math.floor(length / 3));
}

function hasIdeographs(text: string): boolean {
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(text);
}

function bare(word: string): string {
  return word
    .slice(0, maxLength * 2)
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\s_.-]+/gu, "");
}
