import { type Interface, createInterface } from "node:readline";
import type { LineInput, Typed } from "./line-input.ts";
import { markPastes, stopMarking } from "../paste-marks.ts";
import type { TypedAhead } from "../typed-ahead.ts";

/** How many lines can be had back with the arrow keys. */
const mostKept = 500;

/**
 * Lines that a person types at the terminal, with editing and with what was typed before under the arrow keys. What is
 * pasted is one message, however many lines it has. What was typed before it was asked for comes first.
 */
export function terminalInput(prompt: string, ahead: TypedAhead): LineInput {
  let history: string[] = [];
  return {
    next: async (signal) => {
      ahead.release();
      const first = ahead.takeLine();
      if (first.length > 0 && !process.stdin.readableEnded) process.stdin.unshift(first);
      const typed = await readLine(prompt, signal, { history, onHistory: (lines) => (history = lines) });
      ahead.hold();
      return typed;
    },
    close: () => ahead.release(),
  };
}

interface History {
  readonly history: readonly string[];
  readonly onHistory: (lines: string[]) => void;
}

function readLine(prompt: string, signal: AbortSignal, { history, onHistory }: History): Promise<Typed> {
  const { stdin, stderr } = process;
  // The input may have ended at a question in between: nothing will ever come of it.
  if (signal.aborted || stdin.readableEnded) return Promise.resolve({ kind: "end" });
  const reader = createInterface({
    input: stdin,
    output: stderr,
    terminal: true,
    prompt,
    history: [...history],
    historySize: mostKept,
    removeHistoryDuplicates: true,
  });
  reader.on("history", (lines: string[]) => onHistory(lines));
  const paste = new PastedLines();
  const rows = new CursorRows(reader);
  const onKey = (_text: unknown, key: Key | undefined): void => {
    rows.beforeKey(key);
    paste.key(key?.name);
  };
  // Before the reader does anything about it.
  stdin.prependListener("keypress", onKey);
  stderr.write(markPastes);
  reader.prompt();
  return new Promise<Typed>((resolve) => {
    let ended = false;
    const end = (typed: Typed): void => {
      if (ended) return;
      ended = true;
      stdin.off("keypress", onKey);
      signal.removeEventListener("abort", stop);
      stderr.write(stopMarking);
      resolve(typed);
      reader.close();
    };
    const stop = (): void => leave({ kind: "end" });
    signal.addEventListener("abort", stop, { once: true });
    reader.on("line", (line) => {
      const text = paste.line(line);
      if (text !== undefined) end({ kind: "line", text });
    });
    /** Without Enter the cursor still stands behind what was typed. */
    const leave = (typed: Typed): void => {
      if (!ended) stderr.write("\n");
      end(typed);
    };
    reader.once("SIGINT", () => leave({ kind: "interrupt", cleared: isTyped(reader) || paste.isOpen }));
    reader.once("close", () => leave({ kind: "end" }));
  });
}

function isTyped(reader: Interface): boolean {
  return reader.line !== "";
}

interface Key {
  readonly name?: string;
  readonly sequence?: string;
}

function isText({ sequence = "" }: Key = {}): boolean {
  // oxlint-disable-next-line no-control-regex
  return !/^[\u0000-\u001f\u007f]/.test(sequence);
}

/** What Node keeps of a line that is being typed. */
interface Typing {
  /** False for all but the last of several keys that come at once. */
  readonly isCompletionEnabled?: boolean;
  /** The row of the cursor, counted from the prompt, when the line was last drawn. */
  prevRows?: number;
}

/**
 * Knows on which row of a long line the cursor is. Node forgets it where several keys come at once, as from an input
 * method, and would draw the line again below itself.
 */
class CursorRows {
  readonly #reader: Interface & Typing;
  /** The last key was written as it is, wherever it went. */
  #isBehind = false;

  constructor(reader: Interface) {
    this.#reader = reader;
  }

  beforeKey(key: Key | undefined): void {
    const wasBehind = this.#isBehind;
    this.#isBehind = this.#reader.isCompletionEnabled === false && isText(key);
    // Of a long text that is pasted, only the end is looked at.
    if (this.#isBehind) return;
    const { rows, cols } = this.#reader.getCursorPos();
    // The terminal begins a row with the next character only.
    this.#reader.prevRows = wasBehind && cols === 0 && rows > 0 ? rows - 1 : rows;
  }
}

/** Lines that belong together, since they were pasted together. */
class PastedLines {
  readonly #lines: string[] = [];
  #pasting = false;

  get isOpen(): boolean {
    return this.#lines.length > 0;
  }

  key(name: string | undefined): void {
    if (name === "paste-start") this.#pasting = true;
    if (name === "paste-end") this.#pasting = false;
  }

  /** The whole message; undefined while it is being pasted. */
  line(text: string): string | undefined {
    this.#lines.push(text);
    return this.#pasting ? undefined : this.#lines.join("\n");
  }
}
