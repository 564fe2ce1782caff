import { distance } from "fastest-levenshtein";

/** Longer words are not compared: nobody mistypes a page, and an attacker pays nothing to send one. */
const longest = 128;

/**
 * The candidate that a misspelt word most likely means. Case, `_`, `-` and camelCase make no difference.
 *
 * @example
 * ```ts
 * suggest("webSerch", ["web_search", "web_fetch"]); // "web_search"
 * ```
 */
export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = bare(word);
  if (wanted === "" || wanted.length > longest) return undefined;
  let best: string | undefined;
  let lowest = Infinity;
  for (const candidate of candidates) {
    const rank = candidate.length > longest * 2 ? Infinity : rankOf(...withoutKind(wanted, bare(candidate)));
    if (rank < lowest) {
      lowest = rank;
      best = candidate;
    }
  }
  return best;
}

/** What both begin with up to a colon or a slash is no part of the words: `capability:web` is not `capability:csv`. */
function withoutKind(wanted: string, candidate: string): readonly [wanted: string, candidate: string] {
  const end = Math.max(wanted.lastIndexOf(":"), wanted.lastIndexOf("/")) + 1;
  const isShared = end > 0 && end < wanted.length && candidate.startsWith(wanted.slice(0, end));
  return isShared ? [wanted.slice(end), candidate.slice(end)] : [wanted, candidate];
}

/** 0 is the same word; Infinity is too far to suggest. */
function rankOf(wanted: string, candidate: string): number {
  if (wanted === candidate) return 0;
  const edits = editsBetween(wanted, candidate);
  if (edits <= tolerance(wanted, candidate)) return edits;
  // Abbreviations come after every spelling mistake, those that leave out least first: `desc`, `param`.
  if (wanted.length >= 3 && candidate.startsWith(wanted)) return 10 + candidate.length;
  if (wanted.length >= 5 && candidate.includes(wanted)) return 1000 + candidate.length;
  return Infinity;
}

/** Edits between two words, two letters swapped counting as one. */
function editsBetween(a: string, b: string): number {
  const edits = distance(a, b);
  return edits === 2 && a.length === b.length && swapsOnePair(a, b) ? 1 : edits;
}

function swapsOnePair(a: string, b: string): boolean {
  let i = 0;
  while (a[i] === b[i]) i++;
  return a[i] === b[i + 1] && a[i + 1] === b[i] && a.slice(i + 2) === b.slice(i + 2);
}

/** How many edits still look like a mistake: a third of the word, none for two letters, one for two ideographs. */
function tolerance(wanted: string, candidate: string): number {
  const length = Math.max(wanted.length, candidate.length);
  if (length < 3) return wanted.length === 2 && hasIdeographs(wanted) ? 1 : 0;
  return Math.min(4, Math.floor(length / 3));
}

function hasIdeographs(text: string): boolean {
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(text);
}

function bare(word: string): string {
  return word
    .slice(0, longest * 2)
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\s_.-]+/gu, "");
}
