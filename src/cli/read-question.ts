import { isUtf8 } from "node:buffer";
import { type Stats, fstatSync } from "node:fs";
import type { Invocation } from "./invocation.ts";
import { notText } from "./not-text.ts";
import { readStdin } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";
import { UsageError } from "./usage-error.ts";

/** What is asked. */
export interface AskedText {
  readonly text: string;
  /** How much of it came on stdin: somebody else may have written that. */
  readonly piped: "nothing" | "part" | "all";
}

/** Whoever waits for longer is told for what; and what programs leave open to those they start gives nothing by then. */
const patienceMs = 1000;

/** More is no question. */
const mostBytes = 2 * 1024 * 1024;

/**
 * The words of the command line, and below them what comes on stdin, where that is a file or a pipe; a word `-` waits for
 * it, whatever it is. What comes there is from outside, also where it is the whole question: it may be a mail.
 */
export async function readQuestion({ words, terminal }: Pick<Invocation, "words" | "terminal">): Promise<AskedText> {
  const waits = words.includes("-");
  const asked = words
    .filter((word) => word !== "-")
    .join(" ")
    .trim();
  const given = waits || asked !== "" ? await fromStdin(waits, terminal) : nothing;
  const material = textOf(given).trim();
  if (asked === "" && material === "")
    throw new UsageError("there is no question", 'ask it in quotes: windlass ask "…"');
  if (material === "") return { text: asked, piped: "nothing" };
  // At a terminal it is typed.
  if (asked === "") return { text: material, piped: process.stdin.isTTY ? "nothing" : "all" };
  return { text: `${asked}\n\n${fenced(material)}`, piped: "part" };
}

/** Throws for what is too much, and for what is no text. */
function textOf(given: Buffer): string {
  if (given.length > mostBytes) {
    throw new UsageError(
      "there is more than 2 MiB on stdin",
      "name the file in the question, or ask about a part of it",
    );
  }
  if (isUtf8(given) && !given.includes(0)) return given.toString("utf8");
  throw notText();
}

const nothing: Buffer = Buffer.alloc(0);

/** Between lines that do not occur in it, so that it is seen where the words of whoever asks end. */
function fenced(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}stdin\n${text}\n${fence}`;
}

/** What comes on stdin; empty where nobody gives anything there. */
async function fromStdin(waits: boolean, terminal: Terminal): Promise<Buffer> {
  const kind = waits ? undefined : statOfStdin();
  if (waits || kind?.isFile() === true || kind?.isFIFO() === true) return toItsEnd(terminal);
  // A terminal is for approvals, and a device such as /dev/null gives nothing.
  if (kind?.isSocket() !== true) return nothing;
  // No shell makes such a pipe. Node does, and a login from afar: nobody may ever write to it, or close it.
  if (await beginsInTime()) return toItsEnd(terminal);
  tellNote(terminal, "nothing came on stdin; a word - waits for it");
  return nothing;
}

/** What others make slowly is waited for: without it the question would be another one. */
async function toItsEnd(terminal: Terminal): Promise<Buffer> {
  const hint = process.stdin.isTTY ? "Ctrl-D ends it" : "< /dev/null gives none";
  const timer = setTimeout(() => tellNote(terminal, `waiting for the end of stdin; ${hint}`), patienceMs);
  try {
    return await readStdin();
  } finally {
    clearTimeout(timer);
  }
}

function tellNote(terminal: Terminal, text: string): void {
  terminal.tell(`${terminal.tint("yellow", "note:")} ${text}`);
}

/** Undefined where there is no stdin at all. */
function statOfStdin(): Stats | undefined {
  try {
    return fstatSync(0);
  } catch {
    return undefined;
  }
}

/** Waits until there is something to read, or nothing more will come. What has come is still there. */
function beginsInTime(): Promise<boolean> {
  const { stdin } = process;
  return new Promise((resolve) => {
    const end = (began: boolean): void => {
      clearTimeout(timer);
      stdin.off("readable", begin).off("end", begin).off("error", begin);
      // Nobody waits for what may come later.
      if (!began) stdin.destroy();
      resolve(began);
    };
    const begin = (): void => end(true);
    const timer = setTimeout(end, patienceMs, false);
    stdin.on("readable", begin).on("end", begin).on("error", begin);
  });
}
