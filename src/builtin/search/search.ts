import {
  CircuitBreaker,
  type Clock,
  type Failure,
  FailureError,
  isFailureError,
  sleep,
  systemClock,
} from "../../base/index.ts";
import { type ResultCache, createInMemoryResultCache } from "../../store/index.ts";
import { searchMs } from "./fetch-provider.ts";
import { cleanResults } from "./clean-results.ts";
import type { SearchQuery, SearchProvider, SearchResult } from "./search-provider.ts";
import { searchFailure } from "./search-reasons.ts";

/** Options of {@link createSearch}. */
export interface SearchOptions {
  /** Providers in order of preference: the first that is configured and finds something wins. */
  readonly providers: readonly SearchProvider[];
  /** Cache of results. Default: in memory. */
  readonly cache?: ResultCache;
  /** Lifetime of a cached result. Default: 10 minutes. */
  readonly cacheMs?: number;
  /** Requests per minute to each provider that sets no limit. Default: 30. */
  readonly perMinute?: number;
  readonly clock?: Clock;
}

/** A search request. */
export interface SearchRequest {
  readonly query: string;
  /** Number of results. Default: 5. */
  readonly count?: number;
  /** Id of the calling tool call; all failures of its retries count as one. */
  readonly call?: string;
  readonly signal?: AbortSignal;
}

/** Search results and the provider that returned them. */
export interface SearchResponse {
  readonly results: readonly SearchResult[];
  readonly provider: string;
  /** The results come from the cache. */
  readonly cached: boolean;
}

/** Searches with the first provider that can answer. */
export interface SearchService {
  search(request: SearchRequest): Promise<SearchResponse>;
  /** Lists the providers, with the missing settings of those that are not configured. */
  status(): readonly { readonly name: string; readonly missing: readonly string[] }[];
}

/** Maximum wait for the rate limit of a provider. */
const maxWaitMs = 2000;
const maxResults = 50;
const maxQueryLength = 2000;

/**
 * Searches over providers in order, each with its own rate limit, breaker and cache. An empty list means that a
 * provider found nothing; a provider that is blocked, broken or not configured is a failure with a reason.
 *
 * @example
 * ```ts
 * const search = createSearch({ providers: [searxngProvider({ http, baseUrl: "http://127.0.0.1:8888" })] });
 * const { results } = await search.search({ query: "tide tables", count: 3 });
 * ```
 */
export function createSearch(options: SearchOptions): SearchService {
  return new OrderedSearch(options);
}

interface ProviderState {
  readonly provider: SearchProvider;
  readonly breaker: CircuitBreaker;
  readonly bucket: RateBucket;
  /** Why it failed last. */
  lastFailure?: FailureError;
}

interface CheckedSearch extends SearchQuery {
  readonly call: string | undefined;
}

interface ProviderReport {
  readonly name: string;
  readonly failure: Failure;
  readonly error: FailureError;
}

class OrderedSearch implements SearchService {
  readonly #providers: readonly ProviderState[];
  readonly #cache: ResultCache;
  readonly #cacheMs: number;
  readonly #clock: Clock;

  constructor({ providers, cache, cacheMs = 600_000, perMinute = 30, clock = systemClock }: SearchOptions) {
    this.#providers = providers.map((provider) => ({
      provider,
      breaker: new CircuitBreaker(),
      bucket: new RateBucket(provider.perMinute ?? perMinute),
    }));
    this.#cache = cache ?? createInMemoryResultCache({ maxBytes: 4 * 2 ** 20, maxEntries: 1000 });
    this.#cacheMs = cacheMs;
    this.#clock = clock;
  }

  status(): readonly { readonly name: string; readonly missing: readonly string[] }[] {
    return this.#providers.map(({ provider }) => {
      const configured = provider.configured();
      return { name: provider.name, missing: configured === true ? [] : configured.missing };
    });
  }

  async search(request: SearchRequest): Promise<SearchResponse> {
    const checked = checkSearchRequest(request);
    const usable = this.#providers.filter(({ provider }) => provider.configured() === true);
    if (usable.length === 0) throw this.#notConfigured();
    const failed: ProviderReport[] = [];
    let nothing: SearchResponse | undefined;
    for (const state of usable) {
      try {
        const answer = await this.#searchProvider(state, checked);
        if (answer.results.length > 0) return answer;
        nothing ??= answer;
      } catch (error) {
        if (!isFailureError(error) || error.code === "cancelled") throw error;
        failed.push({ name: state.provider.name, failure: error.toFailure("safe"), error });
      }
    }
    if (nothing !== undefined) return nothing;
    throw allFailed(failed);
  }

  async #searchProvider(state: ProviderState, checked: CheckedSearch): Promise<SearchResponse> {
    const { provider } = state;
    const { query, count } = checked;
    const key = JSON.stringify(["search", provider.name, query, count]);
    const stored = provider.local === true ? undefined : this.#cache.get(key, this.#clock.now());
    // Only the code below writes these entries.
    if (stored !== undefined) {
      return { results: JSON.parse(stored) as SearchResult[], provider: provider.name, cached: true };
    }
    const raw = provider.local === true ? await provider.search(checked) : await this.#guarded(state, checked);
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

  async #guarded(state: ProviderState, checked: CheckedSearch): Promise<readonly SearchResult[]> {
    const { provider, breaker, bucket } = state;
    const coolDownMs = breaker.coolDownMs(this.#clock.elapsed());
    if (coolDownMs > 0) throw coolingDownFailure(state, coolDownMs);
    breaker.enter();
    try {
      await this.#turn(provider.name, bucket, checked.signal);
      const results = await provider.search(checked);
      // A request that began before the cool-down proves nothing about the time after it.
      if (breaker.waitMs(this.#clock.elapsed()) === 0) breaker.succeeded();
      return results;
    } catch (error) {
      throw this.#note(state, error, checked.call);
    }
  }

  async #turn(name: string, bucket: RateBucket, signal: AbortSignal): Promise<void> {
    for (let waited = 0; ;) {
      const waitMs = bucket.take(this.#clock.elapsed());
      if (waitMs === 0) return;
      if (waited + waitMs > maxWaitMs) {
        throw searchFailure("rate_limited", `the rate limit of ${name} is reached; try again later`, {
          retryAfterMs: waitMs,
        });
      }
      await sleep(this.#clock, waitMs, signal, () =>
        searchFailure("aborted", "the search was cancelled", { cause: signal.reason }),
      );
      waited += waitMs;
    }
  }

  /** Counts failures that are the provider's own. Returns the error to report. */
  #note(state: ProviderState, error: unknown, call: string | undefined): unknown {
    const { breaker } = state;
    const failure = isFailureError(error) ? error.toFailure("safe") : undefined;
    if (failure !== undefined && !againstProvider.has(failure.reason ?? "")) {
      breaker.ignored();
      return error;
    }
    const waitMs = failure?.reason === "blocked" ? failure.retryAfterMs : undefined;
    const coolDownMs = breaker.failed(this.#clock.elapsed(), { call, waitMs });
    if (!isFailureError(error) || failure === undefined) return error;
    state.lastFailure = error;
    if (coolDownMs === 0) return error;
    // No request is sent before the cool-down ends, regardless of the provider's own Retry-After.
    const { message, ...content } = failure;
    return new FailureError(message, { ...content, retryAfterMs: Math.ceil(coolDownMs), cause: error });
  }

  #notConfigured(): FailureError {
    return searchFailure("not_configured", noProviderMessage(this.status()), {
      forModel: "web search is not configured here; continue without it",
    });
  }
}

