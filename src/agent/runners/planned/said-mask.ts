import { proseMask } from "../notes/prose-mask.ts";

/** What of a message its writer says, and what is from elsewhere or only spoken of. */
export interface SaidMask {
  /** Does the writer say what is at this place? */
  isSaid(at: number): boolean;
}

/**
 * Finds what a message only shows: code and quoted lines, what is in quotation marks, links, comments of HTML, and
 * everything from the head of a forwarded mail on. The time is linear in the length of the message.
 */
export function saidMask(message: string): SaidMask {
  const prose = proseMask(message);
  const shown = new Uint8Array(message.length);
  for (const [start, end] of shownIn(message)) shown.fill(1, start, end);
  return { isSaid: (at) => shown[at] !== 1 && !prose.isShown(at) };
}

type Range = readonly [start: number, end: number];

function* shownIn(message: string): Iterable<Range> {
  for (const kind of quotations) yield* quotedIn(message, kind);
  yield* commentsIn(message);
  for (const { 0: text, index } of message.matchAll(link)) yield [index, index + text.length];
  const mail = mailHead.exec(message);
  if (mail !== null) yield [mail.index, message.length];
}

/** `[text](target)` and `[text][name]`. */
const link = /\[[^[\]\n]{1,1000}\](?:\([^()\n]{0,2000}\)|\[[^[\]\n]{0,200}\])/gu;

/** The line that mail programs put before a mail, or its first two fields. */
const mailHead =
  /^[^\S\n]{0,8}(?:-{2,}[^\S\n]*(?:(?:forwarded|original) message|forwarded by|转发(?:的)?邮件|原始邮件)|begin forwarded message:|(?:from|发件人)[:：][^\n]+\n[^\S\n]{0,8}(?:sent|date|to|发送时间|日期|时间|收件人)[:：])/imu;

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
