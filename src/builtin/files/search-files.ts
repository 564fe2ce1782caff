import { type Clock, type EventLoopYielder, isFailureError, loadPackage } from "../../base/index.ts";
import {
  type FileAccess,
  type IgnoreRules,
  type WalkEntry,
  ignoreRules,
  showPath,
  textDecoder,
  createFileYielder,
} from "../../file/index.ts";
import { LineBlocks } from "./line-blocks.ts";
import { compilePattern } from "../../schema/index.ts";
import { fileToolFailure } from "./file-tool-reasons.ts";

/** The query, and the folder and files to search. */
export interface FileQuery {
  /** The text or pattern to search for. */
  readonly query: string;
  readonly regex: boolean;
  readonly ignoreCase: boolean;
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

/** One match: a line of a file, or, without a line, a name. */
export interface FileMatch {
  readonly path: string;
  readonly line?: number;
  /** 1 is the first character. */
  readonly column?: number;
  readonly excerpt?: string;
}

/** A file or a folder that was not searched, or not to its end, and the reason. */
export interface SkippedFile {
  readonly path: string;
  readonly why: string;
}

/** Result of a search. */
export interface FileMatches {
  readonly matches: readonly FileMatch[];
  readonly filesSearched: number;
  /** Number of files that contain no text. */
  readonly binary: number;
  /** The first that were not searched completely. */
  readonly skipped: readonly SkippedFile[];
  readonly skippedCount: number;
  /** True if there may be more: a limit was reached, or something was skipped. */
  readonly truncated: boolean;
}

const maxEntries = 100_000;
const maxFileBytes = 64 * 1_048_576;
const maxTotalBytes = 256 * 1_048_576;
/** Bytes that are read and searched at a time. */
const partBytes = 65_536;
/** Longer lines are only searched up to this length. */
const maxLine = 32_768;
const excerptChars = 200;
const maxSkipped = 20;

/** Searches names and contents of files below a folder. */
export async function searchFiles(files: FileAccess, query: FileQuery): Promise<FileMatches> {
  return new Search(query, lineMatcher(query), await included(query.include)).run(files);
}

async function included(include: readonly string[]): Promise<IgnoreRules | undefined> {
  return include.length === 0 ? undefined : ignoreRules(include);
}

class Search {
  readonly #query: FileQuery;
  readonly #matcher: LineMatcher;
  readonly #include: IgnoreRules | undefined;
  readonly #yielder: EventLoopYielder;
  readonly #matches: FileMatch[] = [];
  readonly #skipped: SkippedFile[] = [];
  #skippedCount = 0;
  #files = 0;
  #binary = 0;
  #bytesLeft = maxTotalBytes;
  #truncated = false;

  constructor(query: FileQuery, matcher: LineMatcher, include: IgnoreRules | undefined) {
    this.#query = query;
    this.#matcher = matcher;
    this.#include = include;
    this.#yielder = createFileYielder(query.signal, query.clock);
  }

  async run(files: FileAccess): Promise<FileMatches> {
    const { path, hidden, gitignore, signal, maxResults } = this.#query;
    const walk = files.walk(path, { maxEntries, hidden, gitignore, signal });
    try {
      let step = await walk.next();
      for (; step.done !== true && !this.#isFull(); step = await walk.next()) await this.#look(step.value);
      this.#truncated ||= step.done === true ? step.value.truncated : true;
      for (const folder of step.done === true ? step.value.unreadable : []) {
        this.#skip(folder, "the folder cannot be read");
      }
    } finally {
      await walk.return({ entries: 0, truncated: true, unreadable: [] });
    }
    return {
      matches: this.#matches.slice(0, maxResults),
      filesSearched: this.#files,
      binary: this.#binary,
      skipped: this.#skipped,
      skippedCount: this.#skippedCount,
      truncated: this.#truncated || this.#matches.length > maxResults,
    };
  }

  /** One more than requested, to know whether there are more. */
  #isFull(): boolean {
    return this.#matches.length > this.#query.maxResults || this.#bytesLeft <= 0;
  }

  #skip(path: string, why: string): void {
    this.#truncated = true;
    this.#skippedCount++;
    if (this.#skipped.length < maxSkipped) this.#skipped.push({ path: showPath(path), why });
  }

  async #look(entry: WalkEntry): Promise<void> {
    const { target } = this.#query;
    if (!this.#isIncluded(entry)) return;
    if (target !== "contents" && this.#matcher.find(entry.name) !== undefined) {
      this.#matches.push({ path: showPath(entry.path) });
    }
    if (target === "names" || entry.type !== "file") return;
    try {
      await this.#searchFile(entry);
    } catch (error) {
      if (!isFailureError(error) || error.reason === "aborted") throw error;
      if (error.reason === "binary") this.#binary++;
      else if (error.reason !== "not_found") this.#skip(entry.path, error.message);
    }
  }

