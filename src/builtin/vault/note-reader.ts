import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { type FailureError, isFailureError, nodeCrypto } from "../../base/index.ts";
import { type FileBytes, type WalkEntry, showPath } from "../../file/index.ts";
import type { TextDocument } from "../../store/index.ts";
import { decodeNote } from "./decode-note.ts";
import type { IndexOptions, IndexReport, SkippedNote } from "./index-report.ts";
import { parseNote } from "./parse-note.ts";
import { timeOfNote } from "./note-time.ts";
import type { NoteMeta, VaultParts } from "./vault-parts.ts";

/** So many notes are indexed at a time, while the next are read. */
const notesAtOnce = 256;
const looksAtOnce = 128;
const mostSkipped = 100;
/** The walk names no more folders than this that it could not read. */
const mostUnreadable = 20;
/** What the index takes as a name. */
const longestPath = 2000;
/** A note changed this short a time ago may change again without its time or size telling. */
const unsettledMs = 2000;

/** What the door says of a name that no new file may have. */
const objections: ReadonlySet<string> = new Set(["bad_name", "bad_path", "absolute"]);

/** Reads the notes that changed, and puts them into the index batch by batch. */
export class NoteReader {
  readonly signal: AbortSignal | undefined;
  readonly #parts: VaultParts;
  readonly #known: ReadonlyMap<string, string>;
  readonly #options: IndexOptions;
  readonly #seen = new Set<string>();
  #unreadable: readonly string[] = [];
  readonly #skipped: SkippedNote[] = [];
  #skippedCount = 0;
  /** Known, and perhaps changed. */
  readonly #waiting: string[] = [];
  #read: TextDocument[] = [];
  #writing: Promise<void> = Promise.resolve();
  #truncated = false;
  #unchanged = 0;
  #updated = 0;
  /** The content of notes that are new here, to know those that were moved. */
  readonly #added: string[] = [];

  // oxlint-disable-next-line max-params -- the three things that it is about
  constructor(parts: VaultParts, known: ReadonlyMap<string, string>, options: IndexOptions) {
    this.#parts = parts;
    this.#known = known;
    this.#options = options;
    this.signal = options.signal;
  }

