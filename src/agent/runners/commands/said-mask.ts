import { proseMask } from "../notes/prose-mask.ts";
import { pastedFrom } from "./pasted-from.ts";

/** What of a message its writer says, and what is from elsewhere or only spoken of. */
export interface SaidMask {
  /** Does the writer say what is at this place? */
  isSaid(at: number): boolean;
  /** Is it in what looks like a mail or a talk that was pasted? */
  isPasted(at: number): boolean;
}

/**
 * Finds what a message only shows: code and quoted lines, what is in quotation marks, links, comments of HTML, and
 * everything from the beginning of a pasted mail or talk on. The time is linear in the length of the message.
 */
export function saidMask(message: string): SaidMask {
  const prose = proseMask(message);
  const shown = new Uint8Array(message.length);
  for (const [start, end] of shownIn(message)) shown.fill(1, start, end);
  const pasted = pastedFrom(message, prose);
  return { isSaid: (at) => at < pasted && shown[at] !== 1 && !prose.isShown(at), isPasted: (at) => at >= pasted };
}

type Range = readonly [start: number, end: number];

function* shownIn(message: string): Iterable<Range> {
  for (const kind of quotations) yield* quotedIn(message, kind);
  yield* commentsIn(message);
  for (const { 0: text, index } of message.matchAll(link)) yield [index, index + text.length];
}

/** `[text](target)` and `[text][name]`. */
const link = /\[[^[\]\n]{1,1000}\](?:\([^()\n]{0,2000}\)|\[[^[\]\n]{0,200}\])/gu;

function* commentsIn(message: string): Iterable<Range> {
  let from = 0;
  while ((from = message.indexOf("<!--", from)) !== -1) {
    const close = message.indexOf("-->", from);
    // One that is not closed goes on to the end, as it does in HTML.
    const end = close === -1 ? message.length : close + 3;
    yield [from, end];
    from = end;
  }
}

/** A kind of quotation marks. */
interface Quotation {
  readonly open: string;
  readonly close: string;
  /** Finds its marks, and what a quotation does not go beyond. */
  readonly marks: RegExp;
}

const quotations: readonly Quotation[] = [
  { open: '"', close: '"', marks: /"|\n[^\S\n]*\n/gu },
  { open: "“„", close: "”“", marks: /[“”„]|\n[^\S\n]*\n/gu },
  { open: "«", close: "»", marks: /[«»]|\n[^\S\n]*\n/gu },
  { open: "「『", close: "」』", marks: /[「」『』]|\n[^\S\n]*\n/gu },
  // Apostrophes look like these, so they reach no farther than their line.
  { open: "'‘", close: "'’", marks: /['‘’\n]/gu },
];

/** From each opening mark to the next closing one. */
function* quotedIn(message: string, { open, close, marks }: Quotation): Iterable<Range> {
  let start: number | undefined;
  for (const { 0: mark, index } of message.matchAll(marks)) {
    if (mark.startsWith("\n")) start = undefined;
    else if (start === undefined) start = open.includes(mark) && canOpen(message, index) ? index : undefined;
    else if (close.includes(mark) && canClose(message, index)) {
      yield [start, index + 1];
      start = undefined;
    }
  }
}

const letter = /[\p{L}\p{N}]/u;
/** Scripts without blanks between words. */
export const dense: RegExp = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** Not behind a word, as in `5" pipe`, nor before a blank. */
function canOpen(message: string, at: number): boolean {
  return !isInWord(message[at - 1]) && /\S/u.test(message[at + 1] ?? " ");
}

/** Not before a word, as in `don't`, nor behind a blank. */
function canClose(message: string, at: number): boolean {
  return !isInWord(message[at + 1]) && /\S/u.test(message[at - 1] ?? " ");
}

function isInWord(character: string | undefined): boolean {
  return character !== undefined && letter.test(character) && !dense.test(character);
}
