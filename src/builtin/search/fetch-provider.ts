import { type Clock, isFailureError, systemClock, textOrJson } from "../../base/index.ts";
import { type HttpClient, type HttpResponse, type RequestHeaders, retryAfterMs } from "../../net/index.ts";
import { cleanText } from "./clean-results.ts";
import type { SearchResult } from "./search-provider.ts";
import { searchFailure } from "./search-reasons.ts";

/** One request to a provider. */
interface ProviderRequest {
  readonly http: HttpClient;
  /** Name of the provider in messages. */
  readonly name: string;
  readonly url: URL;
  readonly headers?: RequestHeaders;
  readonly signal: AbortSignal;
  /** Messages for statuses with a special meaning at this provider. */
  readonly explain?: (status: number, text: string) => Error | undefined;
  readonly clock?: Clock;
}

/** A list of results has a few kilobytes. */
const maxProviderResponseBytes = 2 * 2 ** 20;
const timeoutMs = 10_000;

/** Time limit of a whole search, across all providers. */
export const searchMs = 30_000;

/**
 * Sends a request to a provider and returns the response as text. Every invalid response is a failure with its own
 * reason.
 */
export async function fetchProvider(request: ProviderRequest): Promise<string> {
  const { http, name, url, headers = {}, signal, explain, clock = systemClock } = request;
  let response: HttpResponse;
  try {
    response = await http.request({ url: url.href, headers, signal, timeoutMs, maxBytes: maxProviderResponseBytes });
  } catch (error) {
    throw unreached(error, name);
  }
  const text = new TextDecoder().decode(response.body);
  const { status } = response;
  if (status !== 200) throw explain?.(status, text) ?? statusFailure(response, name, clock.now());
  if (response.truncated) {
    throw searchFailure("bad_answer", `${name} answered with more than ${maxProviderResponseBytes} bytes`, {
      retry: "never",
    });
  }
  return text;
}

/** The answer of {@link fetchProvider}, as JSON. */
export async function fetchProviderJson(request: ProviderRequest): Promise<unknown> {
  const text = await fetchProvider(request);
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    const looks = /^\s*</.test(text) ? "an HTML page" : "something else";
    throw searchFailure("bad_answer", `${request.name} answered with ${looks} instead of JSON`, { cause });
  }
}

/** The list under some keys of a response; undefined if there is none. */
export function nestedList(answer: unknown, ...keys: readonly string[]): readonly unknown[] | undefined {
  const found = keys.reduce(memberOf, answer);
  return Array.isArray(found) ? found : undefined;
}

/** An own member of an object. */
export function memberOf(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[key];
}

/** A string member, or an empty string if there is none. */
export function textMember(value: unknown, key: string): string {
  const found = memberOf(value, key);
  return typeof found === "string" ? found : "";
}

/** Keys of an item for each field. */
type ItemKeys = Readonly<Record<"title" | "url" | "snippet", string>>;

/** The results in a list of unknown items. A list of nothing but nonsense is a bad answer, not an empty one. */
export function readItems(name: string, items: readonly unknown[] | undefined, keys: ItemKeys): SearchResult[] {
  if (items === undefined) throw searchFailure("bad_answer", `the answer of ${name} has no list of results`);
  const results = items.slice(0, 200).flatMap((item) => {
    const url = textMember(item, keys.url);
    return url === "" ? [] : [{ title: textMember(item, keys.title), url, snippet: textMember(item, keys.snippet) }];
  });
  if (results.length === 0 && items.length > 0) {
    throw searchFailure("bad_answer", `the results of ${name} have no addresses`);
  }
  return results;
}

/** Quotes a text of the provider in a message. */
export function quoteProviderText(word: unknown, max = 200): string {
  return cleanText(textOrJson(word), max);
}

/** Cool-down after a refusal: a client that retries at once is blocked for longer. */
export const blockedMs = 60_000;

/** The provider refuses this client, or its rate of requests. */
export function blockedFailure(name: string, why: string, waitMs: number = blockedMs): Error {
  return searchFailure("blocked", `${name} refuses to answer: ${why}`, { retryAfterMs: waitMs });
}

function statusFailure({ status, headers }: HttpResponse, name: string, now: number): Error {
  if (status === 429) {
    const header = headers["retry-after"];
    const waitMs = typeof header === "string" ? retryAfterMs(header, now) : undefined;
    return blockedFailure(name, "too many requests", waitMs);
  }
  if (status === 403) return blockedFailure(name, "it answered 403, as it does to programs that it blocks");
  if (status === 401) return searchFailure("bad_key", `${name} answered 401: it requires a key, or another one`);
  return searchFailure("provider_error", `${name} answered ${status}`, {
    retry: status >= 500 ? "safe" : "never",
  });
}

/** Converts a failure of the HTTP client to one of the provider; a policy refusal keeps its own message. */
function unreached(error: unknown, name: string): unknown {
  if (!isFailureError(error) || error.code === "cancelled") return error;
  if (error.code === "permission_denied" || error.code === "validation_error") return error;
  if (error.code === "timeout") {
    // A provider that used up the time of a search is not retried within it.
    const options = { retryAfterMs: searchMs, cause: error };
    return searchFailure("provider_slow", `${name} did not answer within ${timeoutMs / 1000} s`, options);
  }
  return searchFailure("provider_error", `${name} cannot be reached: ${error.message}`, {
    retry: error.toFailure("safe").retry,
    cause: error,
  });
}

/** Builds the address of a provider's endpoint below the configured base URL. */
export function readBaseUrl(name: string, base: string | undefined, path: string): URL {
  const url = base === undefined ? null : URL.parse(base);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw searchFailure(
      "not_configured",
      `the base URL of ${name} is not a web address; write it in full, such as https://search.example.com`,
    );
  }
  const folder = url.pathname.endsWith("/") ? url.pathname : `${url.pathname}/`;
  url.pathname = path === "" ? url.pathname : folder + path;
  url.search = "";
  url.hash = "";
  return url;
}
