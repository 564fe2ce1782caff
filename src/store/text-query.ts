import { wordSegments } from "../text/index.ts";
import { type TokenSink, type WordKind, readTokens } from "./text-tokens.ts";

/** Adjacent terms; the last may be the prefix of a longer one. */
export interface Needle {
  readonly terms: readonly string[];
  readonly prefix: boolean;
}

/** The needles of a search. */
export interface TextPlan {
  /** A matching document has one needle of each of these groups. */
  readonly all: readonly (readonly Needle[])[];
  /** All words of the text adjacent to each other, if there are several. */
  readonly phrase: Needle | undefined;
  /** A loosely matching document has some of these: each group is one word in its possible spellings. */
  readonly any: readonly (readonly Needle[])[];
  /** Same for the further terms, without those that the text already contains. */
  readonly more: readonly (readonly Needle[])[];
  /** All terms of the text in order. */
  readonly terms: readonly string[];
}

/** A longer query is truncated. */
const maxTextLength = 4000;
const maxWords = 24;
const maxNeedles = 40;
const maxPhraseLength = 64;
const maxTermsLength = 50;

/** Very common words: used only if there are no others. */
const stopWords: ReadonlySet<string> = new Set(
  (
    "a about an and are as at be by did do does for from had has have how i in is it its me my of on or our she he so " +
    "that the their them then there these they this to was we were what when where which who why will with you your"
  ).split(" "),
);
const stopCharacters = /^[的了是在和与及或我你他她它们这那有也就都而吗呢吧啊把被对于从到关什么怎样如何为请]+$/;

interface Word {
  readonly kind: WordKind;
  readonly terms: readonly string[];
  readonly joined: string | undefined;
  readonly start: number;
  readonly end: number;
}

/**
 * Plans a search for a typed text and for further terms with the same meaning. Nothing in it is an operator: quotes,
 * stars, colons and words such as OR are ordinary text.
 */
export function planQuery(text: string, terms: readonly string[] = []): TextPlan {
  const query = text.slice(0, maxTextLength);
  const words = readWords(query);
  const reporting = words.filter((word) => !isStopWord(word));
  const chosen = distinct(reporting.length > 0 ? reporting : words).slice(0, maxWords);
  const others = terms.slice(0, maxTermsLength).map((term) => term.slice(0, maxTextLength));
  const any = [
    ...chosen.map(needlesOf),
    ...chosen.flatMap((word) => (word.kind === "unspaced" ? segmentWords(query.slice(word.start, word.end)) : [])),
  ];
  const stored = firstOfEach([any, others.flatMap(needlesOfTerm)]);
  return {
    all: chosen.map(needlesOf).filter((group) => group.length > 0),
    phrase: words.length > 1 ? phraseOf(words) : undefined,
    any: stored[0] ?? [],
    more: stored[1] ?? [],
    terms: words.flatMap((word) => word.terms),
  };
}

function readWords(text: string): Word[] {
  const words: Word[] = [];
  let terms: string[] = [];
  let joined: string | undefined;
  let from = -1;
  let to = 0;
  const sink: TokenSink = {
    term(term, start, end) {
      if (from < 0) from = start;
      to = end;
      terms.push(term);
    },
    joined(term) {
      joined = term;
    },
    wordEnd(kind) {
      if (terms.length > 0) words.push({ kind, terms, joined, start: from, end: to });
      terms = [];
      joined = undefined;
      from = -1;
    },
  };
  readTokens(text, sink);
  return words;
}

/** Returns the possible spellings of a word. */
function needlesOf({ kind, terms, joined }: Word): Needle[] {
  if (kind === "unspaced") return [stretch(terms)];
  const [first = ""] = terms;
  const found = [whole(terms)];
  if (joined !== undefined) found.push(whole([joined]));
  if (terms.length === 1) found.push(...numbersOf(first).map((form) => whole([form])));
  return found;
}

function whole(terms: readonly string[]): Needle {
  return { terms: terms.slice(0, maxPhraseLength), prefix: false };
}

/**
 * Converts a run of characters to a needle. In a document more may follow: the last character alone is dropped, or is
 * the first of a pair.
 */
function stretch(terms: readonly string[]): Needle {
  if (terms.length === 1) return { terms, prefix: true };
  return whole(terms.slice(0, -1));
}

/** Returns singular and plural forms of an English noun, as far as simple rules can derive them. */
function numbersOf(word: string): string[] {
  if (!/^[a-z]{4,}$/.test(word) || word.endsWith("ss")) return [];
  if (word.endsWith("ies")) return [`${word.slice(0, -3)}y`];
  if (/(?:s|x|z|ch|sh)es$/.test(word)) return [word.slice(0, -2), word.slice(0, -1)];
  if (word.endsWith("s")) return [word.slice(0, -1)];
  if (/[^aeiou]y$/.test(word)) return [`${word.slice(0, -1)}ies`];
  return [`${word}s`];
}

/**
 * Returns the needles of an explicit term: the term as a whole; its single words count less, since the whole contains
 * them.
 */
function needlesOfTerm(term: string): Needle[][] {
  const words = readWords(term);
  const single = words.filter((word) => !isStopWord(word)).map(needlesOf);
  return words.length > 1 ? [[phraseOf(words)], ...single] : single;
}

function phraseOf(words: readonly Word[]): Needle {
  const last = words.at(-1);
  const terms = words.flatMap((word) => word.terms).slice(0, maxPhraseLength);
  if (last?.kind !== "unspaced" || terms.length === maxPhraseLength) return whole(terms);
  return last.terms.length === 1 ? { terms, prefix: true } : whole(terms.slice(0, -1));
}

/** Splits text of a script without spaces, which is often a whole sentence, into dictionary words. */
function segmentWords(stretchText: string): Needle[][] {
  if (stretchText.length <= 2) return [];
  const found = [...wordSegments(stretchText)]
    .map(({ segment }) => segment)
    .filter((segment) => segment.length > 1 && segment !== stretchText && !stopCharacters.test(segment))
    .flatMap((segment) => readWords(segment).map(needlesOf));
  if (found.length > 0) return found;
  const pairs = readWords(stretchText).flatMap(({ terms }) => terms.slice(0, -1));
  return pairs.map((pair) => [whole([pair])]);
}

function isStopWord({ kind, terms }: Word): boolean {
  const [first = ""] = terms;
  if (kind === "word") return terms.length === 1 && stopWords.has(first);
  return kind === "unspaced" && terms.every((term) => stopCharacters.test(term));
}

function distinct(words: readonly Word[]): Word[] {
  const seen = new Map(words.map((word) => [`${word.kind} ${word.terms.join(" ")}`, word]));
  return [...seen.values()];
}

/** Removes duplicate needles across all lists and groups, and limits their number. */
function firstOfEach(lists: readonly (readonly (readonly Needle[])[])[]): Needle[][][] {
  const seen = new Set<string>();
  const isNew = ({ prefix, terms }: Needle): boolean => {
    const before = seen.size;
    return before < maxNeedles && seen.add(`${prefix} ${terms.join(" ")}`).size > before;
  };
  return lists.map((groups) => groups.map((group) => group.filter(isNew)).filter((group) => group.length > 0));
}
