import { type Clock, type FailureError, definedOnly } from "../../base/index.ts";
import { type HttpClient, type HttpResponse, retryAfterMs } from "../../net/index.ts";
import type { PageCache, StoredPage } from "../../store/index.ts";
import type { AddressResolver, FetchedPage } from "./page.ts";
import type { RobotsFiles } from "./robots-files.ts";
import type { RobotsRules } from "./robots-rules.ts";
import { webFailure } from "./web-reasons.ts";

/** Dependencies of fetching. */
export interface FetchDeps {
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly cache: PageCache;
  /** Undefined if robots.txt is ignored. */
  readonly robots: RobotsFiles | undefined;
  readonly resolvers: ReadonlyMap<string, AddressResolver>;
  readonly userAgent: string;
}

/** One page to fetch. */
export interface PageRequest {
  readonly url: string;
  readonly signal: AbortSignal;
  readonly maxBytes: number;
  /** Time that the page may take from now on. */
  readonly pageMs: () => number;
  /** Time that the site's robots.txt may take from now on. */
  readonly robotsMs: () => number;
  /** Called with the rules of the site's robots.txt before the page is requested. */
  readonly onRules?: (rules: RobotsRules, host: string) => void;
  /** Waits for a slot of another host, if a redirect leads to one. */
  readonly onHost?: (host: string) => Promise<void>;
}

const accept =
  "text/html, application/xhtml+xml, text/markdown;q=0.9, text/plain;q=0.9, application/json;q=0.9, " +
  "application/xml;q=0.8, */*;q=0.5";

/**
 * Fetches one page: from the cache if possible, else through the HTTP client, unless the site's robots.txt forbids it.
 */
export async function fetchPage(request: PageRequest, world: FetchDeps): Promise<FetchedPage> {
  const local = resolverOf(request.url, world.resolvers);
  if (local !== undefined) return resolveHere(request, local, world.clock);
  const address = URL.parse(request.url);
  const key = keyOf(address) ?? request.url;
  const cached = isKeepable(address) ? await world.cache.get(key) : undefined;
  if (cached !== undefined && isFresh(cached, request, world.clock)) return fromStore(request, cached);
  if (address !== null) await checkRobots(address, request, world);
  const usable = cached !== undefined && cached.body.byteLength <= request.maxBytes ? cached : undefined;
  return requestPage(request, usable, { ...world, key });
}

/** Rules for a page apply to every address of its redirects. */
async function checkRedirect(to: URL, request: PageRequest, world: FetchDeps): Promise<void> {
  await request.onHost?.(to.host);
  await checkRobots(to, request, world);
}

/** The address without its fragment, which no server sees. */
function keyOf(address: URL | null): string | undefined {
  if (address === null) return undefined;
  const copy = new URL(address);
  copy.hash = "";
  return copy.href;
}

/** An address that the HTTP client rejects by its form alone was never fetched, so the cache is not searched for it. */
function isKeepable(address: URL | null): boolean {
  return address !== null && /^https?:$/.test(address.protocol) && address.username === "" && address.password === "";
}

