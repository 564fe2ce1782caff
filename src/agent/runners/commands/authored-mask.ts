import { proseMask, type ProseMask } from "../notes/prose-mask.ts";

/** Distinguishes text that the writer of a message composed from pasted or quoted text. */
export interface AuthoredMask {
  /** True if the writer composed the text at this offset. */
  isAuthored(at: number): boolean;
  /** True if the offset is inside what looks like a pasted mail or chat. */
  isPasted(at: number): boolean;
}

/**
 * Finds text that a message only shows: code and quoted lines, text in quotation marks, links, HTML comments, and
 * everything from the beginning of a pasted mail or chat on. The time is linear in the length of the message.
 */
export function authoredMask(message: string): AuthoredMask {
  const prose = proseMask(message);
  const shown = new Uint8Array(message.length);
  for (const [start, end] of quotedRanges(message)) shown.fill(1, start, end);
  const pasted = findPastedTextStart(message, prose);
  return { isAuthored: (at) => at < pasted && shown[at] !== 1 && !prose.isQuoted(at), isPasted: (at) => at >= pasted };
}

type Range = readonly [start: number, end: number];

function* quotedRanges(message: string): Iterable<Range> {
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
    // An unclosed comment extends to the end, as in HTML.
    const end = close === -1 ? message.length : close + 3;
    yield [from, end];
    from = end;
  }
}

/** A kind of quotation marks. */
interface Quotation {
  readonly open: string;
  readonly close: string;
  /** Matches its marks, and the limits of a quotation. */
  readonly marks: RegExp;
}

const quotations: readonly Quotation[] = [
  { open: '"', close: '"', marks: /"|\n[^\S\n]*\n/gu },
  { open: "“„", close: "”“", marks: /[“”„]|\n[^\S\n]*\n/gu },
  { open: "«", close: "»", marks: /[«»]|\n[^\S\n]*\n/gu },
  { open: "「『", close: "」』", marks: /[「」『』]|\n[^\S\n]*\n/gu },
  // Apostrophes look the same, so these quotations end with their line.
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
/** Scripts without spaces between words. */
export const unspacedScripts: RegExp = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** Not after a word, as in `5" pipe`, nor before a blank. */
function canOpen(message: string, at: number): boolean {
  return !isInWord(message[at - 1]) && /\S/u.test(message[at + 1] ?? " ");
}

/** Not before a word, as in `don't`, nor after a blank. */
function canClose(message: string, at: number): boolean {
  return !isInWord(message[at + 1]) && /\S/u.test(message[at - 1] ?? " ");
}

function isInWord(character: string | undefined): boolean {
  return character !== undefined && letter.test(character) && !unspacedScripts.test(character);
}

/** The line that mail programs insert before a forwarded mail. */
const announced =
  /^(?:-{2,}[^\S\n]*(?:(?:forwarded|original) message|forwarded by|转发(?:的)?邮件|原始邮件)|begin forwarded message:)/iu;
/** "On Monday Bob wrote:", 某人于…写道： */
const attributed = /(?:\b(?:wrote|writes|schrieb|escribió)|\ba écrit|写道|来信|寫道)[^\S\n]{0,4}[:：]$/iu;
/** A field of a mail header. */
const field =
  /^\*{0,2}(?:from|sent|date|to|cc|bcc|subject|reply-to|message-id|return-path|received|发件人|发送时间|日期|时间|收件人|抄送|主题)\*{0,2}[:：]/iu;
const sender = /^\*{0,2}(?:from|发件人)\*{0,2}[:：].*[^\s@]@[^\s@]/iu;
/** A chat line: `Bob: hello`, `[10:02] Bob: hello`, `小王 10:02：好`. */
const chatLine =
  /^(?:\[[\d\s:./,apmAPM-]{4,30}\]|\(?\d{1,2}:\d{2}(?::\d{2})?\)?)?[^\S\n]{0,4}(?:<[^<>\n]{1,40}>|(?:\p{Lu}[\p{L}\p{N}._'’-]{0,30}(?: \p{Lu}[\p{L}._'’-]{0,30}){0,2}|\p{Script=Han}{1,6}|@[\p{L}\p{N}_]{1,30})[^\S\n]{0,2}(?:[[(（]?[\d:\s/-]{4,20}[\])）]?)?[:：])[^\S\n]{0,4}\S/u;
/** Longer lines are not headers. */
const maxHeadLength = 400;

/**
 * Offset at which a message continues with pasted text: at a mail header, at a line such as "Bob wrote:", or at the
 * first of two chat lines; the length of the message if there is none. Users seldom mark the end of pasted text, so all
 * following text counts as pasted. Code and quotes end by themselves.
 */
function findPastedTextStart(message: string, prose: ProseMask): number {
  let at = 0;
  let before: { readonly kind: Kind; readonly at: number } = { kind: "other", at };
  for (const line of message.split("\n")) {
    const kind = line.length > maxHeadLength || prose.isQuoted(at) ? "other" : kindOf(line.trim());
    const isSecond = (kind === "field" || kind === "chat") && before.kind === kind;
    if (isSecond || (kind === "head" && before.kind === "field")) return before.at;
    if (kind === "head") return at;
    // Chat lines may be separated by empty lines.
    if (!(kind === "empty" && before.kind === "chat")) before = { kind, at };
    at += line.length + 1;
  }
  return message.length;
}

type Kind = "head" | "field" | "chat" | "empty" | "other";

function kindOf(line: string): Kind {
  if (line === "") return "empty";
  if (announced.test(line) || attributed.test(line) || sender.test(line)) return "head";
  if (field.test(line)) return "field";
  return chatLine.test(line) ? "chat" : "other";
}
