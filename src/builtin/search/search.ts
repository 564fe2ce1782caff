import { type Clock, type Failure, FailureError, isFailureError, systemClock } from "../../base/index.ts";
import { type ResultCache, createMemoryCache } from "../../store/index.ts";
import { searchMs } from "./ask-provider.ts";
import { Breaker } from "./breaker.ts";
import { cleanResults } from "./clean-results.ts";
import { RateBucket } from "./rate-bucket.ts";
import type { SearchProvider, SearchResult } from "./search-provider.ts";
import { searchFailure } from "./search-reasons.ts";

/** What {@link createSearch} takes. */
export interface SearchOptions {
  /** Asked in this order: the first that is configured and finds something answers. */
  readonly providers: readonly SearchProvider[];
  /** Answers kept for a while; in memory where absent. */
  readonly cache?: ResultCache;
  /** How long an answer is kept; 10 minutes where absent. */
  readonly cacheMs?: number;
  /** Requests to each provider; 30 where neither this nor the provider says so. */
  readonly perMinute?: number;
  readonly clock?: Clock;
}

/** One question. */
export interface SearchRequest {
  readonly query: string;
  /** 5 where absent. */
  readonly count?: number;
  /** Names the call that asks; where it asks again, all its failures count as one. */
  readonly call?: string;
  readonly signal?: AbortSignal;
}

/** What was found, and by whom. */
export interface SearchAnswer {
  readonly results: readonly SearchResult[];
  readonly provider: string;
  /** The answer was kept from before. */
  readonly cached: boolean;
}

/** Searches by whoever can be asked. */
export interface Search {
  search(request: SearchRequest): Promise<SearchAnswer>;
  /** Which providers can be asked, and what to set for the others. */
  status(): readonly { readonly name: string; readonly missing: readonly string[] }[];
}

/** How long a call waits for its turn at a provider. */
const longestWaitMs = 2000;
const mostResults = 50;
const longestQuery = 2000;

/**
 * Searches over providers in order, each with a rate, a breaker and a cache of its own. An empty list means that
 * somebody looked and found nothing; whoever is blocked, broken or not set up is a failure with a reason.
 *
 * @example
 * ```ts
 * const search = createSearch({ providers: [searxngProvider({ door, baseUrl: "http://127.0.0.1:8888" })] });
 * const { results } = await search.search({ query: "tide tables", count: 3 });
 * ```
 */
export function createSearch(options: SearchOptions): Search {
  return new OrderedSearch(options);
}

interface Asked {
  readonly provider: SearchProvider;
  readonly breaker: Breaker;
  readonly bucket: RateBucket;
  /** Why it failed last. */
  lastFailure?: FailureError;
}

interface Question {
  readonly query: string;
  readonly count: number;
  readonly call: string | undefined;
  readonly signal: AbortSignal;
}

interface Told {
  readonly name: string;
  readonly failure: Failure;
  readonly error: FailureError;
}

class OrderedSearch implements Search {
  readonly #asked: readonly Asked[];
  readonly #cache: ResultCache;
  readonly #cacheMs: number;
  readonly #clock: Clock;

