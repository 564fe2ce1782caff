import { type Clock, isFailureError, systemClock } from "../../base/index.ts";
import { type FileDoor, type IgnoreRules, type WalkEntry, decodeText, ignoreRules } from "../../file/index.ts";
import { type LineMatch, type LineMatcher, type LineQuery, lineMatcher } from "./line-matcher.ts";

/** What to look for, and where. */
export interface FileQuery extends LineQuery {
  readonly target: "contents" | "names" | "both";
  /** The folder to look in. */
  readonly path: string;
  /** Patterns as in .gitignore that the path of a file must match, such as `*.ts`. */
  readonly include: readonly string[];
  readonly hidden: boolean;
  readonly gitignore: boolean;
  readonly maxResults: number;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Pick<Clock, "elapsed">;
}

/** One place that was found: a line of a file, or, without a line, a name. */
export interface FileMatch {
  readonly path: string;
  readonly line?: number;
  /** 1 is the first character. */
  readonly column?: number;
  readonly excerpt?: string;
}

/** What a search found. */
export interface FileMatches {
  readonly matches: readonly FileMatch[];
  readonly filesSearched: number;
  /** Files that hold no text. */
  readonly binary: number;
  /** There may be more: a limit was reached, or a file was too long to be searched to its end. */
  readonly truncated: boolean;
}

const maxEntries = 100_000;
const maxFileBytes = 2 * 1_048_576;
const maxTotalBytes = 256 * 1_048_576;
/** Of one line; what follows is not searched. */
const maxLine = 10_000;
const excerptChars = 200;
/** Others get their turn this often. */
const turnMs = 8;

/** Searches names and contents of files below a folder. */
export async function searchFiles(files: FileDoor, query: FileQuery): Promise<FileMatches> {
  return new Search(query, lineMatcher(query), await included(query.include)).run(files);
}

async function included(include: readonly string[]): Promise<IgnoreRules | undefined> {
  return include.length === 0 ? undefined : ignoreRules(include);
}

class Search {
  readonly #query: FileQuery;
  readonly #matcher: LineMatcher;
  readonly #include: IgnoreRules | undefined;
  readonly #clock: Pick<Clock, "elapsed">;
  readonly #matches: FileMatch[] = [];
  #files = 0;
  #binary = 0;
  #bytesLeft = maxTotalBytes;
  #truncated = false;
  #turnEnds = 0;

  constructor(query: FileQuery, matcher: LineMatcher, include: IgnoreRules | undefined) {
    this.#query = query;
    this.#matcher = matcher;
    this.#include = include;
    this.#clock = query.clock ?? systemClock;
  }

  async run(files: FileDoor): Promise<FileMatches> {
    const { path, hidden, gitignore, signal } = this.#query;
    const walk = files.walk(path, { maxEntries, hidden, gitignore, signal });
    this.#turnEnds = this.#clock.elapsed() + turnMs;
    try {
      let step = await walk.next();
      for (; step.done !== true && !this.#isFull(); step = await walk.next()) await this.#look(step.value);
      this.#truncated ||= step.done === true ? step.value.truncated : true;
    } finally {
      await walk.return({ entries: 0, truncated: true, unreadable: [] });
    }
    const { maxResults } = this.#query;
    const matches = this.#matches.slice(0, maxResults);
    const truncated = this.#truncated || this.#matches.length > maxResults;
    return { matches, filesSearched: this.#files, binary: this.#binary, truncated };
  }

  /** One more than wanted, to know whether there is more. */
  #isFull(): boolean {
    return this.#matches.length > this.#query.maxResults || this.#bytesLeft <= 0;
  }

  async #look(entry: WalkEntry): Promise<void> {
    const { target } = this.#query;
    // Paths of other roots than the first are absolute; to rules they are paths all the same.
    const path = entry.path.replace(/^\/+/, "");
    const wanted = this.#include === undefined || this.#include.matches(path, entry.type === "folder");
    if (target !== "contents" && wanted && this.#matcher.find(entry.name) !== undefined) {
      this.#matches.push({ path: entry.path });
    }
    if (target === "names" || entry.type !== "file" || !wanted) return;
    const text = await this.#textOf(entry);
    if (text !== undefined && this.#matcher.mayHold(text)) await this.#searchText(entry.path, text);
  }

  async #textOf(entry: WalkEntry): Promise<string | undefined> {
    const { signal } = this.#query;
    try {
      const file = await entry.read({ maxBytes: Math.min(maxFileBytes, this.#bytesLeft), signal });
      this.#bytesLeft -= file.bytes.length;
      const { text } = decodeText(file.bytes, { path: entry.path, cut: file.truncated });
      this.#files++;
      this.#truncated ||= file.truncated;
      return text;
    } catch (error) {
      if (!isFailureError(error) || error.reason === "aborted") throw error;
      if (error.reason === "binary") this.#binary++;
      return undefined;
    }
  }

  async #searchText(path: string, text: string): Promise<void> {
    let number = 0;
    for (let start = 0; start < text.length && !this.#isFull();) {
      const end = text.indexOf("\n", start);
      const stop = end === -1 ? text.length : end;
      number++;
      if (stop - start > maxLine) this.#truncated = true;
      const line = text.slice(start, Math.min(stop, start + maxLine)).replace(/\r$/, "");
      const match = this.#matcher.find(line);
      if (match !== undefined) {
        this.#matches.push({ path, line: number, column: match.at + 1, excerpt: excerpt(line, match) });
      }
      start = stop + 1;
      if (number % 64 === 0) await this.#giveWay();
    }
    await this.#giveWay();
  }

  async #giveWay(): Promise<void> {
    if (this.#clock.elapsed() < this.#turnEnds) return;
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
    this.#turnEnds = this.#clock.elapsed() + turnMs;
  }
}

/** The line, or the part of a long one around the match. */
function excerpt(line: string, { at, length }: LineMatch): string {
  if (line.length <= excerptChars) return line;
  const start = Math.max(0, Math.min(at - Math.floor((excerptChars - Math.min(length, excerptChars)) / 2), at));
  const end = Math.min(line.length, start + excerptChars);
  const part = line.slice(start, end).toWellFormed();
  return `${start > 0 ? "…" : ""}${part}${end < line.length ? "…" : ""}`;
}
