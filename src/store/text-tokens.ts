/**
 * Receives the searchable tokens of a text in reading order. `start` and `end` are UTF-16 offsets of the original text,
 * so that matches can be highlighted.
 */
export interface TokenSink {
  /** The next word, part of a word, or pair of characters. */
  term(term: string, start: number, end: number): void;
  /** A word of several parts, such as `maxRetries` or `utf-8`, joined to one term. It has no position in the order. */
  joined(term: string, start: number, end: number): void;
  /** The terms since the last call belong to one word, or to one run of a script without spaces. */
  wordEnd(kind: WordKind): void;
}

/** Kind of a piece of text. */
export type WordKind = "word" | "unspaced" | "symbol";

/**
 * Version of the token format. Changes whenever texts are split into other terms, or other data is stored about them;
 * texts indexed with another version are indexed again.
 */
export const tokenFormat = 2;

/** Longer words are compared only up to this length. */
const maxTermLength = 64;

const classes = { gap: 0, letter: 1, upper: 2, digit: 3, unspaced: 4, symbol: 5, connector: 6, mark: 7 } as const;

/** Scripts that are written without spaces between words, and their marks. */
const unspacedScript =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u3005-\u3007\u3099\u309a\u30fc\uff70\uff9e\uff9f]/u;
/** Belongs to the preceding character. */
const attached = /[\p{M}\u1160-\u11ff\uff9e\uff9f]/u;

let table: Uint8Array | undefined;

/** Returns the class of every character of the Basic Multilingual Plane; built on first use. */
function classTable(): Uint8Array {
  if (table !== undefined) return table;
  const made = new Uint8Array(0x10000);
  for (let code = 0; code < 0x10000; code++) made[code] = classOfCharacter(String.fromCharCode(code));
  return (table = made);
}

function classOfCharacter(character: string): number {
  if (character === "_" || character === "-" || character === "\u2010" || character === "\u2011") {
    return classes.connector;
  }
  if (/\p{L}|\p{N}|\p{M}/u.test(character)) {
    if (unspacedScript.test(character)) return classes.unspaced;
    if (/\p{M}/u.test(character)) return classes.mark;
    if (/\p{N}/u.test(character)) return classes.digit;
    return /\p{Lu}|\p{Lt}/u.test(character) ? classes.upper : classes.letter;
  }
  return /\p{Extended_Pictographic}/u.test(character) && !/[\u00a9\u00ae\u2122]/u.test(character)
    ? classes.symbol
    : classes.gap;
}

/**
 * Splits a text into searchable tokens: words folded (case, diacritics, width) and split like identifiers
 * (`maxRetries`, `max_retries`), numbers, and pairs of adjacent characters in scripts without spaces. Each run of such
 * a script ends with its last character alone, so that every single character is the prefix of some term.
 */
export function readTokens(text: string, sink: TokenSink): void {
  const scan = new Scan(text, sink);
  for (let at = 0; at < text.length;) at = scan.next(at);
}

class Scan {
  readonly #text: string;
  readonly #sink: TokenSink;
  readonly #table = classTable();

  constructor(text: string, sink: TokenSink) {
    this.#text = text;
    this.#sink = sink;
  }

  /** Reads the token that begins here and returns its end. */
  next(at: number): number {
    switch (this.#class(at)) {
      case classes.letter:
      case classes.upper:
      case classes.digit:
        return this.#word(at);
      case classes.unspaced:
        return this.#unspaced(at);
      case classes.symbol:
        return this.#symbol(at);
      default:
        return at + this.#width(at);
    }
  }

  #class(at: number): number {
    const code = this.#text.charCodeAt(at);
    if (code < 0xd800 || code > 0xdfff) return this.#table[code] ?? classes.gap;
    return classOfCharacter(String.fromCodePoint(this.#text.codePointAt(at) ?? 0));
  }

  #width(at: number): number {
    const code = this.#text.codePointAt(at) ?? 0;
    return code > 0xffff ? 2 : 1;
  }