/** States that no provider is configured, and what to set. */
export function noProviderMessage(status: ReturnType<SearchService["status"]>): string {
  const ways = status.map(({ name, missing }) => `${name}: set ${missing.join(" and ")}`);
  const todo = ways.length === 0 ? "" : `; set up one of these:${ways.map((way) => `\n- ${way}`).join("")}`;
  return `no search provider is set up${todo}`;
}

const againstProvider: ReadonlySet<string> = new Set(["blocked", "bad_answer", "provider_error", "provider_slow"]);

function coolingDownFailure({ provider: { name }, lastFailure }: ProviderState, coolDownMs: number): FailureError {
  const again = `${name} failed repeatedly and is cooling down; the next attempt is in ${Math.ceil(coolDownMs / 1000)} s`;
  const words = (why: string | undefined): string => (why === undefined ? again : `${again}; last failure: ${why}`);
  const last = lastFailure?.toFailure("safe");
  return searchFailure("cooling_down", words(last?.message), {
    forModel: words(last?.forModel),
    // Longer than a search, so that no call waits for the end of the cool-down: its caller may have an alternative.
    retryAfterMs: Math.max(searchMs, Math.ceil(coolDownMs)),
    cause: lastFailure,
  });
}

function checkSearchRequest({ query, count = 5, signal, call }: SearchRequest): CheckedSearch {
  const text = query.replaceAll(/\s+/g, " ").trim().slice(0, maxQueryLength).toWellFormed();
  if (text === "") throw searchFailure("empty_query", "there is nothing to search for; write a query of a few words");
  return {
    query: text,
    call,
    count: Math.min(maxResults, Math.max(1, Math.trunc(count) || 1)),
    signal: signal ?? new AbortController().signal,
  };
}

function allFailed(failed: readonly ProviderReport[]): FailureError {
  const [first] = failed;
  if (failed.length === 1 && first !== undefined) return first.error;
  const waits = failed.flatMap(({ failure }) => failure.retryAfterMs ?? []);
  // A provider that timed out would do so again, even if the others may be retried sooner.
  const isLate = failed.some(({ failure }) => failure.code === "timeout");
  const list = (words: (failure: Failure) => string): string =>
    failed.map(({ name, failure }) => `\n- ${name}: ${words(failure)} (${failure.reason ?? failure.code})`).join("");
  return searchFailure("all_failed", `no search provider could answer:${list(({ message }) => message)}`, {
    forModel: `no search provider could answer:${list(({ forModel }) => forModel)}`,
    retry: failed.some(({ failure }) => failure.retry === "safe") ? "safe" : "never",
    ...((isLate || waits.length === failed.length) && { retryAfterMs: Math.min(...waits) }),
  });
}

/** Token bucket: allows a short burst and a fixed number of requests per minute on average. */
export class RateBucket {
  readonly #perMs: number;
  readonly #max: number;
  #tokens: number;
  #filledAt = -Infinity;

  constructor(perMinute: number) {
    this.#perMs = perMinute / 60_000;
    this.#max = Math.max(1, Math.floor(perMinute / 10));
    this.#tokens = this.#max;
  }

  /** Takes a token, or returns the milliseconds until there is one. */
  take(now: number): number {
    const filled = Number.isFinite(this.#filledAt) ? (now - this.#filledAt) * this.#perMs : 0;
    this.#tokens = Math.min(this.#max, this.#tokens + Math.max(0, filled));
    this.#filledAt = now;
    // Sums of fractions may fall short of a whole token by next to nothing.
    if (this.#tokens < 1 - 1e-9) return Math.ceil((1 - this.#tokens) / this.#perMs - 1e-6);
    this.#tokens = Math.max(0, this.#tokens - 1);
    return 0;
  }
}