function resolverOf(url: string, resolvers: FetchDeps["resolvers"]): AddressResolver | undefined {
  const scheme = /^\s*([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
  return scheme === undefined ? undefined : resolvers.get(scheme);
}

async function resolveHere({ url, signal, maxBytes }: PageRequest, resolve: AddressResolver, clock: Clock) {
  const found = await resolve(url.trim(), signal);
  if (found === undefined) {
    throw webFailure("unknown_address", `nothing is stored under ${JSON.stringify(url.trim().slice(0, 200))}`);
  }
  const whole = Buffer.from(found.text, "utf8");
  return {
    url,
    finalUrl: url.trim(),
    status: 200,
    contentType: "text/markdown; charset=utf-8",
    body: whole.subarray(0, maxBytes),
    truncated: whole.byteLength > maxBytes,
    fromCache: false,
    fetchedAt: clock.now(),
    title: found.title,
  } satisfies FetchedPage;
}

function isFresh(page: StoredPage, { maxBytes }: PageRequest, clock: Clock): boolean {
  const now = clock.now();
  // A clock that was set back must not keep a page fresh forever.
  return page.freshUntil > now && page.checkedAt <= now && page.body.byteLength <= maxBytes;
}

async function checkRobots(address: URL, request: PageRequest, { robots }: FetchDeps): Promise<void> {
  if (robots === undefined) return;
  const rules = await robots.rulesFor(address, { signal: request.signal, timeoutMs: request.robotsMs() });
  request.onRules?.(rules, address.host);
  if (rules.allows(address.pathname + address.search)) return;
  throw webFailure(
    "robots_denied",
    `the robots.txt of ${address.host} does not allow programs to fetch ${address.pathname.slice(0, 200)}; ` +
      "read it in a browser, or use another source",
  );
}

interface FetchAttempt extends FetchDeps {
  readonly key: string;
}

async function requestPage(
  request: PageRequest,
  cached: StoredPage | undefined,
  world: FetchAttempt,
): Promise<FetchedPage> {
  const { url, signal, maxBytes } = request;
  const { key } = world;
  const headers = { accept, "user-agent": world.userAgent, ...(cached !== undefined && conditions(cached)) };
  const onRedirect = (to: URL): Promise<void> => checkRedirect(to, request, world);
  const timeoutMs = request.pageMs();
  const response = await world.http.request({ url: key, headers, signal, maxBytes, timeoutMs, onRedirect });
  if (response.status === 304 && cached !== undefined) {
    // An equal ETag of another page, reached by another redirect, does not validate the cached page.
    if (response.url !== cached.finalUrl) return requestPage(request, undefined, world);
    return fromStore(request, await refresh(cached, response, world));
  }
  if (response.status < 200 || response.status >= 300) {
    if (response.status === 404 || response.status === 410) await world.cache.delete(key);
    throw statusFailure(response, key, world.clock);
  }
  const now = world.clock.now();
  await cachePage(response, now, world);
  return {
    url,
    finalUrl: response.url,
    status: response.status,
    contentType: headerAsText(response.headers["content-type"]),
    body: response.body,
    truncated: response.truncated,
    fromCache: false,
    fetchedAt: now,
  };
}

function conditions({ etag, lastModified }: StoredPage): Record<string, string> {
  return {
    ...(etag !== undefined && { "if-none-match": etag }),
    ...(lastModified !== undefined && { "if-modified-since": lastModified }),
  };
}

async function refresh(
  cached: StoredPage,
  response: HttpResponse,
  { cache, clock, key }: FetchAttempt,
): Promise<StoredPage> {
  const now = clock.now();
  const { storable, freshMs } = freshnessOf(response, now);
  const page = { ...cached, checkedAt: now, freshUntil: now + lastingMs(response.url, key, freshMs) };
  if (storable) await cache.set(key, page);
  else await cache.delete(key);
  return page;
}

/** Caches a complete response that can be reused or revalidated; any other response evicts the old entry. */
async function cachePage(response: HttpResponse, now: number, { cache, key }: FetchAttempt): Promise<void> {
  const { storable, freshMs } = freshnessOf(response, now);
  const etag = validator(response.headers["etag"]);
  const lastModified = validator(response.headers["last-modified"]);
  const useful = freshMs > 0 || etag !== undefined || lastModified !== undefined;
  if (response.status !== 200 || response.truncated || !storable || !useful) return cache.delete(key);
  return cache.set(key, {
    finalUrl: response.url,
    contentType: headerAsText(response.headers["content-type"]),
    body: response.body,
    ...definedOnly({ etag, lastModified }),
    checkedAt: now,
    freshUntil: now + lastingMs(response.url, key, freshMs),
  });
}

/** The target of a redirect may change at any time, so a redirected page is always revalidated. */
function lastingMs(finalUrl: string, key: string, freshMs: number): number {
  return finalUrl === key ? freshMs : 0;
}

/** Ignores a validator that could not be sent back as a header. */
function validator(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "string" && /^[\x21-\x7e][\x20-\x7e]{0,500}$/.test(value) ? value.trim() : undefined;
}

function fromStore({ url }: PageRequest, { finalUrl, contentType, body, checkedAt }: StoredPage): FetchedPage {
  return { url, finalUrl, status: 200, contentType, body, truncated: false, fromCache: true, fetchedAt: checkedAt };
}

/** Statuses that another try may change. */
const passing: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

function statusFailure({ status, headers, url }: HttpResponse, requested: string, clock: Clock): FailureError {
  const waitMs = retryAfterMs(headerAsText(headers["retry-after"]), clock.now());
  const where = new URL(url).host;
  const after = url === requested ? "" : " after redirects";
  return webFailure("http_status", `${where} answered ${status}${describeStatus(status)}${after}`, {
    retry: passing.has(status) ? "safe" : "never",
    ...(waitMs !== undefined && passing.has(status) && { retryAfterMs: waitMs }),
  });
}

function describeStatus(status: number): string {
  switch (status) {
    case 401:
    case 402:
    case 403:
      return ": the page is not public; use another source";
    case 404:
    case 410:
      return ": there is no such page; check the address";
    case 429:
      return ": too many requests; try again later";
    default:
      return status >= 500 ? ": the server failed; try again later" : "";
  }
}

/** Caching rules of a response. */
interface Freshness {
  /** True if the response may be stored. */
  readonly storable: boolean;
  /** Time for which the response may be used without revalidation. */
  readonly freshMs: number;
}

/** A page older than this is always revalidated. */
const maxFreshnessMs = 24 * 3_600_000;

/**
 * Reads `Cache-Control`, `Expires`, `Age` and `Vary` of a response (RFC 9111). As strict as a shared cache: a response
 * that is private or sets a cookie is for one reader, and the cache outlives that reader.
 */
function freshnessOf({ headers }: Pick<HttpResponse, "headers">, now: number): Freshness {
  const control = directives(headerAsText(headers["cache-control"]));
  const personal = control.has("private") || headers["set-cookie"] !== undefined;
  const storable = !personal && !control.has("no-store") && !headerAsText(headers["vary"]).includes("*");
  if (!storable || control.has("no-cache")) return { storable, freshMs: 0 };
  const maxAge = seconds(control.get("max-age"));
  const freshMs = maxAge === undefined ? untilExpired(headers, now) : maxAge * 1000;
  const age = (seconds(headerAsText(headers["age"])) ?? 0) * 1000;
  return { storable, freshMs: Math.min(maxFreshnessMs, Math.max(0, freshMs - age)) };
}

/** A header as one text. */
function headerAsText(value: string | readonly string[] | undefined): string {
  return typeof value === "string" ? value : (value ?? []).join(", ");
}

function directives(header: string): ReadonlyMap<string, string> {
  return new Map(
    header.split(",").map((part) => {
      const [name = "", value = ""] = part.split("=", 2);
      return [name.trim().toLowerCase(), value.trim().replaceAll('"', "")];
    }),
  );
}

function seconds(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,12}$/.test(text) ? Number(text) : undefined;
}

/** Counted from the server's own clock, if the response has a `Date`. */
function untilExpired(headers: HttpResponse["headers"], now: number): number {
  const expires = Date.parse(headerAsText(headers["expires"]));
  const date = Date.parse(headerAsText(headers["date"]));
  if (Number.isNaN(expires)) return 0;
  return expires - (Number.isNaN(date) ? now : date);
}
