import { type TermKind, readTerms } from "./read-terms.ts";
import { stemWord } from "./stem-word.ts";
import { synonyms } from "./synonyms.ts";

/** One concept of a query: its alternative words, each with a weight. The best match of a tool counts. */
export type QueryTerm = ReadonlyMap<string, number>;

/** Maximum length of a query; the rest is ignored. */
const maxQueryLength = 1000;
const maxQueryTerms = 64;

/** Weight of a synonym relative to the word itself. */
const synonymShare = 0.55;
/** Weight of a pair of characters across two words, and of a single character. */
const acrossShare = 0.35;
const characterShare = 0.45;

/** Words that are common in requests. */
const commonQueryWords: ReadonlySet<string> = new Set(
  (
    "a about an and any are as at be by can could did do does for from had has have how i if in into is it its just let " +
    "like me my need of on or our out please she he so some that the their them then there these they this those to " +
    "tool tools us use using want wants was we were what when which who why will with would you your"
  )
    .split(" ")
    .map(stemWord),
);
/** The same in Chinese, longer ones first. */
const commonQueryPhrases =
  /什么时候|怎么样|有没有|什么|时候|多少|怎么|怎样|如何|哪里|哪些|哪个|大概|现在|可以|应该|一下|一个|这个|那个|我们|你们|他们|大家|帮我|给我|需要|能不能|是不是|[的了是在和与及或我你他她它们这那有也就都而吗呢吧啊把被对于从到关为给帮一个下要能会不没想用让去来些张条]/gu;
/** Maximum length of a Chinese word in the synonym table. */
const maxSynonymLength = 4;

/**
 * Parses a request for a tool. Common words are ignored, unless there are no others; synonyms count less than the words
 * themselves.
 */
export function parseToolQuery(query: string): QueryTerm[] {
  const text = query.slice(0, maxQueryLength).toLowerCase();
  const dense = denseWords(text);
  const reporting: QueryTerm[] = [];
  const defaults: QueryTerm[] = [];
  const seen = new Set<string>();
  readTerms(text, (term, kind, { start, end }) => {
    if (seen.has(term)) return;
    seen.add(term);
    const own = new Map([[term, shareOf(kind, dense.isWithin(start))]]);
    const others = new Map<string, number>();
    if (kind === "word") addSynonyms(others, text.slice(start, end));
    else addMeanings(others, dense.meanings.get(start), kind);
    const isDefault = kind === "word" ? commonQueryWords.has(term) : dense.isDefault(start, end);
    if (!isDefault) reporting.push(new Map([...others, ...own]));
    // A common phrase such as `how much` that still has a meaning.
    else if (kind !== "word" && others.size > 0) reporting.push(others);
    else defaults.push(own);
  });
  return (reporting.length > 0 ? reporting : defaults).slice(0, maxQueryTerms);
}

function shareOf(kind: TermKind, withinWord: boolean): number {
  if (kind === "word") return 1;
  if (kind === "character") return characterShare;
  return withinWord ? 1 : acrossShare;
}

function addSynonyms(ways: Map<string, number>, word: string): void {
  const table = synonyms();
  for (const form of new Set([word, stemWord(word), word.replace(/s$/, "")])) {
    for (const other of table.get(form) ?? []) addWord(ways, other);
  }
}

/** A word of the synonym table begins here: a tool with a synonym of it scores like one with the word. */
function addMeanings(ways: Map<string, number>, word: string | undefined, kind: TermKind): void {
  if (word === undefined || (kind === "character") !== (word.length === 1)) return;
  for (const other of synonyms().get(word) ?? []) addWord(ways, other);
}

/** A word of several pairs matches by each of them, and each pair only by its share. */
function addWord(ways: Map<string, number>, word: string): void {
  const terms: string[] = [];
  readTerms(word, (term, kind) => {
    if (kind !== "character" || word.length === 1) terms.push(term);
  });
  for (const term of terms) ways.set(term, Math.max(ways.get(term) ?? 0, synonymShare / terms.length));
}

/** The words of a text without spaces. */
interface DenseWords {
  /** True if the pair of characters at this offset is within one word. */
  isWithin(at: number): boolean;
  /** True if all of this is common in requests. */
  isDefault(start: number, end: number): boolean;
  /** Words of the synonym table, by their offset. */
  readonly meanings: ReadonlyMap<number, string>;
}

const noDenseWords: DenseWords = { isWithin: () => true, isDefault: () => false, meanings: new Map() };

let segmenter: Intl.Segmenter | undefined;

/** Segments a text into dictionary words. */
function denseWords(text: string): DenseWords {
  if (!/[\u3400-\u9fff]/.test(text)) return noDenseWords;
  segmenter ??= new Intl.Segmenter("zh", { granularity: "word" });
  const lasts = new Set<number>();
  for (const { segment, index } of segmenter.segment(text)) lasts.add(index + segment.length - 1);
  const defaults = new Set<number>();
  for (const { index, 0: found } of text.matchAll(commonQueryPhrases)) {
    for (let at = index; at < index + found.length; at++) defaults.add(at);
  }
  const meanings = meaningsIn(text);
  return {
    isWithin: (at) => !lasts.has(at) || (meanings.get(at)?.length ?? 0) > 1,
    isDefault: (start, end) => {
      for (let at = start; at < end; at++) if (!defaults.has(at)) return false;
      return true;
    },
    meanings,
  };
}

/** The longest words of the table, without overlaps. */
function meaningsIn(text: string): Map<number, string> {
  const table = synonyms();
  const found = new Map<number, string>();
  for (let at = 0; at < text.length; at++) {
    for (let length = maxSynonymLength; length > 0; length--) {
      const word = text.slice(at, at + length);
      if (word.length < length || word.charCodeAt(0) < 0x3400 || !table.has(word)) continue;
      found.set(at, word);
      at += length - 1;
      break;
    }
  }
  return found;
}
