import { type TokenSink, type WordKind, readTokens } from "./text-tokens.ts";

/** Terms that stand side by side; the last may be the beginning of a longer one. */
export interface Needle {
  readonly terms: readonly string[];
  readonly prefix: boolean;
}

/** What a search looks for. */
export interface TextPlan {
  /** A document that fits has one needle of each of these. */
  readonly all: readonly (readonly Needle[])[];
  /** All words of the text side by side, where there are several. */
  readonly phrase: Needle | undefined;
  /** A document that fits loosely has some of these: each is one word in the ways it may be written. */
  readonly any: readonly (readonly Needle[])[];
  /** The same of the further terms, without what is asked for already. */
  readonly more: readonly (readonly Needle[])[];
  /** All terms of the text in their order. */
  readonly terms: readonly string[];
}

/** More of a question than this is not looked at. */
const longestText = 4000;
const mostWords = 24;
const mostNeedles = 40;
const longestPhrase = 64;
const longestTerms = 50;

/** Words of every other sentence: looked for only where there are no others. */
const usualWords: ReadonlySet<string> = new Set(
  (
    "a about an and are as at be by did do does for from had has have how i in is it its me my of on or our she he so " +
    "that the their them then there these they this to was we were what when where which who why will with you your"
  ).split(" "),
);
const usualCharacters = /^[的了是在和与及或我你他她它们这那有也就都而吗呢吧啊把被对于从到关什么怎样如何为请]+$/;

interface Word {
  readonly kind: WordKind;
  readonly terms: readonly string[];
  readonly joined: string | undefined;
  readonly start: number;
  readonly end: number;
}

/**
 * Makes a plan of what somebody typed, and of further terms that mean the same. Nothing in it is an operator: quotes,
 * stars, colons and words such as OR are text like any other.
 */
export function planQuery(text: string, terms: readonly string[] = []): TextPlan {
  const asked = text.slice(0, longestText);
  const words = readWords(asked);
  const telling = words.filter((word) => !isUsual(word));
  const chosen = distinct(telling.length > 0 ? telling : words).slice(0, mostWords);
  const others = terms.slice(0, longestTerms).map((term) => term.slice(0, longestText));
  const any = [
    ...chosen.map(needlesOf),
    ...chosen.flatMap((word) => (word.kind === "unspaced" ? wordsWithin(asked.slice(word.start, word.end)) : [])),
  ];
  const kept = firstOfEach([any, others.flatMap(needlesOfTerm)]);
  return {
    all: chosen.map(needlesOf).filter((group) => group.length > 0),
    phrase: words.length > 1 ? phraseOf(words) : undefined,
    any: kept[0] ?? [],
    more: kept[1] ?? [],
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

/** The ways in which a word may be written. */
function needlesOf({ kind, terms, joined }: Word): Needle[] {
  if (kind === "unspaced") return [stretch(terms)];
  const [first = ""] = terms;
  const found = [whole(terms)];
  if (joined !== undefined) found.push(whole([joined]));
  if (terms.length === 1) found.push(...numbersOf(first).map((form) => whole([form])));
  return found;
}

function whole(terms: readonly string[]): Needle {
  return { terms: terms.slice(0, longestPhrase), prefix: false };
}

/** In a document more may follow: the last character alone is left out, or is the beginning of a pair. */
function stretch(terms: readonly string[]): Needle {
  if (terms.length === 1) return { terms, prefix: true };
  return whole(terms.slice(0, -1));
}

/** One or many: the few forms of an English noun that a rule can tell. */
function numbersOf(word: string): string[] {
  if (!/^[a-z]{4,}$/.test(word) || word.endsWith("ss")) return [];
  if (word.endsWith("ies")) return [`${word.slice(0, -3)}y`];
  if (/(?:s|x|z|ch|sh)es$/.test(word)) return [word.slice(0, -2), word.slice(0, -1)];
  if (word.endsWith("s")) return [word.slice(0, -1)];
  if (/[^aeiou]y$/.test(word)) return [`${word.slice(0, -1)}ies`];
  return [`${word}s`];
}

/** A term that somebody names is looked for as it is; its words one by one count less, being found in it already. */
function needlesOfTerm(term: string): Needle[][] {
  const words = readWords(term);
  const single = words.filter((word) => !isUsual(word)).map(needlesOf);
  return words.length > 1 ? [[phraseOf(words)], ...single] : single;
}

function phraseOf(words: readonly Word[]): Needle {
  const last = words.at(-1);
  const terms = words.flatMap((word) => word.terms).slice(0, longestPhrase);
  if (last?.kind !== "unspaced" || terms.length === longestPhrase) return whole(terms);
  return last.terms.length === 1 ? { terms, prefix: true } : whole(terms.slice(0, -1));
}

let segmenter: Intl.Segmenter | undefined;

/** A stretch without spaces is often a whole sentence: the words in it, as a dictionary knows them. */
function wordsWithin(stretchText: string): Needle[][] {
  if (stretchText.length <= 2) return [];
  segmenter ??= new Intl.Segmenter("zh", { granularity: "word" });
  const found = [...segmenter.segment(stretchText)]
    .map(({ segment }) => segment)
    .filter((segment) => segment.length > 1 && segment !== stretchText && !usualCharacters.test(segment))
    .flatMap((segment) => readWords(segment).map(needlesOf));
  if (found.length > 0) return found;
  const pairs = readWords(stretchText).flatMap(({ terms }) => terms.slice(0, -1));
  return pairs.map((pair) => [whole([pair])]);
}

function isUsual({ kind, terms }: Word): boolean {
  const [first = ""] = terms;
  if (kind === "word") return terms.length === 1 && usualWords.has(first);
  return kind === "unspaced" && terms.every((term) => usualCharacters.test(term));
}

function distinct(words: readonly Word[]): Word[] {
  const seen = new Map(words.map((word) => [`${word.kind} ${word.terms.join(" ")}`, word]));
  return [...seen.values()];
}

/** No needle twice, whichever list and group it is in, and not too many of them. */
function firstOfEach(lists: readonly (readonly (readonly Needle[])[])[]): Needle[][][] {
  const seen = new Set<string>();
  const isNew = ({ prefix, terms }: Needle): boolean => {
    const before = seen.size;
    return before < mostNeedles && seen.add(`${prefix} ${terms.join(" ")}`).size > before;
  };
  return lists.map((groups) => groups.map((group) => group.filter(isNew)).filter((group) => group.length > 0));
}
