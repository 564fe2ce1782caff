import { type Clock, type FailureError } from "../../base/index.ts";
import { type Door, type HttpResponse, retryAfterMs } from "../../net/index.ts";
import type { PageCache, StoredPage } from "../../store/index.ts";
import type { AddressResolver, FetchedPage } from "./page.ts";
import { freshnessOf, textOf } from "./page-freshness.ts";
import type { RobotsFiles } from "./robots-files.ts";
import type { RobotsRules } from "./robots-rules.ts";
import { webFailure } from "./web-reasons.ts";

/** What fetching works with. */
export interface FetchWorld {
  readonly door: Door;
  readonly clock: Clock;
  readonly cache: PageCache;
  /** Absent where robots.txt is ignored. */
  readonly robots: RobotsFiles | undefined;
  readonly resolvers: ReadonlyMap<string, AddressResolver>;
  readonly userAgent: string;
}

/** One page to fetch. */
export interface PageRequest {
  readonly url: string;
  readonly signal: AbortSignal;
  readonly maxBytes: number;
  /** How long the page may take from now on. */
  readonly pageMs: () => number;
  /** How long the site's robots.txt may take from now on. */
  readonly robotsMs: () => number;
  /** Told what the site asks of programs before the page is requested. */
  readonly onRules?: (rules: RobotsRules, host: string) => void;
  /** Waits for the turn of another host, where a redirect leads to one. */
  readonly onHost?: (host: string) => Promise<void>;
}

const accept =
  "text/html, application/xhtml+xml, text/markdown;q=0.9, text/plain;q=0.9, application/json;q=0.9, " +
  "application/xml;q=0.8, */*;q=0.5";

/** Fetches one page: from here if it is kept here, else through the door, unless the site asks programs not to. */
export async function fetchPage(request: PageRequest, world: FetchWorld): Promise<FetchedPage> {
  const local = resolverOf(request.url, world.resolvers);
  if (local !== undefined) return resolveHere(request, local, world.clock);
  const address = URL.parse(request.url);
  const key = keyOf(address) ?? request.url;
  const kept = isKeepable(address) ? await world.cache.get(key) : undefined;
  if (kept !== undefined && isFresh(kept, request, world.clock)) return fromStore(request, kept);
  if (address !== null) await checkRobots(address, request, world);
  const usable = kept !== undefined && kept.body.byteLength <= request.maxBytes ? kept : undefined;
  return ask(request, usable, { ...world, key });
}

