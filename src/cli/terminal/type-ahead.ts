/** A source of key presses, such as a terminal. */
export interface KeyInput {
  readonly isTTY?: boolean;
  readonly readableEnded: boolean;
  on(event: "data", take: (data: Buffer) => void): unknown;
  off(event: "data", take: (data: Buffer) => void): unknown;
  resume(): unknown;
  pause(): unknown;
  setRawMode?(raw: boolean): unknown;
}

/** Keys for which the terminal sends a signal in its default mode. */
const signals: readonly (readonly [key: string, signal: NodeJS.Signals])[] = [
  ["\u0003", "SIGINT"],
  ["\u001a", "SIGTSTP"],
  ["\u001c", "SIGQUIT"],
];

/**
 * Input that the user types while no prompt is open: it is buffered for the next prompt, and not echoed to the screen,
 * on which a view is drawn.
 */
export class TypeAhead {
  readonly #input: KeyInput;
  #held: Buffer = Buffer.alloc(0);
  #holding = false;

  constructor(input: KeyInput = process.stdin) {
    this.#input = input;
  }

  /** Buffers input from now on. */
  hold(): void {
    const input = this.#input;
    if (this.#holding || input.isTTY !== true || input.readableEnded) return;
    this.#holding = true;
    input.setRawMode?.(true);
    process.stderr.write(markPastes);
    process.on("SIGCONT", this.#takeTerminal);
    input.on("data", this.#take);
    // A paused stream, as after every line, is not read just because it has a listener.
    input.resume();
  }

  /** Stops reading keys, for other readers. */
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

  /** The shell had the terminal, in a mode of its own; setting the current mode again would have no effect. */
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
    this.#held = Buffer.concat([this.#held, Buffer.from(text, "latin1")]).subarray(0, maxHeld);
  };

  /** The first line with its Enter, or an incomplete one: a prompt reads no more. */
  takeLine(): Buffer {
    const end = endOfLine(this.#held.toString("latin1"));
    const line = this.#held.subarray(0, end);
    this.#held = this.#held.subarray(end);
    return line;
  }

  /** Discards the buffer; returns its content. */
  forget(): string {
    const text = this.#held.toString("utf8");
    this.#held = Buffer.alloc(0);
    return text;
  }
}

const maxHeld = 1024 * 1024;

/** Offset after the first Enter that is not part of pasted text. */
function endOfLine(text: string): number {
  // oxlint-disable-next-line no-control-regex -- what terminals send
  for (const { 0: found, index } of text.matchAll(/\u001b\[200~[^]*?(?:\u001b\[201~|$)|\r\n?|\n/g)) {
    if (!found.startsWith("\u001b")) return index + found.length;
  }
  return text.length;
}

/** Makes the terminal mark pasted text, so that its line ends do not count as Enter. */
export const markPastes = "\x1b[?2004h";

/** Ends {@link markPastes}. */
export const stopMarking = "\x1b[?2004l";
