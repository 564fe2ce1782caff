import { cliCommand, orElse } from "../../../base/index.ts";
import { isUtf8 } from "node:buffer";
import { fstatSync } from "node:fs";
import type { Invocation } from "../../program/invocation.ts";
import { readStdin } from "../call/read-arguments.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { UsageError } from "../../program/usage-error.ts";

/** Text of the prompt. */
export interface PromptText {
  readonly text: string;
  /** The part of it that came from stdin, which is untrusted. */
  readonly piped: "nothing" | "part" | "all";
}

/**
 * Wait before a notice says what the program waits for; an idle stdin inherited from a parent process counts as empty
 * then.
 */
const stdinWaitMs = 1000;

/** Maximum size of a prompt. */
const maxBytes = 2 * 1024 * 1024;

/**
 * Joins the words of the command line with the text on stdin, if stdin is a file or a pipe; the word `-` reads any kind
 * of stdin. Text from stdin is untrusted, even if it is the whole prompt: it may be an email.
 */
export async function readPrompt({ words, terminal }: Pick<Invocation, "words" | "terminal">): Promise<PromptText> {
  const waits = words.includes("-");
  const request = words
    .filter((word) => word !== "-")
    .join(" ")
    .trim();
  const input = waits || request !== "" ? await fromStdin(waits, terminal) : nothing;
  const material = decodePrompt(input).trim();
  if (request === "" && material === "")
    throw new UsageError("the prompt is empty", `pass it in quotes: ${cliCommand("ask")} "…"`);
  if (material === "") return { text: request, piped: "nothing" };
  // At a terminal, the user types it.
  if (request === "") return { text: material, piped: process.stdin.isTTY ? "nothing" : "all" };
  return { text: `${request}\n\n${fenced(material)}`, piped: "part" };
}

/** Throws if the input is too long or not text. */
function decodePrompt(input: Buffer): string {
  if (input.length > maxBytes) {
    throw new UsageError("stdin has more than 2 MiB", "name the file in the prompt, or send a part of it");
  }
  if (isUtf8(input) && !input.includes(0)) return input.toString("utf8");
  throw notTextFailure();
}

const nothing: Buffer = Buffer.alloc(0);

/** Encloses the text in a fence that does not occur in it, so that the model sees where the user's own words end. */
function fenced(text: string): string {
  const maxLength = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const fence = "`".repeat(maxLength + 1);
  return `${fence}stdin\n${text}\n${fence}`;
}

/** Reads stdin; empty if nothing is connected to it. */
async function fromStdin(waits: boolean, terminal: Terminal): Promise<Buffer> {
  const kind = waits ? undefined : orElse(() => fstatSync(0), undefined);
  if (waits || kind?.isFile() === true || kind?.isFIFO() === true) return toItsEnd(terminal);
  // A terminal is for approvals, and a device such as /dev/null has no content.
  if (kind?.isSocket() !== true) return nothing;
  // Shells never use sockets as stdin. Node and remote logins do, and such a socket may stay open and empty.
  if (await hasInputWithin()) return toItsEnd(terminal);
  reportNote(terminal, "stdin is empty so far; pass the argument - to wait for input");
  return nothing;
}

/** Reads stdin to its end, however slow it is: without all of it, the prompt would be a different one. */
async function toItsEnd(terminal: Terminal): Promise<Buffer> {
  const hint = process.stdin.isTTY ? "end it with Ctrl-D" : "use < /dev/null to skip it";
  const timer = setTimeout(() => reportNote(terminal, `waiting for the end of stdin; ${hint}`), stdinWaitMs);
  try {
    return await readStdin();
  } finally {
    clearTimeout(timer);
  }
}

function reportNote(terminal: Terminal, text: string): void {
  terminal.log(`${terminal.tint("yellow", "note:")} ${text}`);
}

/** Waits until stdin is readable or has ended. Consumes nothing. */
function hasInputWithin(): Promise<boolean> {
  const { stdin } = process;
  return new Promise((resolve) => {
    const end = (began: boolean): void => {
      clearTimeout(timer);
      stdin.off("readable", begin).off("end", begin).off("error", begin);
      // Later input is not read.
      if (!began) stdin.destroy();
      resolve(began);
    };
    const begin = (): void => end(true);
    const timer = setTimeout(end, stdinWaitMs, false);
    stdin.on("readable", begin).on("end", begin).on("error", begin);
  });
}

/** The error for input on stdin that is not text: a model could not read it, but its tokens would be charged. */
export function notTextFailure(source = "the input on stdin"): UsageError {
  return new UsageError(
    `${source} is not valid UTF-8 text`,
    "to send an image with the prompt, use ask --image FILE",
    `to convert another encoding: iconv -f latin1 -t utf-8 FILE | ${cliCommand("ask")} …`,
  );
}
