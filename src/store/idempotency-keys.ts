/** A response as it was sent, so that it can be sent again. */
export interface StoredResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The first request with an idempotency key. */
export interface NewKeyedRequest {
  /** Identifies the key, with everything that it belongs to: a hash, since keys may be confidential. */
  readonly id: string;
  /** A hash of the request: another request with the same key differs from it. */
  readonly fingerprint: string;
  /** The id of the work that the request starts. It is fixed before the work begins, so that it begins once. */
  readonly workId: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** After this time, the key is free. */
  readonly expiresAt: number;
}

/** A stored request with an idempotency key. */
export interface KeyedRequest extends NewKeyedRequest {
  /** True once its work was started, which a store of runs may have removed since. */
  readonly isStarted: boolean;
  /** Undefined until its work has ended. */
  readonly response?: StoredResponse;
}

/**
 * Stores requests with idempotency keys, so that all servers of a workspace start the work of a key once. Removes what has
 * expired. Every implementation passes `test/conformance/idempotency-key-store.ts`.
 */
export interface IdempotencyKeyStore {
  /**
   * Adds a request, durable when it resolves; or returns the one that has its id and has not expired at the time of the
   * new one. Of concurrent requests, in any process, one is new.
   */
  begin(request: NewKeyedRequest): Promise<{ readonly request: KeyedRequest; readonly isNew: boolean }>;
  /** Records that the work was started. No effect if the key has other work already. */
  started(id: string, workId: string): Promise<void>;
  /** Stores the response; the first one counts. No effect if the key has other work already. */
  complete(id: string, workId: string, response: StoredResponse): Promise<void>;
}

/** Stores requests with idempotency keys in memory, for one process. */
export function createInMemoryIdempotencyKeys(): IdempotencyKeyStore {
  return new InMemoryIdempotencyKeys();
}

class InMemoryIdempotencyKeys implements IdempotencyKeyStore {
  /** Oldest first. */
  readonly #requests = new Map<string, KeyedRequest>();

  async begin(request: NewKeyedRequest): Promise<{ readonly request: KeyedRequest; readonly isNew: boolean }> {
    this.#removeExpired(request.createdAt);
    const existing = this.#requests.get(request.id);
    if (existing !== undefined && existing.expiresAt > request.createdAt) return { request: existing, isNew: false };
    const added = { ...request, isStarted: false };
    this.#requests.delete(request.id);
    this.#requests.set(request.id, added);
    return { request: added, isNew: true };
  }

  async started(id: string, workId: string): Promise<void> {
    this.#change(id, workId, (request) => ({ ...request, isStarted: true }));
  }

  async complete(id: string, workId: string, response: StoredResponse): Promise<void> {
    this.#change(id, workId, (request) => ({ response, ...request, isStarted: true }));
  }

  #change(id: string, workId: string, change: (request: KeyedRequest) => KeyedRequest): void {
    const request = this.#requests.get(id);
    if (request?.workId === workId) this.#requests.set(id, change(request));
  }

  /** All keys are retained for about the same time, so the first ones expire first. */
  #removeExpired(now: number): void {
    for (const { id, expiresAt } of this.#requests.values()) {
      if (expiresAt > now) return;
      this.#requests.delete(id);
    }
  }
}
