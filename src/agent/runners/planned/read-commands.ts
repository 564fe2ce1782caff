import { proseMask } from "../notes/prose-mask.ts";

/** A command in a message, such as `@vault`. */
export interface FoundCommand {
  /** As it is defined, in lower case. */
  readonly name: string;
  /** What follows it, up to the next command. */
  readonly rest: string;
}

/** A message, read. */
export interface ReadMessage {
  /** Each once, in their order. */
  readonly commands: readonly FoundCommand[];
  /** The message without the commands. */
  readonly text: string;
  /** What was said before the first command. */
  readonly before: string;
}

interface Place {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** More of them are text. */
const mostCommands = 20;

/**
 * Finds the commands in a message. A name is one only where somebody means it: not in code, quotes and addresses
 * (`a@vault.com`, `@vault/core`), nor behind a backslash, nor where it is only spoken of, as in `"@vault"`.
 */
export function readCommands(message: string, names: readonly string[]): ReadMessage {
  const places = placesIn(message, names);
  const commands = new Map<string, FoundCommand>();
  let text = "";
  let from = 0;
  for (const [index, { name, start, end }] of places.entries()) {
    text += message.slice(from, start);
    from = end;
    const rest = message
      .slice(end, places[index + 1]?.start)
      .replace(/^[\s:：,，]+/u, "")
      .trimEnd();
    const known = commands.get(name);
    if (known === undefined || known.rest === "") commands.set(name, { name, rest });
  }
  text += message.slice(from);
  const before = message.slice(0, places[0]?.start ?? message.length).trim();
  return { commands: [...commands.values()], text: tidy(text), before };
}

function placesIn(message: string, names: readonly string[]): Place[] {
  if (!/[@＠]/u.test(message)) return [];
  const longestFirst = names.toSorted((a, b) => b.length - a.length);
  const mask = proseMask(message);
  const places: Place[] = [];
  for (const { index: start } of message.matchAll(/[@＠]/gu)) {
    if (mask.isShown(start) || !canBegin(message, start)) continue;
    const name = longestFirst.find((one) => isAt(message, start + 1, one));
    if (name === undefined) continue;
    const end = start + 1 + name.length;
    if (isSpokenOf(message[start - 1], message[end])) continue;
    places.push({ name, start, end });
    if (places.length === mostCommands) break;
  }
  return places;
}

const dense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

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
  if (/[\p{L}\p{N}_@＠\\-]/u.test(after)) return false;
  // A name goes on behind these only where something follows: @vault.com, @vault/core.
  return !(/[./]/u.test(after) && /[\p{L}\p{N}_*]/u.test(message[at + name.length + 1] ?? ""));
}

const openers = `"'“‘「『`;
const closers = `"'”’」』`;

function isSpokenOf(before: string | undefined, after: string | undefined): boolean {
  const at = before === undefined ? -1 : openers.indexOf(before);
  return at !== -1 && after === closers[at];
}

/** Without the gaps that the commands left, whatever else is as it was. */
function tidy(text: string): string {
  const lines = text.split("\n").map((line) => line.trimEnd());
  return lines
    .join("\n")
    .replaceAll(/(?<=\S) {2,}(?=\S)/gu, " ")
    .trim();
}