  #isIncluded({ path, type }: WalkEntry): boolean {
    // Paths of other roots than the first are absolute; rules treat them like any other.
    return this.#include === undefined || this.#include.matches(path.replace(/^\/+/, ""), type === "folder");
  }

  async #searchFile(entry: WalkEntry): Promise<void> {
    const blocks = new LineBlocks(maxLine);
    let decode: ReturnType<typeof textDecoder> | undefined;
    let offset = 0;
    for (let last = false; !last && !this.#isFull();) {
      const limit = Math.min(partBytes, maxFileBytes - offset, this.#bytesLeft);
      if (limit <= 0) return this.#skip(entry.path, `only its first ${maxFileBytes} bytes were searched`);
      const { bytes, truncated } = await entry.read({ offset, maxBytes: limit, signal: this.#query.signal });
      if (decode === undefined) {
        decode = textDecoder(bytes, { path: entry.path });
        this.#files++;
      }
      // A file that was truncated in the meantime has no more to read.
      last = !truncated || bytes.length === 0;
      offset += bytes.length;
      this.#bytesLeft -= bytes.length;
      await this.#searchLines(entry.path, blocks.take(decode(bytes, last), last), blocks);
      if (!last && this.#bytesLeft <= 0) {
        this.#skip(entry.path, `the search ended after ${maxTotalBytes} bytes in total; search a smaller folder`);
      }
    }
    if (blocks.longLine !== undefined) {
      const reason = `line ${blocks.longLine} is longer than ${maxLine} characters`;
      this.#skip(entry.path, `${reason}: only the beginning of such lines was searched`);
    }
  }

  async #searchLines(path: string, block: string, blocks: LineBlocks): Promise<void> {
    await this.#yielder.yieldIfDue();
    if (block === "" || !this.#matcher.mayHold(block)) return;
    for (const { line, number } of blocks.lines(block)) {
      if (this.#isFull()) return;
      const match = this.#matcher.find(line);
      if (match !== undefined) {
        const offset = { line: number, column: match.at + 1, excerpt: excerpt(line, match) };
        this.#matches.push({ path: showPath(path), ...offset });
      }
      if (number % 64 === 0) await this.#yielder.yieldIfDue();
    }
  }
}

/** Returns the line, or the part of a long one around the match. */
function excerpt(line: string, { at, length }: LineMatch): string {
  if (line.length <= excerptChars) return line;
  const start = Math.max(0, Math.min(at - Math.floor((excerptChars - Math.min(length, excerptChars)) / 2), at));
  const end = Math.min(line.length, start + excerptChars);
  const part = line.slice(start, end).toWellFormed();
  return `${start > 0 ? "…" : ""}${part}${end < line.length ? "…" : ""}`;
}

/** Offset and length of the first match, in UTF-16 units. */
interface LineMatch {
  readonly at: number;
  readonly length: number;
}

/** Finds something in a line, in time linear in its length. */
interface LineMatcher {
  /** True if a text of many lines may contain a match. Much faster than line by line. */
  mayHold(text: string): boolean;
  find(line: string): LineMatch | undefined;
}

/** Creates a matcher for plain text, or for a pattern; patterns that need backtracking are refused. */
function lineMatcher({ query, regex, ignoreCase }: FileQuery): LineMatcher {
  if (!regex && !ignoreCase) return plainMatcher(query);
  const { RE2JS } = loadPackage("re2js");
  if (regex) checkPattern(query);
  const source = regex ? RE2JS.translateRegExp(query) : RE2JS.quote(query);
  const pattern = RE2JS.compile(source, RE2JS.MULTILINE | (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0));
  return {
    // A pattern for an empty line or for the ends of a text can match a line and not the whole text.
    mayHold: (text) => /[$^]|\\[AzZbB]/.test(source) || pattern.test(text),
    find: (line) => {
      const matcher = pattern.matcher(line);
      return matcher.find() ? { at: matcher.start(), length: matcher.end() - matcher.start() } : undefined;
    },
  };
}

function plainMatcher(query: string): LineMatcher {
  return {
    mayHold: (text) => text.includes(query),
    find: (line) => {
      const at = line.indexOf(query);
      return at === -1 ? undefined : { at, length: query.length };
    },
  };
}

function checkPattern(query: string): void {
  try {
    compilePattern(query);
  } catch (error) {
    if (!isFailureError(error)) throw error;
    throw fileToolFailure("bad_pattern", error.message);
  }
}
