import { suggest } from "../../../text/index.ts";
import { unspacedScripts, authoredMask } from "./authored-mask.ts";

/** A use of a command in a message, such as `@vault`. */
export interface CommandUse {
  /** As it is defined, in lower case. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /**
   * The command, or the same command before it, begins its line, and no line before introduces it as an example: it is
   * an instruction, not a mention.
   */
  readonly isLeading: boolean;
}

/** The commands in a message. */
export interface CommandMatches {
  /** In their order. */
  readonly uses: readonly CommandUse[];
  /** Unknown names, each with the command that the writer may have intended. */
  readonly mistyped: readonly { readonly name: string; readonly near: string }[];
  /** Names of commands in what looks like a pasted mail or chat: they are text. */
  readonly pasted: readonly string[];
}

/** A command with its text. */
export interface CommandWithText {
  readonly name: string;
  /** The text after it, up to the next command. */
  readonly rest: string;
}

/** A parsed message. */
export interface ParsedMessage {
  /** One for each use, in their order. */
  readonly commands: readonly CommandWithText[];
  /** The message without the commands. */
  readonly text: string;
  /** The text before the first command. */
  readonly before: string;
}

/** Maximum number of unknown names to compare with commands; only a few of them are reported. */
const maxExamined = 50;
const maxMistyped = 3;

/**
 * Finds the commands in a message. A name counts only in text that the writer of the message composed (see
 * `authoredMask`), and not in addresses (`a@vault.com`, `@vault/core`) or after a backslash.
 */
export function findCommands(message: string, names: readonly string[]): CommandMatches {
  const uses: CommandUse[] = [];
  const mistyped = new Map<string, string>();
  const pasted = new Set<string>();
  let others = 0;
  if (!/[@＠]/u.test(message)) return { uses, mistyped: [], pasted: [] };
  const longestFirst = names.toSorted((a, b) => b.length - a.length);
  const mask = authoredMask(message);
  const beginnings = new Beginnings(message);
  for (const { index: start } of message.matchAll(/[@＠]/gu)) {
    const isPasted = mask.isPasted(start);
    if (!(isPasted || mask.isAuthored(start)) || !canBegin(message, start)) continue;
    const name = longestFirst.find((one) => isAt(message, start + 1, one));
    if (isPasted) pasted.add(name ?? "");
    else if (name !== undefined) uses.push(beginnings.add({ name, start, end: start + 1 + name.length }));
    else if (mistyped.size < maxMistyped && others++ < maxExamined)
      addMistyped(mistyped, nameAt(message, start + 1), names);
  }
  pasted.delete("");
  return { uses, mistyped: [...mistyped].map(([name, near]) => ({ name, near })), pasted: [...pasted] };
}

/** Splits a message into the text of each command and the remaining text. */
export function parseMessage(
  message: string,
  uses: readonly Pick<CommandUse, "name" | "start" | "end">[],
): ParsedMessage {
  const commands: CommandWithText[] = [];
  const texts: string[] = [];
  let from = 0;
  for (const [index, { name, start, end }] of uses.entries()) {
    texts.push(message.slice(from, start));
    from = end;
    const rest = message
      .slice(end, uses[index + 1]?.start)
      .replace(/^[\s:：,，]+/u, "")
      .trimEnd()
      .replace(nextMark, "");
    commands.push({ name, rest });
  }
  texts.push(message.slice(from));
  const before = message.slice(0, uses[0]?.start ?? message.length).trim();
  return { commands, text: tidy(texts.join("")), before };
}

/** Chinese has no space before a command; after a letter of another script it is an address. */
function canBegin(message: string, at: number): boolean {
  const before = message[at - 1];
  return before === undefined || unspacedScripts.test(before) || !/[\p{L}\p{N}._%+@＠/\\$=&?#~-]/u.test(before);
}

function isAt(message: string, at: number, name: string): boolean {
  if (message.slice(at, at + name.length).toLowerCase() !== name) return false;
  if (unspacedScripts.test(name.at(-1) ?? "")) return true;
  const after = message[at + name.length];
  if (after === undefined || unspacedScripts.test(after)) return true;
  return !/[\p{L}\p{N}_@＠\\-]/u.test(after) && !isAddress(message, at + name.length);
}

/** A name continues after these characters only if something follows: @vault.com, @vault/core. */
function isAddress(message: string, end: number): boolean {
  return /[./]/u.test(message[end] ?? "") && /[\p{L}\p{N}_*]/u.test(message[end + 1] ?? "");
}

/**
 * Determines for one command after the other whether it begins its line: after a list marker, and after other commands.
 */
class Beginnings {
  readonly #message: string;
  /** End of the current line; text after it is not processed yet. */
  #lineEnd = -1;
  /** End of the commands at the beginning of the line. */
  #headEnd = 0;
  #head = new Set<string>();
  /** Offset from which the message only shows text. */
  readonly #shownFrom: number;

  constructor(message: string) {
    this.#message = message;
    this.#shownFrom = findQuotedTextStart(message);
  }

  add({ name, start, end }: Omit<CommandUse, "isLeading">): CommandUse {
    while (this.#lineEnd < start) this.#nextLine();
    const begins = start < this.#shownFrom && (this.#head.has(name) || this.#isAtHead(start));
    if (begins) {
      this.#head.add(name);
      this.#headEnd = end;
    }
    return { name, start, end, isLeading: begins };
  }

  #nextLine(): void {
    this.#headEnd = this.#lineEnd + 1;
    this.#head = new Set();
    const next = this.#message.indexOf("\n", this.#headEnd);
    this.#lineEnd = next === -1 ? this.#message.length : next;
  }

  #isAtHead(start: number): boolean {
    if (start - this.#headEnd > maxGapLength) return false;
    return (this.#head.size === 0 ? listMark : gap).test(this.#message.slice(this.#headEnd, start));
  }
}

/** The list marker before the next command. */
const nextMark = /\n[^\S\n]*(?:[-*+•]|\d{1,3}[.)、])$/u;
const maxGapLength = 40;
const listMark = /^\s*(?:(?:[-*+•]|\d{1,3}[.)、])\s*)?$/u;
const gap = /^[\s,，、:：]*$/u;

