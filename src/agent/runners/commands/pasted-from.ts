import type { ProseMask } from "../notes/prose-mask.ts";

/** The line that mail programs put before a mail. */
const announced =
  /^(?:-{2,}[^\S\n]*(?:(?:forwarded|original) message|forwarded by|转发(?:的)?邮件|原始邮件)|begin forwarded message:)/iu;
/** "On Monday Bob wrote:", 某人于…写道： */
const attributed = /(?:\b(?:wrote|writes|schrieb|escribió)|\ba écrit|写道|来信|寫道)[^\S\n]{0,4}[:：]$/iu;
/** A field of the head of a mail. */
const field =
  /^\*{0,2}(?:from|sent|date|to|cc|bcc|subject|reply-to|message-id|return-path|received|发件人|发送时间|日期|时间|收件人|抄送|主题)\*{0,2}[:：]/iu;
const sender = /^\*{0,2}(?:from|发件人)\*{0,2}[:：].*[^\s@]@[^\s@]/iu;
/** A line of a talk: `Bob: hello`, `[10:02] Bob: hello`, `小王 10:02：好`. */
const spoken =
  /^(?:\[[\d\s:./,apmAPM-]{4,30}\]|\(?\d{1,2}:\d{2}(?::\d{2})?\)?)?[^\S\n]{0,4}(?:<[^<>\n]{1,40}>|(?:\p{Lu}[\p{L}\p{N}._'’-]{0,30}(?: \p{Lu}[\p{L}._'’-]{0,30}){0,2}|\p{Script=Han}{1,6}|@[\p{L}\p{N}_]{1,30})[^\S\n]{0,2}(?:[[(（]?[\d:\s/-]{4,20}[\])）]?)?[:：])[^\S\n]{0,4}\S/u;
/** Longer lines are no heads. */
const longestHead = 400;

/**
 * Where a message goes on with what somebody else wrote: from the head of a mail, from a line such as "Bob wrote:", or from
 * the first of two lines of a talk on; its length where it does not. Whoever pastes a text seldom says where it ends, so
 * all that follows counts as pasted. What is code or quoted ends by itself.
 */
export function pastedFrom(message: string, prose: ProseMask): number {
  let at = 0;
  let before: Seen = { kind: "other", at };
  for (const line of message.split("\n")) {
    const kind = line.length > longestHead || prose.isShown(at) ? "other" : kindOf(line.trim());
    const isSecond = (kind === "field" || kind === "spoken") && before.kind === kind;
    if (isSecond || (kind === "head" && before.kind === "field")) return before.at;
    if (kind === "head") return at;
    // Empty lines may stand between those of a talk.
    if (!(kind === "empty" && before.kind === "spoken")) before = { kind, at };
    at += line.length + 1;
  }
  return message.length;
}

type Kind = "head" | "field" | "spoken" | "empty" | "other";

/** What stands before a line. */
interface Seen {
  readonly kind: Kind;
  readonly at: number;
}

function kindOf(line: string): Kind {
  if (line === "") return "empty";
  if (announced.test(line) || attributed.test(line) || sender.test(line)) return "head";
  if (field.test(line)) return "field";
  return spoken.test(line) ? "spoken" : "other";
}
