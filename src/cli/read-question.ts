import { type Stats, fstatSync } from "node:fs";
import type { Invocation } from "./invocation.ts";
import { readStdin } from "./read-arguments.ts";
import { UsageError } from "./usage-error.ts";

/** What is asked. */
export interface AskedText {
  readonly text: string;
  /** What came on stdin is a part of it: somebody else may have written that. */
  readonly piped: boolean;
}

/** A pipe that gives nothing for so long is one that whoever started the program left open. */
const patienceMs = 1000;

/** More is no question. */
const mostBytes = 2 * 1024 * 1024;

/**
 * The words of the command line, and below them what comes on stdin, where that is a file or a pipe. A word `-` waits
 * for stdin to its end; alone it is the whole question.
 */
export async function readQuestion({ words, terminal }: Pick<Invocation, "words" | "terminal">): Promise<AskedText> {
  const waits = words.includes("-");
  const asked = words
    .filter((word) => word !== "-")
    .join(" ")
    .trim();
  const given = waits || asked !== "" ? await fromStdin(waits) : "";
  if (given === undefined) {
    terminal.tell(`${terminal.tint("yellow", "note:")} nothing came on stdin; a word - waits for it`);
  }
  const material = (given ?? "").trim();
  if (Buffer.byteLength(material) > mostBytes) {
    throw new UsageError(
      "there is more than 2 MiB on stdin",
      "name the file in the question, or ask about a part of it",
    );
  }
  if (asked === "" && material === "")
    throw new UsageError("there is no question", 'ask it in quotes: windlass ask "…"');
  if (asked === "" || material === "") return { text: asked + material, piped: false };
  return { text: `${asked}\n\n${fenced(material)}`, piped: true };
}

/** Between lines that do not occur in it, so that it is seen where the words of whoever asks end. */
function fenced(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}stdin\n${text}\n${fence}`;
}

/** What comes on stdin; empty where nobody gives anything there, undefined where nothing came in time. */
async function fromStdin(waits: boolean): Promise<string | undefined> {
  if (waits) return readStdin();
  const kind = statOfStdin();
  if (kind?.isFile() === true) return readStdin();
  // A terminal is for approvals, and a device such as /dev/null gives nothing.
  if (kind?.isFIFO() !== true && kind?.isSocket() !== true) return "";
  return (await beginsInTime()) ? readStdin() : undefined;
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