  constructor({ providers, cache, cacheMs = 600_000, perMinute = 30, clock = systemClock }: SearchOptions) {
    this.#asked = providers.map((provider) => ({
      provider,
      breaker: new Breaker(),
      bucket: new RateBucket(provider.perMinute ?? perMinute),
    }));
    this.#cache = cache ?? createMemoryCache({ maxBytes: 4 * 2 ** 20, maxEntries: 1000 });
    this.#cacheMs = cacheMs;
    this.#clock = clock;
  }

  status(): readonly { readonly name: string; readonly missing: readonly string[] }[] {
    return this.#asked.map(({ provider }) => {
      const configured = provider.configured();
      return { name: provider.name, missing: configured === true ? [] : configured.missing };
    });
  }

  async search(request: SearchRequest): Promise<SearchAnswer> {
    const question = readQuestion(request);
    const usable = this.#asked.filter(({ provider }) => provider.configured() === true);
    if (usable.length === 0) throw this.#notConfigured();
    const failed: Told[] = [];
    let nothing: SearchAnswer | undefined;
    for (const asked of usable) {
      try {
        const answer = await this.#ask(asked, question);
        if (answer.results.length > 0) return answer;
        nothing ??= answer;
      } catch (error) {
        if (!isFailureError(error) || error.code === "cancelled") throw error;
        failed.push({ name: asked.provider.name, failure: error.toFailure("safe"), error });
      }
    }
    if (nothing !== undefined) return nothing;
    throw allFailed(failed);
  }

  async #ask(asked: Asked, question: Question): Promise<SearchAnswer> {
    const { provider } = asked;
    const { query, count } = question;
    const key = JSON.stringify(["search", provider.name, query, count]);
    const kept = provider.local === true ? undefined : this.#cache.get(key, this.#clock.now());
    // Written below, by nobody else.
    if (kept !== undefined) {
      return { results: JSON.parse(kept) as SearchResult[], provider: provider.name, cached: true };
    }
    const raw = provider.local === true ? await provider.search(question) : await this.#guarded(asked, question);
    const results = cleanResults(raw, { count, schemes: provider.schemes });
    if (raw.length > 0 && results.length === 0) {
      throw searchFailure("bad_answer", `no result of ${provider.name} has an address that can be fetched`);
    }
    const now = this.#clock.now();
    if (provider.local !== true && results.length > 0) {
      this.#cache.set(key, JSON.stringify(results), now + this.#cacheMs, now);
    }
    return { results, provider: provider.name, cached: false };
  }

  async #guarded(asked: Asked, question: Question): Promise<readonly SearchResult[]> {
    const { provider, breaker, bucket } = asked;
    const restMs = breaker.enter(this.#clock.elapsed());
    if (restMs > 0) throw resting(asked, restMs);
    try {
      await this.#turn(provider.name, bucket, question.signal);
      const results = await provider.search(question);
      breaker.succeed();
      return results;
    } catch (error) {
      throw this.#note(asked, error, question.call);
    }
  }

  async #turn(name: string, bucket: RateBucket, signal: AbortSignal): Promise<void> {
    for (let waited = 0; ;) {
      const waitMs = bucket.take(this.#clock.elapsed());
      if (waitMs === 0) return;
      if (waited + waitMs > longestWaitMs) {
        throw searchFailure("rate_limited", `${name} is asked as often as it may be; try again later`, {
          retryAfterMs: waitMs,
        });
      }
      await pass(this.#clock, waitMs, signal);
      waited += waitMs;
    }
  }

  /** Only what tells something about the provider counts against it. Gives what to say of it. */
  #note(asked: Asked, error: unknown, call: string | undefined): unknown {
    const { breaker } = asked;
    const failure = isFailureError(error) ? error.toFailure("safe") : undefined;
    if (failure !== undefined && !againstProvider.has(failure.reason ?? "")) {
      breaker.forget();
      return error;
    }
    const waitMs = failure?.reason === "blocked" ? failure.retryAfterMs : undefined;
    const restMs = breaker.fail(this.#clock.elapsed(), { call, waitMs });
    if (!isFailureError(error) || failure === undefined) return error;
    asked.lastFailure = error;
    if (restMs === 0) return error;
    // Nobody gets an answer before the rest is over, whatever the provider itself would say.
    const { message, ...said } = failure;
    return new FailureError(message, { ...said, retryAfterMs: Math.ceil(restMs), cause: error });
  }

  #notConfigured(): FailureError {
    const ways = this.status().map(({ name, missing }) => `${name}: set ${missing.join(" and ")}`);
    const todo = ways.length === 0 ? "" : `; set up one of these:${ways.map((way) => `\n- ${way}`).join("")}`;
    return searchFailure("not_configured", `no search provider is set up${todo}`, {
      forModel: "web search is not set up here; go on without it",
    });
  }
}

const againstProvider: ReadonlySet<string> = new Set(["blocked", "bad_answer", "provider_error", "provider_slow"]);

function resting({ provider: { name }, lastFailure }: Asked, restMs: number): FailureError {
  const again = `${name} is left alone after it failed, and asked again in ${Math.ceil(restMs / 1000)} s`;
  const words = (why: string | undefined): string => (why === undefined ? again : `${again}; last it said: ${why}`);
  const last = lastFailure?.toFailure("safe");
  return searchFailure("resting", words(last?.message), {
    forModel: words(last?.forModel),
    // Longer than a search, so that none sits out the rest: its caller may have something better to do.
    retryAfterMs: Math.max(searchMs, Math.ceil(restMs)),
    cause: lastFailure,
  });
}

function readQuestion({ query, count = 5, signal, call }: SearchRequest): Question {
  const text = query.replaceAll(/\s+/g, " ").trim().slice(0, longestQuery).toWellFormed();
  if (text === "") throw searchFailure("empty_query", "there is nothing to search for; write a query of a few words");
  return {
    query: text,
    call,
    count: Math.min(mostResults, Math.max(1, Math.trunc(count) || 1)),
    signal: signal ?? new AbortController().signal,
  };
}

function allFailed(failed: readonly Told[]): FailureError {
  const [first] = failed;
  if (failed.length === 1 && first !== undefined) return first.error;
  const waits = failed.flatMap(({ failure }) => failure.retryAfterMs ?? []);
  // Whoever kept a search waiting would do so again, however soon the others may be asked.
  const isLate = failed.some(({ failure }) => failure.code === "timeout");
  const list = (words: (failure: Failure) => string): string =>
    failed.map(({ name, failure }) => `\n- ${name}: ${words(failure)} (${failure.reason ?? failure.code})`).join("");
  return searchFailure("all_failed", `no search provider could answer:${list(({ message }) => message)}`, {
    forModel: `no search provider could answer:${list(({ forModel }) => forModel)}`,
    retry: failed.some(({ failure }) => failure.retry === "safe") ? "safe" : "never",
    ...((isLate || waits.length === failed.length) && { retryAfterMs: Math.min(...waits) }),
  });
}

function pass(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(ms, () => {
      signal.removeEventListener("abort", quit);
      resolve();
    });
    const quit = (): void => {
      timer.cancel();
      reject(searchFailure("aborted", "the search was cancelled", { cause: signal.reason }));
    };
    if (signal.aborted) quit();
    else signal.addEventListener("abort", quit, { once: true });
  });
}
