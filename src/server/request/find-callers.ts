import type { Scope } from "../../api/index.ts";
import type { ApiTokens } from "../../app/index.ts";
import { type Clock, LruMap, fail, nodeCrypto } from "../../base/index.ts";
import { type Caller, type FindCaller, type TokenRefusal, allScopes } from "./caller.ts";

/** A token with some scopes. */
export interface ScopedToken {
  readonly token: string;
  readonly scopes: readonly Scope[];
}

/** Tokens by the names of their principals; a token alone has all scopes. */
export type StaticTokens = Readonly<Record<string, string | ScopedToken>>;

const shortestToken = 16;

/** Finds callers by the tokens of the settings, then by those of the workspace. */
export function findCallers(tokens: StaticTokens, stored: ApiTokens): FindCaller {
  const findStatic = staticCallers(tokens);
  return (token) => findStatic(token) ?? findStored(stored, token);
}

/** Tokens are compared by their hashes, in constant time. */
function staticCallers(tokens: StaticTokens): (token: string) => Caller | undefined {
  const known = Object.entries(tokens).map(([principal, entry]) => {
    const { token, scopes } = typeof entry === "string" ? { token: entry, scopes: allScopes } : entry;
    if (token.length < shortestToken || /\s/.test(token))
      throw fail(`the token "${principal}" needs at least ${shortestToken} characters, none of them blank`, {
        code: "validation_error",
      });
    const caller: Caller = { principal, tokenId: `static/${principal}`, scopes: new Set(scopes) };
    return { hash: hashOf(token), caller };
  });
  return (token) => {
    const hash = hashOf(token);
    return known.find((each) => nodeCrypto().timingSafeEqual(each.hash, hash))?.caller;
  };
}

/** Interval between two records of the use of a token. */
const usedEveryMs = 60_000;

async function findStored(tokens: ApiTokens, text: string): Promise<Caller | TokenRefusal> {
  const token = await tokens.find(text);
  if (token === undefined) return "unknown";
  const state = tokens.stateOf(token);
  if (state !== "active") return state;
  const { id, name: principal, scopes, runId, lastUsedAt = 0 } = token;
  // Without waiting: a request does not fail because its time cannot be stored.
  if (Date.now() - lastUsedAt > usedEveryMs) tokens.used(token).catch(() => {});
  // Written by `create`; a scope of a newer version opens nothing here.
  return { principal, tokenId: `stored/${id}`, scopes: new Set(scopes as readonly Scope[]), runId };
}

/** A revoked token opens nothing after this time, also if another process revoked it. */
const freshMs = 500;
const maxTokens = 1_000;

/** Finds callers, and remembers for a moment whom it found, so that most requests read no database. */
export class CallerCache {
  readonly #find: FindCaller;
  readonly #clock: Pick<Clock, "elapsed">;
  /** By hashes of tokens. */
  readonly #found = new LruMap<{ readonly at: number; readonly caller: Caller }>({ maxEntries: maxTokens });
  readonly #pending = new Map<string, Promise<Caller | TokenRefusal>>();

  constructor(find: FindCaller, clock: Pick<Clock, "elapsed">) {
    this.#find = find;
    this.#clock = clock;
  }

  /**
   * Finds the caller of a token. Concurrent requests with one token share one check.
   *
   * @param check Called before a token is checked that was not valid before; may throw.
   */
  async find(token: string, check: { before(): void; refused(): void }): Promise<Caller | TokenRefusal> {
    const key = hashOf(token).toString("base64");
    const found = this.#found.get(key);
    if (found !== undefined && this.#clock.elapsed() - found.at < freshMs) return found.caller;
    const pending = this.#pending.get(key);
    if (pending !== undefined) return pending;
    if (found === undefined) check.before();
    const checked = this.#check(key, token);
    this.#pending.set(key, checked);
    try {
      const caller = await checked;
      if (typeof caller === "string") check.refused();
      return caller;
    } finally {
      this.#pending.delete(key);
    }
  }

  async #check(key: string, token: string): Promise<Caller | TokenRefusal> {
    // Read before: what changes while it is checked is seen by the next check.
    const at = this.#clock.elapsed();
    const caller = await this.#find(token);
    if (typeof caller === "string") this.#found.delete(key);
    else this.#found.set(key, { at, caller });
    return caller;
  }
}

function hashOf(token: string): Buffer {
  return nodeCrypto().createHash("sha256").update(token).digest();
}
