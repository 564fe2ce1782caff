import { suggest } from "../../../text/index.ts";
import { dense, saidMask } from "./said-mask.ts";
import { shownFrom } from "./shown-from.ts";

/** A command where it is used in a message, such as `@vault`. */
export interface CommandUse {
  /** As it is defined, in lower case. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** Its line begins with it, or with the same command, and is not shown by a line before: nobody only speaks of it there. */
  readonly begins: boolean;
}

/** The commands in a message. */
export interface FoundCommands {
  /** In their order. */
  readonly uses: readonly CommandUse[];
  /** Names that are none, each with the command that its writer may have meant. */
  readonly mistyped: readonly { readonly name: string; readonly near: string }[];
  /** Names of commands in what looks like a mail or a talk that was pasted: they are text. */
  readonly pasted: readonly string[];
}

/** A command with what is said to it. */
export interface ToldCommand {
  readonly name: string;
  /** What follows it, up to the next command. */
  readonly rest: string;
}

/** A message, read. */
export interface ReadMessage {
  /** One for each use, in their order. */
  readonly commands: readonly ToldCommand[];
  /** The message without the commands. */
  readonly text: string;
  /** What was said before the first command. */
  readonly before: string;
}

/** Of so many names that are none it is found out what was meant; nobody is told of more than a few. */
const mostLookedAt = 50;
const mostMistyped = 3;

/**
 * Finds the commands in a message. A name is one only where somebody means it: in what the writer of the message says
 * (see `saidMask`), and not in addresses (`a@vault.com`, `@vault/core`) nor behind a backslash.
 */
export function findCommands(message: string, names: readonly string[]): FoundCommands {
  const uses: CommandUse[] = [];
  const mistyped = new Map<string, string>();
  const pasted = new Set<string>();
  let others = 0;
  if (!/[@＠]/u.test(message)) return { uses, mistyped: [], pasted: [] };
  const longestFirst = names.toSorted((a, b) => b.length - a.length);
  const said = saidMask(message);
  const beginnings = new Beginnings(message);
  for (const { index: start } of message.matchAll(/[@＠]/gu)) {
    const isPasted = said.isPasted(start);
    if (!(isPasted || said.isSaid(start)) || !canBegin(message, start)) continue;
    const name = longestFirst.find((one) => isAt(message, start + 1, one));
    if (isPasted) pasted.add(name ?? "");
    else if (name !== undefined) uses.push(beginnings.add({ name, start, end: start + 1 + name.length }));
    else if (mistyped.size < mostMistyped && others++ < mostLookedAt)
      addMistyped(mistyped, nameAt(message, start + 1), names);
  }
  pasted.delete("");
  return { uses, mistyped: [...mistyped].map(([name, near]) => ({ name, near })), pasted: [...pasted] };
}

/** What is said to each of the commands, and what besides. */
export function readMessage(message: string, uses: readonly Pick<CommandUse, "name" | "start" | "end">[]): ReadMessage {
  const commands: ToldCommand[] = [];
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

/** Chinese has no blank before it; a letter of another script makes an address of it. */
function canBegin(message: string, at: number): boolean {
  const before = message[at - 1];
  return before === undefined || dense.test(before) || !/[\p{L}\p{N}._%+@＠/\\$=&?#~-]/u.test(before);
}

function isAt(message: string, at: number, name: string): boolean {
  if (message.slice(at, at + name.length).toLowerCase() !== name) return false;
  if (dense.test(name.at(-1) ?? "")) return true;
  const after = message[at + name.length];
  if (after === undefined || dense.test(after)) return true;
  return !/[\p{L}\p{N}_@＠\\-]/u.test(after) && !isAddress(message, at + name.length);
}

/** A name goes on behind these only where something follows: @vault.com, @vault/core. */
function isAddress(message: string, end: number): boolean {
  return /[./]/u.test(message[end] ?? "") && /[\p{L}\p{N}_*]/u.test(message[end + 1] ?? "");
}

/** Tells of one command after the other whether it begins its line: behind a mark of a list, and other commands. */
class Beginnings {
  readonly #message: string;
  /** Where the line ends; what is behind it is not looked at yet. */
  #lineEnd = -1;
  /** Where the commands at the beginning of the line end. */
  #headEnd = 0;
  #head = new Set<string>();
  /** Behind it stands what its writer shows. */
  readonly #shownFrom: number;

  constructor(message: string) {
    this.#message = message;
    this.#shownFrom = shownFrom(message);
  }

  add({ name, start, end }: Omit<CommandUse, "begins">): CommandUse {
    while (this.#lineEnd < start) this.#nextLine();
    const begins = start < this.#shownFrom && (this.#head.has(name) || this.#isAtHead(start));
    if (begins) {
      this.#head.add(name);
      this.#headEnd = end;
    }
    return { name, start, end, begins };
  }

  #nextLine(): void {
    this.#headEnd = this.#lineEnd + 1;
    this.#head = new Set();
    const next = this.#message.indexOf("\n", this.#headEnd);
    this.#lineEnd = next === -1 ? this.#message.length : next;
  }

  #isAtHead(start: number): boolean {
    if (start - this.#headEnd > longestGap) return false;
    return (this.#head.size === 0 ? listMark : gap).test(this.#message.slice(this.#headEnd, start));
  }
}

/** The mark of a list before the next command. */
const nextMark = /\n[^\S\n]*(?:[-*+•]|\d{1,3}[.)、])$/u;
const longestGap = 40;
const listMark = /^\s*(?:(?:[-*+•]|\d{1,3}[.)、])\s*)?$/u;
const gap = /^[\s,，、:：]*$/u;

function addMistyped(mistyped: Map<string, string>, name: string, names: readonly string[]): void {
  if (name === "" || mistyped.has(name)) return;
  // Where there are no blanks, any of the text may belong to the name.
  const near = dense.test(name)
    ? names.find((one) => dense.test(one) && suggest(name.slice(0, one.length), [one]) !== undefined)
    : suggest(name, names);
  if (near !== undefined) mistyped.set(dense.test(name) ? name.slice(0, near.length) : name, near);
}

const wordForm = /[\p{L}\p{N}_-]{1,42}/uy;

/** The word at a place, where it can be the name of a command; otherwise nothing. */
function nameAt(message: string, at: number): string {
  wordForm.lastIndex = at;
  const word = wordForm.exec(message)?.[0] ?? "";
  const end = word.search(dense);
  const name = end > 0 ? word.slice(0, end) : word;
  return name.length > 41 || /[@＠\\]/u.test(message[at + name.length] ?? "") || isAddress(message, at + name.length)
    ? ""
    : name;
}

/** Without the gaps that the commands left, whatever else is as it was. */
function tidy(text: string): string {
  const lines = text.split("\n").map((line) => line.trimEnd());
  return lines
    .join("\n")
    .replaceAll(/(?<=\S) {2,}(?=\S)/gu, " ")
    .trim();
}
