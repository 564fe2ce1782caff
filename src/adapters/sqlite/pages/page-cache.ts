import { resolve } from "node:path";
import { type Clock, type FailureError, isFailureError, nodeCrypto, systemClock } from "../../base/index.ts";
import type { PageCache, StoredPage } from "../../store/index.ts";
import { LazyThread } from "./lazy-thread.ts";
import type { PageOps, PageRoom } from "./page-ops.ts";
import { workerUrl } from "./worker-url.ts";

/** What {@link openPageCache} takes. */
export interface PageCacheOptions {
  /** The database; it and its folder are made when a page is first fetched, readable by this user only. */
  readonly file: string;
  /** Pages that were kept under another scope are not found: whoever may fetch less must not see what others fetched. */
  readonly scope?: string;
  /** Room for pages; 64 MiB where absent. */
  readonly maxBytes?: number;
  /** A page that no server has confirmed for so long is forgotten; 30 days where absent. */
  readonly maxAgeMs?: number;
  readonly clock?: Clock;
  /** Told once, when the file cannot be used; nothing is kept from then on. A process warning where absent. */
  readonly onError?: (failure: FailureError) => void;
}

/** A {@link PageCache} that can be closed. */
export interface OpenedPageCache extends PageCache {
  /** Writes what waits and lets go of the file. */
  close(): Promise<void>;
}

/**
 * Opens, or makes, a page cache in a file of its own, which outlives the process and which several may share. A thread,
 * started with the first page, reads and writes it. What cannot be read or written is not kept, and fails nobody.
 *
 * @example
 * ```ts
 * const cache = openPageCache({ file: ".windlass/pages.db" });
 * const pages = createPages({ door, cache });
 * await cache.close();
 * ```
 */
export function openPageCache(options: PageCacheOptions): OpenedPageCache {
  return new SqlitePages(options);
}

const day = 86_400_000;

class SqlitePages implements OpenedPageCache {
  readonly #thread: LazyThread<PageOps>;
  readonly #room: PageRoom;
  readonly #scope: string;
  readonly #clock: Clock;
  readonly #onError: (failure: FailureError) => void;
  #off = false;

  constructor({ file, scope = "", maxBytes = 64 * 2 ** 20, maxAgeMs = 30 * day, ...options }: PageCacheOptions) {
    const { clock = systemClock, onError = warn } = options;
    this.#thread = new LazyThread({ url: workerUrl("page-cache-worker"), file: resolve(file), clock });
    this.#room = { maxBytes, maxAgeMs };
    this.#scope = scope;
    this.#clock = clock;
    this.#onError = onError;
  }

  get(url: string): Promise<StoredPage | undefined> {
    const { maxAgeMs } = this.#room;
    return this.#try(() => this.#thread.call("get", { key: this.#key(url), now: this.#clock.now(), maxAgeMs }));
  }

  /** Nobody waits for the disk: the thread does one thing after another, and a later `get` finds what was set. */
  set(url: string, page: StoredPage): Promise<void> {
    const body = { key: this.#key(url), now: this.#clock.now(), page, room: this.#room };
    void this.#try(() => this.#thread.call("set", body));
    return Promise.resolve();
  }

  delete(url: string): Promise<void> {
    void this.#try(() => this.#thread.call("delete", { key: this.#key(url) }));
    return Promise.resolve();
  }

  async clear(): Promise<void> {
    await this.#try(() => this.#thread.call("clear", null));
  }

  async close(): Promise<void> {
    this.#off = true;
    await this.#thread.close();
  }

  /** Addresses may hold what is nobody's business. */
  #key(url: string): string {
    return nodeCrypto().hash("sha256", JSON.stringify([this.#scope, url]), "base64url");
  }

  /** Whoever wanted a page has nothing to do with what somebody else makes of this. */
  #tell(failure: FailureError): void {
    try {
      this.#onError(failure);
    } catch (thrown) {
      process.emitWarning(`onError of the page cache threw: ${String(thrown)}`);
    }
  }

  /** Whatever is wrong with the file, besides a lock that somebody else holds, ends its use. */
  async #try<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.#off) return undefined;
    try {
      return await work();
    } catch (error) {
      // What was under way when it was closed, or failed together with what was told already, is told nobody.
      if (!isFailureError(error) || error.reason === "busy" || this.#off) return undefined;
      this.#off = true;
      this.#tell(error);
      return undefined;
    }
  }
}

function warn(failure: FailureError): void {
  process.emitWarning(`pages are fetched without a cache: ${failure.message}`, {
    type: "WindlassStoreWarning",
    code: failure.code,
  });
}
