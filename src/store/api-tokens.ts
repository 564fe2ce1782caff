import { fail } from "../base/index.ts";

/** A token of the HTTP API that is about to be stored. */
export interface NewApiToken {
  readonly id: string;
  /** SHA-256 of the token. The token itself is not stored. */
  readonly hash: string;
  /** The principal of its requests. */
  readonly name: string;
  readonly scopes: readonly string[];
  /** The only run that it opens. Default: all. */
  readonly runId?: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** Default: it does not expire. */
  readonly expiresAt?: number;
}

/** A stored token. */
export interface ApiToken extends NewApiToken {
  readonly revokedAt?: number;
  /** Its last request, with a precision of about a minute. */
  readonly lastUsedAt?: number;
}

/** State of a token: only an active one opens anything. */
export type ApiTokenState = "active" | "expired" | "revoked";

/** The state of a token at a time. */
export function apiTokenStateAt({ revokedAt, expiresAt }: ApiToken, now: number): ApiTokenState {
  if (revokedAt !== undefined) return "revoked";
  return expiresAt !== undefined && now >= expiresAt ? "expired" : "active";
}

/**
 * Stores the tokens of the HTTP API, so that all servers of a workspace agree on them. Every implementation passes
 * `test/conformance/api-token-store.ts`.
 */
export interface ApiTokenStore {
  /** Adds a token; durable when it resolves. Rejects an id that exists. */
  add(token: NewApiToken): Promise<void>;
  /** Returns a token in any state. */
  get(id: string): Promise<ApiToken | undefined>;
  /** Newest first. */
  list(): Promise<readonly ApiToken[]>;
  /** Revokes a token; the first revocation counts. Returns the token, or undefined if the id is unknown. */
  revoke(id: string, at: number): Promise<ApiToken | undefined>;
  /** Records the time of a request; an earlier time than the recorded one has no effect. */
  used(id: string, at: number): Promise<void>;
}

/** Stores tokens in memory, for one process. */
export function createInMemoryApiTokens(): ApiTokenStore {
  return new InMemoryApiTokens();
}

class InMemoryApiTokens implements ApiTokenStore {
  /** Oldest first. */
  readonly #tokens = new Map<string, ApiToken>();

  async add({ scopes, ...token }: NewApiToken): Promise<void> {
    if (this.#tokens.has(token.id)) throw fail(`there is already a token ${token.id}`, { code: "store_failed" });
    this.#tokens.set(token.id, { ...token, scopes: [...scopes] });
  }

  async get(id: string): Promise<ApiToken | undefined> {
    return this.#tokens.get(id);
  }

  async list(): Promise<readonly ApiToken[]> {
    return [...this.#tokens.values()].reverse();
  }

  async revoke(id: string, at: number): Promise<ApiToken | undefined> {
    const token = this.#tokens.get(id);
    if (token !== undefined && token.revokedAt === undefined) this.#tokens.set(id, { ...token, revokedAt: at });
    return this.#tokens.get(id);
  }

  async used(id: string, at: number): Promise<void> {
    const token = this.#tokens.get(id);
    if (token !== undefined && at > (token.lastUsedAt ?? 0)) this.#tokens.set(id, { ...token, lastUsedAt: at });
  }
}