function addMistyped(mistyped: Map<string, string>, name: string, names: readonly string[]): void {
  if (name === "" || mistyped.has(name)) return;
  // In scripts without spaces, any following text may belong to the name.
  const near = unspacedScripts.test(name)
    ? names.find((one) => unspacedScripts.test(one) && suggest(name.slice(0, one.length), [one]) !== undefined)
    : suggest(name, names);
  if (near !== undefined) mistyped.set(unspacedScripts.test(name) ? name.slice(0, near.length) : name, near);
}

const wordForm = /[\p{L}\p{N}_-]{1,42}/uy;

/** The word at an offset if it can be the name of a command; otherwise an empty string. */
function nameAt(message: string, at: number): string {
  wordForm.lastIndex = at;
  const word = wordForm.exec(message)?.[0] ?? "";
  const end = word.search(unspacedScripts);
  const name = end > 0 ? word.slice(0, end) : word;
  return name.length > 41 || /[@＠\\]/u.test(message[at + name.length] ?? "") || isAddress(message, at + name.length)
    ? ""
    : name;
}

/** Removes the gaps that the commands left; the rest stays unchanged. */
function tidy(text: string): string {
  const lines = text.split("\n").map((line) => line.trimEnd());
  return lines
    .join("\n")
    .replaceAll(/(?<=\S) {2,}(?=\S)/gu, " ")
    .trim();
}

/** A line that begins with a command belongs to its writer, regardless of its text: "@memory to buy:". */
const command = /^[^\S\n]*(?:(?:[-*+•]|\d{1,3}[.)、])[^\S\n]*)?[@＠]/u;
/** A list of commands. */
const listed = /^[^\S\n]*(?:[-*+•]|\d{1,3}[.)、])[^\S\n]*[@＠]/u;

/** Verbs for processing a text that the user provides. */
const worked =
  /\b(?:translat|summari[sz]|rewrit|rephras|paraphras|proofread|shorten)(?:e|es|ed|ing|ion|y)?\b|\b(?:summary|tl;?dr)\b|翻译|翻譯|总结|總結|概括|改写|改寫|润色|潤色|校对|校對|缩写|摘要|归纳/iu;
/** The same, for verbs that could mean something else too. */
const looked =
  /\b(?:explain|correct|improve|edit|review|analy[sz]e|classify|read|check|convert|extract|reply|respond|answer|mean|means|say|says|think|look)\b|解释|解釋|修改|分析|回复|回覆|回答|看看|阅读|意思|什么/iu;
/** Words that refer to a following text. */
const pointed = /\b(?:this|these|that|it|here)\b|这|這|此/iu;
const followed =
  /\b(?:following|below)\b|\b(?:this|these|that) (?:text|e-?mail|mail|message|letter|note|article|page|passage|paragraph|post|document|comment|chat|conversation|thread|log|transcript|line)s?\b|\bhere(?:['’]s| is| are)\b|以下|下面|下列|如下|下文|原文|(?:这|這)(?:段|篇|封|条|條|份|则|則)/iu;

/** Only the end of a longer line is checked. */
const maxLength = 400;

/**
 * Offset at which a message begins to show a text: after a line such as "Summarize:" or "Please translate the
 * following.". All following text is shown, except for a list of commands directly below such a line. The length of the
 * message if it shows none.
 */
function findQuotedTextStart(message: string): number {
  const lines = message.split("\n");
  let at = 0;
  for (const [index, line] of lines.entries()) {
    at += line.length + 1;
    const next = lines[index + 1];
    if (next === undefined) break;
    if (announces(line, next)) return at;
  }
  return message.length;
}

/** True if a line announces a text. */
function announces(line: string, next: string): boolean {
  const end = line.slice(-maxLength).trimEnd();
  const isApart = next.trim() === "";
  if (/[:：]$/u.test(end)) return isApart || !(command.test(line) || listed.test(next));
  if (end === "" || command.test(line) || listed.test(next)) return false;
  if (followed.test(end)) return true;
  return isApart ? worked.test(end) || (looked.test(end) && pointed.test(end)) : worked.test(end) && pointed.test(end);
}