  /** Reads a word, which may have parts: `maxRetries`, `HTTPServer`, `max_retries`, `utf-8`. */
  #word(from: number): number {
    const text = this.#text;
    let end = from;
    let start = from;
    let parts = 0;
    let before: number = classes.gap;
    while (end < text.length) {
      const here = this.#class(end);
      if (here === classes.connector) {
        const after = end + 1 < text.length ? this.#class(end + 1) : classes.gap;
        if (!isWord(after)) break;
        this.#part(start, end);
        parts++;
        start = end + 1;
      } else if (here === classes.mark) {
        end += this.#width(end);
        continue;
      } else if (!isWord(here)) {
        break;
      } else if (end > start && this.#turns(before, here, end)) {
        this.#part(start, end);
        parts++;
        start = end;
      }
      before = here;
      end += this.#width(end);
    }
    this.#part(start, end);
    if (parts > 0 && end - from <= maxTermLength) {
      this.#sink.joined(foldWord(text.slice(from, end).replaceAll(/[_\-\u2010\u2011]/g, "")), from, end);
    }
    this.#sink.wordEnd("word");
    return end;
  }

  /** True if a new part of an identifier begins here. */
  #turns(before: number, here: number, at: number): boolean {
    if (here !== classes.upper) return false;
    if (before === classes.letter || before === classes.digit) return true;
    const after = at + 1 < this.#text.length ? this.#class(at + 1) : classes.gap;
    return before === classes.upper && after === classes.letter;
  }

  #part(start: number, end: number): void {
    // A term is compared by its prefix: one that folding makes longer is truncated the same way everywhere.
    const term = foldWord(this.#text.slice(start, Math.min(end, start + maxTermLength)));
    if (term !== "") this.#sink.term(term, start, end);
  }

  #unspaced(from: number): number {
    const text = this.#text;
    let end = from;
    let last: { readonly text: string; readonly start: number; readonly end: number } | undefined;
    while (end < text.length && this.#class(end) === classes.unspaced) {
      const start = end;
      end += this.#width(end);
      while (end < text.length && this.#class(end) === classes.unspaced && attached.test(text[end] ?? "")) end++;
      const folded = foldCharacter(text.slice(start, end));
      for (const character of folded) {
        if (last !== undefined) this.#sink.term(last.text + character, last.start, end);
        last = { text: character, start, end };
      }
    }
    if (last !== undefined) this.#sink.term(last.text, last.start, last.end);
    this.#sink.wordEnd("unspaced");
    return end;
  }

  #symbol(at: number): number {
    const end = at + this.#width(at);
    this.#sink.term(this.#text.slice(at, end), at, end);
    this.#sink.wordEnd("symbol");
    return end;
  }
}

function isWord(kind: number): boolean {
  return kind === classes.letter || kind === classes.upper || kind === classes.digit;
}

// oxlint-disable-next-line no-control-regex
const ascii = /^[\0-\x7f]*$/;
/** Letters without a Unicode decomposition, which people type without their stroke or as two letters. */
const letters: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ı: "i",
  ς: "σ",
};

/** Folds a word for comparison: lower case, no diacritics, no differences of width. */
function foldWord(word: string): string {
  if (ascii.test(word)) return word.toLowerCase();
  return word
    .normalize("NFKD")
    .replaceAll(/[\u0300-\u036f]/g, "")
    .toLowerCase()
    .replaceAll(/[ßæœøłđðþıς]/g, (letter) => letters[letter] ?? letter)
    .normalize("NFC")
    .replaceAll(punctuation, "");
}

/** Some letters decompose into several characters, including marks and spaces, which terms do not contain. */
// oxlint-disable-next-line no-control-regex
const punctuation = /[\0-/:-@[-`{-\x7f]/g;

function foldCharacter(character: string): string {
  const code = character.charCodeAt(0);
  if (character.length === 1 && code >= 0x3041 && code < 0xac00 && !(code >= 0x3130 && code < 0x3400)) return character;
  return character.normalize("NFKC").toLowerCase().replaceAll(punctuation, "");
}
