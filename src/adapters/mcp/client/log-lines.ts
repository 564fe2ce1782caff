import { StringDecoder } from "node:string_decoder";
import type { Clock } from "../../../base/index.ts";
import { stripUnsafe } from "../../../text/index.ts";

/** Longer lines are truncated. */
const maxCharacters = 2_000;

/** Number of last lines that are shown when a program ends. */
const maxRetained = 10;

/** Options of {@link LogLines}. */
export interface LogLinesOptions {
  readonly clock: Clock;
  readonly linesPerSecond: number;
  readonly log: (line: string) => void;
}

/** The log lines of a server: sanitized, truncated and limited in number. */
export class LogLines {
  readonly #options: LogLinesOptions;
  readonly #decoder = new StringDecoder("utf8");
  readonly #last: string[] = [];
  #partialLine = "";
  #second = Number.NEGATIVE_INFINITY;
  #written = 0;
  #remaining = 0;

  constructor(options: LogLinesOptions) {
    this.#options = options;
  }

  /** Accepts bytes as a program writes them. */
  feed(bytes: Uint8Array): void {
    const lines = (this.#partialLine + this.#decoder.write(bytes)).split("\n");
    // Without line ends, text beyond the limit is useless.
    this.#partialLine = (lines.pop() ?? "").slice(0, maxCharacters + 1);
    for (const line of lines) this.write(line);
  }

  /** Takes one line. */
  write(text: string): void {
    const cut = text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text;
    const line = stripUnsafe(cut).trimEnd();
    if (line === "") return;
    this.#last.push(line);
    if (this.#last.length > maxRetained) this.#last.shift();
    this.#log(line);
  }

  /** The last lines, an unfinished one included. */
  last(): readonly string[] {
    if (this.#partialLine !== "") this.write(this.#partialLine);
    this.#partialLine = "";
    return this.#last;
  }

  #log(line: string): void {
    const { clock, linesPerSecond, log } = this.#options;
    const now = clock.elapsed();
    if (now - this.#second >= 1_000) {
      if (this.#remaining > 0) log(`(${this.#remaining} more lines were omitted)`);
      this.#second = now;
      this.#written = 0;
      this.#remaining = 0;
    }
    if (this.#written < linesPerSecond) {
      this.#written++;
      log(line);
    } else this.#remaining++;
  }
}