  /** Was it seen, or in a place that could not be looked at? */
  mayExist(path: string): boolean {
    if (this.#seen.has(path) || this.#truncated || this.#unreadable.length >= mostUnreadable) return true;
    return this.#unreadable.some((folder) => path.startsWith(`${folder}/`));
  }

  unreadable(folders: readonly string[]): void {
    this.#unreadable = [...this.#unreadable, ...folders];
    for (const folder of folders) this.skip(folder, "the folder cannot be read");
  }

  tooMany(): void {
    this.#truncated = true;
  }

  /** Looks at a note that a walk came across, and reads it if it changed; false when there are too many. */
  async take(entry: WalkEntry): Promise<boolean> {
    const { maxNotes, maxFileBytes } = this.#parts.limits;
    if (this.#seen.size >= maxNotes) {
      this.#truncated = true;
      return false;
    }
    if (this.#options.full !== true && this.#known.has(entry.path)) {
      // Seen until it turns out to be gone.
      this.#seen.add(entry.path);
      this.#waiting.push(entry.path);
      if (this.#waiting.length >= looksAtOnce) await this.#lookAtWaiting();
      return true;
    }
    await this.#tryTake(entry.path, () => entry.read({ maxBytes: maxFileBytes, signal: this.signal }));
    return true;
  }

  /** Takes a note that was read. */
  async takeFile(path: string, file: FileBytes): Promise<void> {
    const text = file.truncated ? undefined : decodeNote(file.bytes);
    if (path.length > longestPath || text === undefined) {
      this.skip(path, this.#whyNot(path, file));
      return;
    }
    this.#seen.add(path);
    this.#read.push(this.#document(path, file, text));
    if (this.#read.length >= notesAtOnce) await this.#write();
  }

  skip(path: string, why: string): void {
    this.#skippedCount++;
    if (this.#skipped.length < mostSkipped) this.#skipped.push({ path: showPath(path), why });
  }

  /** A note could not be read. Told, unless it is gone: then it is only to be taken out of the index. */
  missed(path: string, failure: FailureError): void {
    if (failure.code === "cancelled") throw failure;
    const { reason = "" } = failure;
    // The door objects to a name only where nothing has it.
    const gone = reason === "not_found" || (objections.has(reason) && this.#known.has(path));
    if (!gone) this.skip(path, failure.message);
  }

  async finish(): Promise<void> {
    await this.#lookAtWaiting();
    await this.#write();
    await this.#writing;
  }

  report(gone: readonly string[], durationMs: number): IndexReport {
    const moved = new Set(gone.map((path) => contentOf(this.#known.get(path) ?? "")));
    return {
      added: this.#added.length,
      updated: this.#updated,
      removed: gone.length,
      renamed: this.#added.filter((content) => moved.delete(content)).length,
      unchanged: this.#unchanged,
      skipped: this.#skipped,
      skippedCount: this.#skippedCount,
      truncated: this.#truncated,
      durationMs: Math.round(durationMs),
    };
  }

  /** Reads those of the known notes that changed. */
  async #lookAtWaiting(): Promise<void> {
    const { files, limits } = this.#parts;
    const waiting = this.#waiting.splice(0);
    const stamps = await Promise.all(waiting.map((path) => this.#stampOf(path)));
    for (const [index, path] of waiting.entries()) {
      const stamp = stamps[index];
      if (stamp !== undefined && this.#known.get(path)?.startsWith(stamp) === true) {
        this.#unchanged++;
        continue;
      }
      this.#seen.delete(path);
      const read = (): Promise<FileBytes> => files.read(path, { maxBytes: limits.maxFileBytes, signal: this.signal });
      await this.#tryTake(path, read);
    }
  }

  /** Asked of the system itself, many at a time: only time and size, and what is read is read through the door. */
  async #stampOf(path: string): Promise<string | undefined> {
    try {
      const { mtimeMs, size } = await lstat(join(this.#parts.root, path));
      return this.#stamp(mtimeMs, size);
    } catch {
      return undefined;
    }
  }

  async #tryTake(path: string, read: () => Promise<FileBytes>): Promise<void> {
    try {
      await this.takeFile(path, await read());
    } catch (error) {
      if (!isFailureError(error)) throw error;
      // A name that is no text is given with such a character in it, and opens nothing.
      if (error.reason === "not_found" && path.includes("\ufffd")) this.skip(path, "its name is no UTF-8: rename it");
      else this.missed(path, error);
    }
  }

  async #write(): Promise<void> {
    const { index, collection } = this.#parts;
    // One batch at a time: the next is read while this one is indexed, and no more than two are in memory.
    await this.#writing;
    this.signal?.throwIfAborted();
    const documents = this.#read.splice(0);
    if (documents.length === 0) return;
    this.#writing = index.put(collection, documents, this.signal);
    // Whoever awaits it is told; nobody else must be.
    this.#writing.catch(() => {});
    this.#options.onProgress?.({ seen: this.#seen.size, indexed: this.#added.length + this.#updated });
  }

  // oxlint-disable-next-line max-params -- the file and what is in it
  #document(path: string, file: FileBytes, text: string): TextDocument {
    const content = nodeCrypto().hash("sha256", file.bytes, "base64url");
    const before = this.#known.get(path);
    if (before === undefined) this.#added.push(content);
    else if (contentOf(before) === content) this.#unchanged++;
    else this.#updated++;
    const { title, tags, headings, links, dates } = parseNote(path, text);
    const meta: NoteMeta = { headings, links };
    const version = this.#version(file, content);
    const at = timeOfNote({ path, dates, modifiedMs: file.modifiedMs }, this.#parts.zone);
    return { id: path, path, title, body: text, tags, at, meta, version };
  }

  #whyNot(path: string, { truncated, size }: FileBytes): string {
    if (path.length > longestPath) return `its path has more than ${longestPath} characters`;
    const { maxFileBytes } = this.#parts.limits;
    return truncated ? `it has ${size} bytes, at most ${maxFileBytes} are indexed` : "it is no text";
  }

  #version({ modifiedMs, size }: FileBytes, content: string): string {
    const settled = this.#parts.clock.now() - modifiedMs > unsettledMs;
    return `${settled ? "" : "?"}${this.#stamp(modifiedMs, size)}${content}`;
  }

  /** In another zone a note is of another time; so it is where no zone is told, as before days were read from notes. */
  #stamp(modifiedMs: number, size: number): string {
    return `${modifiedMs}:${size}:${this.#parts.zone.name}:`;
  }
}

/** The hash of the content that a version tells. */
function contentOf(version: string): string {
  return version.slice(version.lastIndexOf(":") + 1);
}
