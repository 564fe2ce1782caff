import { markPastes, stopMarking } from "./paste-marks.ts";

/** An input of keys, as a terminal is one. */
export interface KeyInput {
  readonly isTTY?: boolean;
  readonly readableEnded: boolean;
  on(event: "data", take: (data: Buffer) => void): unknown;
  off(event: "data", take: (data: Buffer) => void): unknown;
  resume(): unknown;
  pause(): unknown;
  setRawMode?(raw: boolean): unknown;
}

/** Keys for which the terminal sends a signal, in its usual mode. */
const signals: readonly (readonly [key: string, signal: NodeJS.Signals])[] = [
  ["\u0003", "SIGINT"],
  ["\u001a", "SIGTSTP"],
  ["\u001c", "SIGQUIT"],
];

/**
 * What a person types while nobody asks for it: it is held for the next prompt, and leaves no trace on the screen, where
 * something is being drawn.
 */
export class TypedAhead {
  readonly #input: KeyInput;
  #held: Buffer = Buffer.alloc(0);
  #holding = false;

  constructor(input: KeyInput = process.stdin) {
    this.#input = input;
  }

  /** Holds what is typed from now on. */
  hold(): void {
    const input = this.#input;
    if (this.#holding || input.isTTY !== true || input.readableEnded) return;
    this.#holding = true;
    input.setRawMode?.(true);
    process.stderr.write(markPastes);
    process.on("SIGCONT", this.#takeTerminal);
    input.on("data", this.#take);
    // One that was paused, as at the end of every line, is not read just because somebody listens.
    input.resume();
  }

  /** Leaves the keys to others. */
  release(): void {
    const input = this.#input;
    if (!this.#holding) return;
    this.#holding = false;
    input.off("data", this.#take);
    input.pause();
    process.off("SIGCONT", this.#takeTerminal);
    process.stderr.write(stopMarking);
    input.setRawMode?.(false);
  }

  /** The shell had it, in a mode of its own; one that is set already would not be set again. */
  readonly #takeTerminal = (): void => {
    this.#input.setRawMode?.(false);
    this.#input.setRawMode?.(true);
  };

  readonly #take = (data: Buffer): void => {
    let text = data.toString("latin1");
    for (const [key, signal] of signals) {
      if (!text.includes(key)) continue;
      text = text.replaceAll(key, "");
      if (signal === "SIGTSTP") this.#input.setRawMode?.(false);
      process.kill(process.pid, signal);
    }
    this.#held = Buffer.concat([this.#held, Buffer.from(text, "latin1")]).subarray(0, mostHeld);
  };

  /** The first line of it, with its Enter, or what there is of one: no more is read at a prompt. */
  takeLine(): Buffer {
    const end = endOfLine(this.#held.toString("latin1"));
    const line = this.#held.subarray(0, end);
    this.#held = this.#held.subarray(end);
    return line;
  }

  /** Forgets it; gives what it was. */
  forget(): string {
    const text = this.#held.toString("utf8");
    this.#held = Buffer.alloc(0);
    return text;
  }
}

const mostHeld = 1024 * 1024;

/** Behind the first Enter that is not in what was pasted. */
function endOfLine(text: string): number {
  // oxlint-disable-next-line no-control-regex -- what terminals send
  for (const { 0: found, index } of text.matchAll(/\u001b\[200~[^]*?(?:\u001b\[201~|$)|\r\n?|\n/g)) {
    if (!found.startsWith("\u001b")) return index + found.length;
  }
  return text.length;
}
