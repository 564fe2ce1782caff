import { StringDecoder } from "node:string_decoder";
import type { Clock } from "../../../base/index.ts";
import { stripUnsafe } from "../../../text/index.ts";

/** A longer line is cut. */
const mostCharacters = 2_000;

/** As many of the last lines are shown when a program ends. */
const mostKept = 10;

/** What {@link LogLines} needs. */
export interface LogLinesOptions {
  readonly clock: Clock;
  readonly linesPerSecond: number;
  readonly log: (line: string) => void;
}

/** The lines that a server writes for people: cleaned, cut, and never more of them than a log can bear. */
export class LogLines {
  readonly #options: LogLinesOptions;
  readonly #decoder = new StringDecoder("utf8");
  readonly #last: string[] = [];
  #rest = "";
  #second = Number.NEGATIVE_INFINITY;
  #told = 0;
  #left = 0;

  constructor(options: LogLinesOptions) {
    this.#options = options;
  }

  /** Takes bytes as a program writes them. */
  feed(bytes: Uint8Array): void {
    const lines = (this.#rest + this.#decoder.write(bytes)).split("\n");
    // Without line ends, what is beyond the cut is of no use.
    this.#rest = (lines.pop() ?? "").slice(0, mostCharacters + 1);
    for (const line of lines) this.tell(line);
  }

  /** Takes one line. */
  tell(text: string): void {
    const cut = text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text;
    const line = stripUnsafe(cut).trimEnd();
    if (line === "") return;
    this.#last.push(line);
    if (this.#last.length > mostKept) this.#last.shift();
    this.#log(line);
  }

  /** The last lines, an unfinished one included. */
  last(): readonly string[] {
    if (this.#rest !== "") this.tell(this.#rest);
    this.#rest = "";
    return this.#last;
  }

  #log(line: string): void {
    const { clock, linesPerSecond, log } = this.#options;
    const now = clock.elapsed();
    if (now - this.#second >= 1_000) {
      if (this.#left > 0) log(`(${this.#left} more lines were left out)`);
      this.#second = now;
      this.#told = 0;
      this.#left = 0;
    }
    if (this.#told < linesPerSecond) {
      this.#told++;
      log(line);
    } else this.#left++;
  }
}
