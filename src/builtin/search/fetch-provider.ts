import { type Clock, isFailureError, systemClock } from "../../base/index.ts";
import { type Door, type HttpResponse, type RequestHeaders, retryAfterMs } from "../../net/index.ts";
import { cleanText } from "./clean-results.ts";
import type { SearchResult } from "./search-provider.ts";
import { searchFailure } from "./search-reasons.ts";

/** One request to a provider. */
export interface ProviderRequest {
  readonly door: Door;
  /** How the provider is called in messages. */
  readonly name: string;
  readonly url: URL;
  readonly headers?: RequestHeaders;
  readonly signal: AbortSignal;
  /** Words for statuses that mean something special at this provider. */
  readonly explain?: (status: number, text: string) => Error | undefined;
  readonly clock?: Clock;
}

/** A list of results has a few kilobytes. */
const mostBytes = 2 * 2 ** 20;
const timeoutMs = 10_000;

/** Time for a whole search, whoever is asked. */
export const searchMs = 30_000;

/** Asks a provider and gives what it answered as text. Whatever is no proper answer is a failure of its own kind. */
export async function askProvider(request: ProviderRequest): Promise<string> {
  const { door, name, url, headers = {}, signal, explain, clock = systemClock } = request;
  let response: HttpResponse;
  try {
    response = await door.request({ url: url.href, headers, signal, timeoutMs, maxBytes: mostBytes });
  } catch (error) {
    throw unreached(error, name);
  }
  const text = new TextDecoder().decode(response.body);
  const { status } = response;
  if (status !== 200) throw explain?.(status, text) ?? statusFailure(response, name, clock.now());
  if (response.truncated) {
    throw searchFailure("bad_answer", `${name} answered with more than ${mostBytes} bytes`, { retry: "never" });
  }
  return text;
}

/** The answer of {@link askProvider}, as JSON. */
export async function askForJson(request: ProviderRequest): Promise<unknown> {
  const text = await askProvider(request);
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    const looks = /^\s*</.test(text) ? "an HTML page" : "something else";
    throw searchFailure("bad_answer", `${request.name} answered with ${looks} instead of JSON`, { cause });
  }
}

/** The list under some keys of an answer; undefined where there is none. */
export function listAt(answer: unknown, ...keys: readonly string[]): readonly unknown[] | undefined {
  const found = keys.reduce(memberOf, answer);
  return Array.isArray(found) ? found : undefined;
}

/** An own member of an object. */
export function memberOf(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[key];
}

/** A member that is a text; empty where it is none. */
export function textAt(value: unknown, key: string): string {
  const found = memberOf(value, key);
  return typeof found === "string" ? found : "";
}

/** Which keys of an item hold what. */
export interface ItemKeys {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

/** The results in a list of unknown items. A list of nothing but nonsense is a bad answer, not an empty one. */
export function readItems(name: string, items: readonly unknown[] | undefined, keys: ItemKeys): SearchResult[] {
  if (items === undefined) throw searchFailure("bad_answer", `the answer of ${name} has no list of results`);
  const results = items.slice(0, 200).flatMap((item) => {
    const url = textAt(item, keys.url);
    return url === "" ? [] : [{ title: textAt(item, keys.title), url, snippet: textAt(item, keys.snippet) }];
  });
  if (results.length === 0 && items.length > 0) {
    throw searchFailure("bad_answer", `the results of ${name} have no addresses`);
  }
  return results;
}

/** A word of the provider's own, fit for a message. */
export function quoted(word: unknown, most = 200): string {
  return cleanText(typeof word === "string" ? word : (JSON.stringify(word) ?? ""), most);
}

/** Whoever is refused and asks again at once is refused for longer. */
export const blockedMs = 60_000;

/** The provider does not answer because of who asks, or how often. */
export function blocked(name: string, why: string, waitMs: number = blockedMs): Error {
  return searchFailure("blocked", `${name} refuses to answer: ${why}`, { retryAfterMs: waitMs });
}

function statusFailure({ status, headers }: HttpResponse, name: string, now: number): Error {
  if (status === 429) {
    const header = headers["retry-after"];
    const waitMs = typeof header === "string" ? retryAfterMs(header, now) : undefined;
    return blocked(name, "too many requests", waitMs);
  }
  if (status === 403) return blocked(name, "it answered 403, as it does to programs that it does not want");
  if (status === 401) return searchFailure("bad_key", `${name} answered 401: it wants a key, or another one`);
  return searchFailure("provider_error", `${name} answered ${status}`, {
    retry: status >= 500 ? "safe" : "never",
  });
}

/** What the door says, said of the provider; a refusal by policy keeps its own words. */
function unreached(error: unknown, name: string): unknown {
  if (!isFailureError(error) || error.code === "cancelled") return error;
  if (error.code === "permission_denied" || error.code === "validation_error") return error;
  if (error.code === "timeout") {
    // Whoever used up so much of a search is not asked again within it.
    const options = { retryAfterMs: searchMs, cause: error };
    return searchFailure("provider_slow", `${name} did not answer within ${timeoutMs / 1000} s`, options);
  }
  return searchFailure("provider_error", `${name} cannot be reached: ${error.message}`, {
    retry: error.toFailure("safe").retry,
    cause: error,
  });
}
