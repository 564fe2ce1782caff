import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { isFailureError, nodeCrypto } from "../../base/index.ts";
import type { FileBytes, WalkEntry } from "../../file/index.ts";
import type { TextDocument } from "../../store/index.ts";
import { decodeNote } from "./decode-note.ts";
import type { IndexOptions, IndexReport, SkippedNote } from "./index-report.ts";
import { parseNote } from "./parse-note.ts";
import type { NoteMeta, VaultParts } from "./vault-parts.ts";

/** So many notes are indexed at a time, while the next are read. */
const notesAtOnce = 256;
const looksAtOnce = 128;
const mostSkipped = 100;
/** The walk names no more folders than this that it could not read. */
const mostUnreadable = 20;
/** A note changed this short a time ago may change again without its time or size telling. */
const unsettledMs = 2000;

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
  readonly #oddlyNamed: string[] = [];
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
    if (text === undefined) {
      const { maxFileBytes } = this.#parts.limits;
      this.skip(path, file.truncated ? tooLarge(file.size, maxFileBytes) : "it is no text");
      return;
    }
    this.#seen.add(path);
    this.#read.push(this.#document(path, file, text));
    if (this.#read.length >= notesAtOnce) await this.#write();
  }

  skip(path: string, why: string): void {
    this.#skippedCount++;
    if (this.#skipped.length < mostSkipped) this.#skipped.push({ path, why });
  }

  /** Changed notes that can be read only in a walk of their folder; none are left afterwards. */
  async takeOddlyNamed(): Promise<readonly string[]> {
    await this.#lookAtWaiting();
    return this.#oddlyNamed.splice(0);
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
      return `${mtimeMs}:${size}:`;
    } catch {
      return undefined;
    }
  }

  async #tryTake(path: string, read: () => Promise<FileBytes>): Promise<void> {
    try {
      await this.takeFile(path, await read());
    } catch (error) {
      if (!isFailureError(error) || error.code === "cancelled") throw error;
      // The door opens no name that other systems could not have; a walk would, if it were new.
      if (error.reason === "bad_name") this.#oddlyNamed.push(path);
      else if (error.reason !== "not_found") this.skip(path, error.message);
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
    const { title, tags, headings, links } = parseNote(path, text);
    const meta: NoteMeta = { headings, links };
    const version = this.#version(file, content);
    return { id: path, path, title, body: text, tags, at: file.modifiedMs, meta, version };
  }

  #version({ modifiedMs, size }: FileBytes, content: string): string {
    const settled = this.#parts.clock.now() - modifiedMs > unsettledMs;
    return `${settled ? "" : "?"}${modifiedMs}:${size}:${content}`;
  }
}

/** The hash of the content that a version tells. */
function contentOf(version: string): string {
  return version.slice(version.lastIndexOf(":") + 1);
}

function tooLarge(size: number, most: number): string {
  return `it has ${size} bytes, at most ${most} are indexed`;
}
