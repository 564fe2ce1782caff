import { type TermKind, readTerms } from "./read-terms.ts";
import { stemWord } from "./stem-word.ts";
import { synonyms } from "./synonyms.ts";

/** One thing that is asked for, in the ways it may be said, each with how well it says it. A tool gains by the best. */
export type Wanted = ReadonlyMap<string, number>;

/** More of a query than this is not looked at. */
const longestQuery = 1000;
const mostWanted = 64;

/** What another word for the same counts, beside the word itself. */
const synonymShare = 0.55;
/** A pair of characters that stands for no word but across two of them, and a single character. */
const acrossShare = 0.35;
const characterShare = 0.45;

/** Words of every other request. */
const usualWords: ReadonlySet<string> = new Set(
  (
    "a about an and any are as at be by can could did do does for from had has have how i if in into is it its just let " +
    "like me my need of on or our out please she he so some that the their them then there these they this those to " +
    "tool tools us use using want wants was we were what when which who why will with would you your"
  )
    .split(" ")
    .map(stemWord),
);
/** The same of Chinese; what is longer comes first. */
const usualPhrases =
  /什么时候|怎么样|有没有|什么|时候|多少|怎么|怎样|如何|哪里|哪些|哪个|大概|现在|可以|应该|一下|一个|这个|那个|我们|你们|他们|大家|帮我|给我|需要|能不能|是不是|[的了是在和与及或我你他她它们这那有也就都而吗呢吧啊把被对于从到关为给帮一个下要能会不没想用让去来些张条]/gu;
/** Of the Chinese words of the table of synonyms. */
const longestMeaning = 4;

/**
 * What a request for a tool asks for. Words that every request has are left out, unless there are no others; other words
 * for the same count less than the words themselves.
 */
export function readQuery(query: string): Wanted[] {
  const text = query.slice(0, longestQuery).toLowerCase();
  const dense = denseWords(text);
  const telling: Wanted[] = [];
  const usual: Wanted[] = [];
  const seen = new Set<string>();
  readTerms(text, (term, kind, { start, end }) => {
    if (seen.has(term)) return;
    seen.add(term);
    const own = new Map([[term, shareOf(kind, dense.isWithin(start))]]);
    const others = new Map<string, number>();
    if (kind === "word") addSynonyms(others, text.slice(start, end));
    else addMeanings(others, dense.meanings.get(start), kind);
    const isUsual = kind === "word" ? usualWords.has(term) : dense.isUsual(start, end);
    if (!isUsual) telling.push(new Map([...others, ...own]));
    // Such as `how much`: said in every other request, and still it means something.
    else if (kind !== "word" && others.size > 0) telling.push(others);
    else usual.push(own);
  });
  return (telling.length > 0 ? telling : usual).slice(0, mostWanted);
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

/** A word of the table begins here: whoever has another word for it gains as by this one. */
function addMeanings(ways: Map<string, number>, word: string | undefined, kind: TermKind): void {
  if (word === undefined || (kind === "character") !== (word.length === 1)) return;
  for (const other of synonyms().get(word) ?? []) addWord(ways, other);
}

/** A word of several pairs is found by each of them, and so by none of them as well as by all. */
function addWord(ways: Map<string, number>, word: string): void {
  const terms: string[] = [];
  readTerms(word, (term, kind) => {
    if (kind !== "character" || word.length === 1) terms.push(term);
  });
  for (const term of terms) ways.set(term, Math.max(ways.get(term) ?? 0, synonymShare / terms.length));
}

/** The words of what is written without spaces. */
interface DenseWords {
  /** Is the pair of characters at this place within one word? */
  isWithin(at: number): boolean;
  /** Is all of this said in every other request? */
  isUsual(start: number, end: number): boolean;
  /** Words of the table of synonyms, by where they begin. */
  readonly meanings: ReadonlyMap<number, string>;
}

const noDenseWords: DenseWords = { isWithin: () => true, isUsual: () => false, meanings: new Map() };

let segmenter: Intl.Segmenter | undefined;

/** Finds words as a dictionary knows them. */
function denseWords(text: string): DenseWords {
  if (!/[\u3400-\u9fff]/.test(text)) return noDenseWords;
  segmenter ??= new Intl.Segmenter("zh", { granularity: "word" });
  const lasts = new Set<number>();
  for (const { segment, index } of segmenter.segment(text)) lasts.add(index + segment.length - 1);
  const usual = new Set<number>();
  for (const { index, 0: found } of text.matchAll(usualPhrases)) {
    for (let at = index; at < index + found.length; at++) usual.add(at);
  }
  const meanings = meaningsIn(text);
  return {
    isWithin: (at) => !lasts.has(at) || (meanings.get(at)?.length ?? 0) > 1,
    isUsual: (start, end) => {
      for (let at = start; at < end; at++) if (!usual.has(at)) return false;
      return true;
    },
    meanings,
  };
}

/** The longest words of the table, none inside of another. */
function meaningsIn(text: string): Map<number, string> {
  const table = synonyms();
  const found = new Map<number, string>();
  for (let at = 0; at < text.length; at++) {
    for (let length = longestMeaning; length > 0; length--) {
      const word = text.slice(at, at + length);
      if (word.length < length || word.charCodeAt(0) < 0x3400 || !table.has(word)) continue;
      found.set(at, word);
      at += length - 1;
      break;
    }
  }
  return found;
}