/** What holds for a page holds for every address on the way to it. */
async function checkRedirect(to: URL, request: PageRequest, world: FetchWorld): Promise<void> {
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

/** What the door refuses by its form alone was never fetched, and nothing is opened to look for it. */
function isKeepable(address: URL | null): boolean {
  return address !== null && /^https?:$/.test(address.protocol) && address.username === "" && address.password === "";
}

function resolverOf(url: string, resolvers: FetchWorld["resolvers"]): AddressResolver | undefined {
  const scheme = /^\s*([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
  return scheme === undefined ? undefined : resolvers.get(scheme);
}

async function resolveHere({ url, signal, maxBytes }: PageRequest, resolve: AddressResolver, clock: Clock) {
  const found = await resolve(url.trim(), signal);
  if (found === undefined) {
    throw webFailure("unknown_address", `nothing is kept under ${JSON.stringify(url.trim().slice(0, 200))}`);
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
  // A clock that was set back must not make a page young for ever.
  return page.freshUntil > now && page.checkedAt <= now && page.body.byteLength <= maxBytes;
}

async function checkRobots(address: URL, request: PageRequest, { robots }: FetchWorld): Promise<void> {
  if (robots === undefined) return;
  const rules = await robots.rulesFor(address, { signal: request.signal, timeoutMs: request.robotsMs() });
  request.onRules?.(rules, address.host);
  if (rules.allows(address.pathname + address.search)) return;
  throw webFailure(
    "robots_denied",
    `the robots.txt of ${address.host} asks programs not to fetch ${address.pathname.slice(0, 200)}; ` +
      "read it in a browser, or use another source",
  );
}

interface Asking extends FetchWorld {
  readonly key: string;
}

async function ask(request: PageRequest, kept: StoredPage | undefined, world: Asking): Promise<FetchedPage> {
  const { url, signal, maxBytes } = request;
  const { key } = world;
  const headers = { accept, "user-agent": world.userAgent, ...(kept !== undefined && conditions(kept)) };
  const onRedirect = (to: URL): Promise<void> => checkRedirect(to, request, world);
  const timeoutMs = request.pageMs();
  const response = await world.door.request({ url: key, headers, signal, maxBytes, timeoutMs, onRedirect });
  if (response.status === 304 && kept !== undefined) {
    // An equal mark of another page, reached by another redirect, says nothing about the one that is kept.
    if (response.url !== kept.finalUrl) return ask(request, undefined, world);
    return fromStore(request, await refresh(kept, response, world));
  }
  if (response.status < 200 || response.status >= 300) {
    if (response.status === 404 || response.status === 410) await world.cache.delete(key);
    throw statusFailure(response, key, world.clock);
  }
  const now = world.clock.now();
  await keep(response, now, world);
  return {
    url,
    finalUrl: response.url,
    status: response.status,
    contentType: textOf(response.headers["content-type"]),
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

async function refresh(kept: StoredPage, response: HttpResponse, { cache, clock, key }: Asking): Promise<StoredPage> {
  const now = clock.now();
  const { storable, freshMs } = freshnessOf(response, now);
  const page = { ...kept, checkedAt: now, freshUntil: now + lastingMs(response.url, key, freshMs) };
  if (storable) await cache.set(key, page);
  else await cache.delete(key);
  return page;
}

/** A whole answer that can be used again, or asked about again, is kept; any other takes the old one's place. */
async function keep(response: HttpResponse, now: number, { cache, key }: Asking): Promise<void> {
  const { storable, freshMs } = freshnessOf(response, now);
  const etag = validator(response.headers["etag"]);
  const lastModified = validator(response.headers["last-modified"]);
  const useful = freshMs > 0 || etag !== undefined || lastModified !== undefined;
  if (response.status !== 200 || response.truncated || !storable || !useful) return cache.delete(key);
  return cache.set(key, {
    finalUrl: response.url,
    contentType: textOf(response.headers["content-type"]),
    body: response.body,
    ...(etag !== undefined && { etag }),
    ...(lastModified !== undefined && { lastModified }),
    checkedAt: now,
    freshUntil: now + lastingMs(response.url, key, freshMs),
  });
}

/** Where a redirect leads may change at any time: what lies behind one is asked about every time. */
function lastingMs(finalUrl: string, key: string, freshMs: number): number {
  return finalUrl === key ? freshMs : 0;
}

/** A mark that could not be sent back as a header is none. */
function validator(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "string" && /^[\x21-\x7e][\x20-\x7e]{0,500}$/.test(value) ? value.trim() : undefined;
}

function fromStore({ url }: PageRequest, page: StoredPage): FetchedPage {
  const { finalUrl, contentType, body, checkedAt } = page;
  return { url, finalUrl, status: 200, contentType, body, truncated: false, fromCache: true, fetchedAt: checkedAt };
}

/** Statuses that another try may change. */
const passing: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

function statusFailure({ status, headers, url }: HttpResponse, asked: string, clock: Clock): FailureError {
  const waitMs = retryAfterMs(textOf(headers["retry-after"]), clock.now());
  const where = new URL(url).host;
  const after = url === asked ? "" : " after redirects";
  return webFailure("http_status", `${where} answered ${status}${meaning(status)}${after}`, {
    retry: passing.has(status) ? "safe" : "never",
    ...(waitMs !== undefined && passing.has(status) && { retryAfterMs: waitMs }),
  });
}

function meaning(status: number): string {
  switch (status) {
    case 401:
    case 402:
    case 403:
      return ": the page is not open to everybody; use another source";
    case 404:
    case 410:
      return ": there is no such page; check the address";
    case 429:
      return ": too many requests; try again later";
    default:
      return status >= 500 ? ": the server failed; try again later" : "";
  }
}
