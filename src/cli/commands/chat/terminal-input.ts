import { type Interface, createInterface } from "node:readline";
import { markPastes, stopMarking, type TypeAhead } from "../../terminal/type-ahead.ts";

/** Maximum number of lines in the history of the arrow keys. */
const maxRetained = 500;

/**
 * Reads lines that the user types at the terminal, with line editing and a history under the arrow keys. Pasted text is
 * one message, however many lines it has. Buffered type-ahead comes first.
 */
export function terminalInput(prompt: string, ahead: TypeAhead): LineInput {
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

function readLine(
  prompt: string,
  signal: AbortSignal,
  { history, onHistory }: { readonly history: readonly string[]; readonly onHistory: (lines: string[]) => void },
): Promise<TerminalInputEvent> {
  const { stdin, stderr } = process;
  // Stdin may have ended at a prompt in between; no event would ever follow.
  if (signal.aborted || stdin.readableEnded) return Promise.resolve({ kind: "end" });
  const reader = createInterface({
    input: stdin,
    output: stderr,
    terminal: true,
    prompt,
    history: [...history],
    historySize: maxRetained,
    removeHistoryDuplicates: true,
  });
  reader.on("history", (lines: string[]) => onHistory(lines));
  const paste = new PastedLines();
  const rows = new CursorRows(reader);
  const onKey = (_text: unknown, key: Key | undefined): void => {
    rows.beforeKey(key);
    paste.key(key?.name);
  };
  // Before readline handles the key.
  stdin.prependListener("keypress", onKey);
  stderr.write(markPastes);
  reader.prompt();
  return new Promise<TerminalInputEvent>((resolve) => {
    let ended = false;
    const end = (typed: TerminalInputEvent): void => {
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
    /** Without Enter the cursor is still behind the typed text. */
    const leave = (typed: TerminalInputEvent): void => {
      if (!ended) stderr.write("\n");
      end(typed);
    };
    reader.once("SIGINT", () => leave({ kind: "interrupt", cleared: reader.line !== "" || paste.isOpen }));
    reader.once("close", () => leave({ kind: "end" }));
  });
}

interface Key {
  readonly name?: string;
  readonly sequence?: string;
}

function isText({ sequence = "" }: Key = {}): boolean {
  // oxlint-disable-next-line no-control-regex
  return !/^[\u0000-\u001f\u007f]/.test(sequence);
}

/** Internal fields of a readline interface. */
interface Typing {
  /** False for all but the last of several keys that arrive at once. */
  readonly isCompletionEnabled?: boolean;
  /** Row of the cursor relative to the prompt, as of the last redraw. */
  prevRows?: number;
}

/**
 * Tracks the row of the cursor within a long line. Node loses it if several keys arrive at once, as from an input
 * method, and would redraw the line below itself.
 */
class CursorRows {
  readonly #reader: Interface & Typing;
  /** True if the last key was echoed without a redraw. */
  #isBehind = false;

  constructor(reader: Interface) {
    this.#reader = reader;
  }

  beforeKey(key: Key | undefined): void {
    const wasBehind = this.#isBehind;
    this.#isBehind = this.#reader.isCompletionEnabled === false && isText(key);
    // For long pasted text, only the end is checked.
    if (this.#isBehind) return;
    const { rows, cols } = this.#reader.getCursorPos();
    // The terminal starts a new row only with the next character.
    this.#reader.prevRows = wasBehind && cols === 0 && rows > 0 ? rows - 1 : rows;
  }
}

/** Lines that belong together because they were pasted together. */
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

  /** The whole message; undefined while the paste is still going. */
  line(text: string): string | undefined {
    this.#lines.push(text);
    return this.#pasting ? undefined : this.#lines.join("\n");
  }
}

/** A line that was typed, or another input event. */
export type TerminalInputEvent =
  | { readonly kind: "line"; readonly text: string }
  /** Ctrl-C; `cleared` if it discarded typed text. */
  | { readonly kind: "interrupt"; readonly cleared: boolean }
  /** A line that is not valid text; `what` names the line. */
  | { readonly kind: "unreadable"; readonly source: string }
  /** End of input. */
  | { readonly kind: "end" };

/** Source of the lines of a chat. */
export interface LineInput {
  /** The next event; an `end` event if the signal is aborted. */
  next(signal: AbortSignal): Promise<TerminalInputEvent>;
  close(): void;
}
