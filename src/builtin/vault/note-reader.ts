import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { type FailureError, isFailureError, nodeCrypto } from "../../base/index.ts";
import { type FileBytes, type WalkEntry, showPath } from "../../file/index.ts";
import type { TextDocument } from "../../store/index.ts";
import { decodeNote } from "./decode-note.ts";
import type { IndexVaultOptions, VaultIndexReport, SkippedNote, NoteMeta, VaultDeps } from "./vault-deps.ts";
import { parseNote } from "./parse-note.ts";
import { resolveNoteTime } from "./note-time.ts";

/** Number of notes in one index batch; the next batch is read while it is written. */
const notesAtOnce = 256;
const looksAtOnce = 128;
const maxSkipped = 100;
/** The walk names no more folders than this that it could not read. */
const maxUnreadable = 20;
/** Maximum length of an id in the index. */
const maxPathLength = 2000;
/** A note changed this recently may change again without a different time or size. */
const unsettledMs = 2000;

/** Reasons with which the file access rejects names that no new file may have. */
const objections: ReadonlySet<string> = new Set(["bad_name", "bad_path", "absolute"]);

/** Reads the notes that changed, and puts them into the index batch by batch. */
export class NoteReader {
  readonly signal: AbortSignal | undefined;
  /** Number of all notes, once it is known. */
  total: number | undefined;
  readonly #parts: VaultDeps;
  readonly #known: ReadonlyMap<string, string>;
  readonly #options: IndexVaultOptions;
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

  constructor(parts: VaultDeps, known: ReadonlyMap<string, string>, options: IndexVaultOptions) {
    this.#parts = parts;
    this.#known = known;
    this.#options = options;
    this.signal = options.signal;
  }

  /** True if the note was seen, or is in a folder that could not be read. */
  mayExist(path: string): boolean {
    if (this.#seen.has(path) || this.#truncated || this.#unreadable.length >= maxUnreadable) return true;
    return this.#unreadable.some((folder) => path.startsWith(`${folder}/`));
  }

  unreadable(folders: readonly string[]): void {
    this.#unreadable = [...this.#unreadable, ...folders];
    for (const folder of folders) this.skip(folder, "the folder cannot be read");
  }

  tooMany(): void {
    this.#truncated = true;
  }

  /** Checks a note that a walk found, and reads it if it changed. Returns false if there are too many notes. */
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
    if (path.length > maxPathLength || text === undefined) return this.skip(path, this.#whyNot(path, file));
    this.#seen.add(path);
    this.#read.push(this.#document(path, file, text));
    if (this.#read.length >= notesAtOnce) await this.#write();
  }

  skip(path: string, why: string): void {
    this.#skippedCount++;
    if (this.#skipped.length < maxSkipped) this.#skipped.push({ path: showPath(path), why });
  }

  /**
   * Handles a note that could not be read. It is reported, unless it is gone: then it is only removed from the index.
   */
  missed(path: string, failure: FailureError): void {
    if (failure.code === "cancelled") throw failure;
    const { reason = "" } = failure;
    // The file access rejects a name only if no file has it.
    const gone = reason === "not_found" || (objections.has(reason) && this.#known.has(path));
    if (!gone) this.skip(path, failure.message);
  }

  async finish(): Promise<void> {
    await this.#lookAtWaiting();
    await this.#write();
    await this.#writing;
  }

  report(gone: readonly string[], durationMs: number): VaultIndexReport {
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

  /** Calls the system directly, many at a time, for time and size only; content is read through the file access. */
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
      // A name that is not valid UTF-8 is listed with this replacement character, and cannot be opened.
      if (error.reason === "not_found" && path.includes("\ufffd"))
        this.skip(path, "its name is not valid UTF-8: rename it");
      else this.missed(path, error);
    }
  }

  async #write(): Promise<void> {
    // One batch at a time: the next is read while this one is indexed, and no more than two are in memory.
    await this.#writing;
    this.signal?.throwIfAborted();
    const documents = this.#read.splice(0);
    if (documents.length === 0) return;
    this.#writing = this.#parts.index.put(this.#parts.collection, documents, this.signal);
    // The error reaches the code that awaits the promise; this only prevents an unhandled rejection.
    this.#writing.catch(() => {});
    const { total } = this;
    const done = { seen: this.#seen.size, indexed: this.#added.length + this.#updated };
    this.#options.onProgress?.({ ...done, ...(total !== undefined && { total }) });
  }

  #document(path: string, file: FileBytes, text: string): TextDocument {
    const content = nodeCrypto().hash("sha256", file.bytes, "base64url");
    const before = this.#known.get(path);
    if (before === undefined) this.#added.push(content);
    else if (contentOf(before) === content) this.#unchanged++;
    else this.#updated++;
    const { title, tags, headings, links, dates } = parseNote(path, text);
    const meta: NoteMeta = { headings, links };
    const version = this.#version(file, content);
    const at = resolveNoteTime({ path, dates, modifiedMs: file.modifiedMs }, this.#parts.zone);
    return { id: path, path, title, body: text, tags, at, meta, version };
  }

  #whyNot(path: string, { truncated, size }: FileBytes): string {
    if (path.length > maxPathLength) return `its path has more than ${maxPathLength} characters`;
    const { maxFileBytes } = this.#parts.limits;
    return truncated ? `it has ${size} bytes, at most ${maxFileBytes} are indexed` : "it is not a text file";
  }

  #version({ modifiedMs, size }: FileBytes, content: string): string {
    const settled = this.#parts.clock.now() - modifiedMs > unsettledMs;
    return `${settled ? "" : "?"}${this.#stamp(modifiedMs, size)}${content}`;
  }

  /**
   * Includes the time zone, because a note's date depends on it. Versions without a zone, from an older format, never
   * match.
   */
  #stamp(modifiedMs: number, size: number): string {
    return `${modifiedMs}:${size}:${this.#parts.zone.name}:`;
  }
}

/** The content hash of a version. */
function contentOf(version: string): string {
  return version.slice(version.lastIndexOf(":") + 1);
}
