import { resolve } from "node:path";
import { type Clock, type FailureError, isFailureError, nodeCrypto, systemClock } from "../../../base/index.ts";
import type { PageCache, StoredPage } from "../../../store/index.ts";
import { failureListener } from "../database/store-failure.ts";
import { LazyThread, workerUrl } from "../thread/lazy-thread.ts";
import type { PageOps, PageCacheLimits } from "./page-ops.ts";

/** Options of {@link openPageCache}. */
export interface PageCacheOptions {
  /** The database file; it and its folder are created with the first page, readable by this user only. */
  readonly file: string;
  /**
   * Pages stored under another scope are not found: a caller with narrower access must not see pages that others
   * fetched.
   */
  readonly scope?: string;
  /** Maximum size of all pages. Default: 64 MiB. */
  readonly maxBytes?: number;
  /** Age after which a page that no server has confirmed is removed. Default: 30 days. */
  readonly maxAgeMs?: number;
  readonly clock?: Clock;
  /** Called once, when the file cannot be used; nothing is stored from then on. Default: a process warning. */
  readonly onError?: (failure: FailureError) => void;
}

/** A {@link PageCache} that can be closed. */
export interface OpenedPageCache extends PageCache {
  /** Writes pending pages and closes the file. */
  close(): Promise<void>;
}

/**
 * Opens or creates a page cache in a separate file, which outlives the process and can be shared by several. A thread,
 * started with the first page, reads and writes it. A page that cannot be read or written is not cached, and no caller
 * fails.
 *
 * @example
 * ```ts
 * const cache = openPageCache({ file: ".windlass/pages.db" });
 * const pages = createPageReader({ http, cache });
 * await cache.close();
 * ```
 */
export function openPageCache(options: PageCacheOptions): OpenedPageCache {
  return new SqlitePages(options);
}

const day = 86_400_000;

class SqlitePages implements OpenedPageCache {
  readonly #thread: LazyThread<PageOps>;
  readonly #limits: PageCacheLimits;
  readonly #scope: string;
  readonly #clock: Clock;
  readonly #onError: (failure: FailureError) => void;
  #off = false;

  constructor({ file, scope = "", maxBytes = 64 * 2 ** 20, maxAgeMs = 30 * day, ...options }: PageCacheOptions) {
    const { clock = systemClock } = options;
    this.#thread = new LazyThread({ url: workerUrl("page-cache-worker"), file: resolve(file), clock });
    this.#limits = { maxBytes, maxAgeMs };
    this.#scope = scope;
    this.#clock = clock;
    this.#onError = failureListener("the page cache", options.onError, "pages are fetched without a cache: ");
  }

  get(url: string): Promise<StoredPage | undefined> {
    const { maxAgeMs } = this.#limits;
    return this.#try(() => this.#thread.call("get", { key: this.#key(url), now: this.#clock.now(), maxAgeMs }));
  }

  /** Does not wait for the disk: the thread works in order, so a later `get` finds the page. */
  set(url: string, page: StoredPage): Promise<void> {
    const body = { key: this.#key(url), now: this.#clock.now(), page, room: this.#limits };
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

  /** Hashed, since URLs may contain confidential data. */
  #key(url: string): string {
    return nodeCrypto().hash("sha256", JSON.stringify([this.#scope, url]), "base64url");
  }

  /** Any failure of the file, except a lock held by another process, disables the cache. */
  async #try<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.#off) return undefined;
    try {
      return await work();
    } catch (error) {
      // Failures after closing, and further ones after the first report, are not reported.
      if (!isFailureError(error) || error.reason === "busy" || this.#off) return undefined;
      this.#off = true;
      this.#onError(error);
      return undefined;
    }
  }
}
