import { resolve } from "node:path";
import { type Clock, fail, systemClock } from "../../../base/index.ts";
import type { TextDocument, TextHit, TextIndex, TextQuery, TextStats } from "../../../store/index.ts";
import type { TextIndexOps } from "./ops.ts";
import { LazyThread, workerUrl } from "../thread/lazy-thread.ts";

/** Options of {@link openTextIndex}. */
export interface TextIndexOptions {
  /**
   * The database file, which caches may share; it and its folder are created on first use, readable by this user only.
   */
  readonly file: string;
  readonly clock?: Clock;
}

/** Documents per transaction: enough to be fast, few enough not to make others wait for long. */
const documentsPerBatch = 256;
const charactersPerBatch = 4_000_000;

/**
 * Opens or creates a text index in the database of indexes and caches. One thread writes and another searches, each
 * started on first use, so that neither the event loop nor a search waits during heavy indexing. Its content can be
 * rebuilt: a crash of the machine may lose the last moments.
 *
 * @example
 * ```ts
 * const index = openTextIndex({ file: ".windlass/index.db" });
 * await index.put("notes", [{ id: "a.md", title: "绳结", body: "如何打一个单套结", tags: ["knot"], at: Date.now() }]);
 * const [hit] = await index.search("notes", { text: "单套结" });
 * await index.close();
 * ```
 */
export function openTextIndex({ file, clock = systemClock }: TextIndexOptions): TextIndex {
  return new SqliteTextIndex({ file: resolve(file), clock });
}

class SqliteTextIndex implements TextIndex {
  readonly #writer: LazyThread<TextIndexOps>;
  readonly #reader: LazyThread<TextIndexOps>;

  constructor({ file, clock }: Required<TextIndexOptions>) {
    const options = { url: workerUrl("text-index-worker"), file, clock };
    this.#writer = new LazyThread(options);
    this.#reader = new LazyThread(options);
  }

  async put(collection: string, documents: readonly TextDocument[], signal?: AbortSignal): Promise<void> {
    for (const document of documents) checkDocument(document);
    for (const batch of batches(documents)) {
      await this.#writer.call("put", { collection, documents: batch }, signal);
    }
  }

  remove(collection: string, ids: readonly string[], signal?: AbortSignal): Promise<number> {
    return this.#writer.call("remove", { collection, ids: [...ids] }, signal);
  }

  get(collection: string, id: string): Promise<TextDocument | undefined> {
    return this.#reader.call("get", { collection, id });
  }

  search(collection: string, query: TextQuery, signal?: AbortSignal): Promise<readonly TextHit[]> {
    return this.#reader.call("search", { collection, query }, signal);
  }

  async versions(collection: string, prefix = ""): Promise<ReadonlyMap<string, string>> {
    const { ids, versions } = await this.#reader.call("versions", { collection, prefix });
    return new Map(ids.map((id, index) => [id, versions[index] ?? ""]));
  }

  stats(collection: string): Promise<TextStats> {
    return this.#reader.call("stats", { collection });
  }

  clear(collection: string): Promise<void> {
    return this.#writer.call("clear", { collection });
  }

  async close(): Promise<void> {
    await Promise.all([this.#writer.close(), this.#reader.close()]);
  }
}

function* batches(documents: readonly TextDocument[]): Generator<TextDocument[]> {
  let batch: TextDocument[] = [];
  let characters = 0;
  for (const document of documents) {
    batch.push(document);
    characters += document.body.length;
    if (batch.length < documentsPerBatch && characters < charactersPerBatch) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}

/** A value that a column cannot store would fail the whole batch, with a message about SQLite. */
function checkDocument({ id, at }: TextDocument): void {
  if (id === "" || id.length > 2000 || !Number.isFinite(at)) {
    throw fail("a document needs an id of 1 to 2,000 characters and a finite `at`", { code: "validation_error" });
  }
}
