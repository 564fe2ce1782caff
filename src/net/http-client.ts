import type { Agent, Dispatcher } from "undici";
import {
  type Clock,
  type FailureError,
  isFailureError,
  nodeNet,
  raceAbort,
  systemClock,
  systemErrorCode,
} from "../base/index.ts";
import { type AllowList, type RefuseTarget, parseAllowList, withService } from "./allow-list.ts";
import { type RequestHeaders, checkHeaders } from "./check-headers.ts";
import { checkUrl } from "./check-url.ts";
import { type Connector, type DialSocket, createConnector } from "./connector.ts";
import { netFailure } from "./net-reasons.ts";
import { acceptedCodings, decodeContent, readResponseBody } from "./read-body.ts";
import { type RedirectHop, isRedirect, nextRedirectHop } from "./redirect.ts";
import { type ResolveHost, systemResolve } from "./resolve-target.ts";

/** Options of {@link createHttpClient}. */
export interface HttpClientOptions {
  /**
   * Destinations open besides the public network: `127.0.0.1:8888`, `10.0.0.0/8`, `localhost:3000`, `*.corp.example`.
   */
  readonly allow?: readonly string[];
  /** Called for a target that is not open: its failure replaces the usual one, which suggests an entry of `allow`. */
  readonly refuses?: RefuseTarget | undefined;
  /**
   * The URL of one configured service, such as `http://127.0.0.1:11434`: open too, on its port, if its host is an
   * address or a name in a private network. Cloud metadata addresses, redirect targets and ports of services that do
   * not speak HTTP are only opened by `allow`.
   */
  readonly service?: URL | undefined;
  /** Timeout of a whole request, redirects and body included, unless the request sets one. Default: 30 s. */
  readonly timeoutMs?: number;
  /** Timeout of one connection with its name lookup and handshake. Default: 10 s. */
  readonly connectTimeoutMs?: number;
  /** Maximum decoded bytes of a body, unless the request sets a limit. Default: 5 MiB. */
  readonly maxBytes?: number;
  /** True if a text holds a secret: a header with such a value is not sent to another origin after a redirect. */
  readonly holdsSecret?: (text: string) => boolean;
  readonly resolve?: ResolveHost;
  readonly dial?: DialSocket;
  readonly clock?: Clock;
}

/**
 * One request. Redirects are followed, but nothing confidential is sent to another origin (scheme, host or port): only
 * harmless headers are (`accept`, `accept-language`, `accept-encoding`, `user-agent`, `content-type`,
 * `content-language`, `range`, `if-none-match`, `if-modified-since`, `cache-control`) unless they hold a secret, and a
 * redirect that would send the body is rejected with the reason `cross_origin_body`.
 */
export interface HttpRequest {
  readonly url: string;
  /** Default: `GET`. */
  readonly method?: string;
  readonly headers?: RequestHeaders;
  /** Names of headers that hold a secret: they are not sent to another origin. */
  readonly secretHeaders?: readonly string[];
  readonly body?: string | Uint8Array;
  readonly timeoutMs?: number;
  /** A longer body is cut here and marked as truncated. */
  readonly maxBytes?: number;
  /** Default: 5. */
  readonly maxRedirects?: number;
  /** Called with the target of a redirect before it is followed; throwing ends the request. Its time is not counted. */
  readonly onRedirect?: (to: URL) => void | Promise<void>;
  readonly signal?: AbortSignal;
}

/** The response, with any status. */
export interface HttpResponse {
  readonly status: number;
  /** Lower-case names; a header sent several times is joined with commas, except `set-cookie`. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Decoded. */
  readonly body: Uint8Array;
  /** The body was longer than the limit. */
  readonly truncated: boolean;
  /** URL of the response, after redirects. */
  readonly url: string;
}

/** One request whose response is read while it arrives. No limit of time or size is set but the caller's own. */
export interface StreamRequest extends Omit<HttpRequest, "timeoutMs" | "maxBytes" | "maxRedirects"> {
  /** Time until the head of the response must arrive. Default: no limit. */
  readonly headTimeoutMs?: number;
  /** `manual` returns the redirect itself, for callers with their own rules. Default: `follow`. */
  readonly redirect?: "follow" | "manual";
}

/** A response whose body is still on its way. */
export interface HttpStream extends Omit<HttpResponse, "body" | "truncated"> {
  /** Decoded, as it arrives. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Releases the connection, whether the body was read or not. */
  close(): void;
}

/** An HTTP client that can also stream a response. */
export interface StreamingHttpClient extends HttpClient {
  /** Returns the response as soon as its headers have arrived; fails with a reason of `netReasons`. */
  open(request: StreamRequest): Promise<HttpStream>;
}

/** The one way out to the network. */
export interface HttpClient {
  /** Destinations open besides the public network, as configured. */
  readonly allow?: readonly string[];
  /** Sends a request and reads the response; fails with a reason of `netReasons`. */
  request(request: HttpRequest): Promise<HttpResponse>;
  /** Ends every in-flight request and every connection. */
  close(): Promise<void>;
}

const methodName = /^[A-Z][A-Z-]{1,30}$/;
const unsendable: ReadonlySet<string> = new Set(["CONNECT", "TRACE", "TRACK"]);
/** Methods that may be sent again when it is unknown whether the first one arrived. */
const repeatable: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]);

/**
 * Creates the one outbound HTTP client: it reaches public addresses and what `allow` names, nothing else.
 *
 * @example
 * ```ts
 * const http = createHttpClient({ allow: ["127.0.0.1:8888"] });
 * const { status, body } = await http.request({ url: "http://127.0.0.1:8888/health" });
 * await http.close();
 * ```
 *
 * @see docs/guide/built-in-tools.md
 */
export function createHttpClient(options: HttpClientOptions = {}): StreamingHttpClient {
  return new GuardedHttpClient(options);
}

/** A request in flight, until its response is read. */
interface Run {
  readonly signal: AbortSignal;
  /** From now on only the caller ends it. */
  untimed(): void;
  /** Waits for this without counting the time. */
  pausing(wait: () => void | Promise<void>): Promise<void>;
  end(): void;
}

interface Arrived {
  readonly response: Dispatcher.ResponseData;
  readonly hop: RedirectHop;
}

class GuardedHttpClient implements StreamingHttpClient {
  readonly allow: readonly string[];
  readonly #allow: AllowList;
  readonly #clock: Clock;
  readonly #connector: Connector;
  readonly #holdsSecret: (text: string) => boolean;
  readonly #limits: Required<Pick<HttpClientOptions, "timeoutMs" | "maxBytes">>;
  readonly #runs = new Set<AbortController>();
  /** Number of requests in flight, by origin. */
  readonly #waiting = new Map<string, number>();
  #agent: Promise<Agent> | undefined;
  #closed = false;

  constructor(options: HttpClientOptions) {
    this.allow = [...(options.allow ?? [])];
    const named = { ...parseAllowList(this.allow), refuses: options.refuses };
    this.#allow = options.service === undefined ? named : withService(named, options.service);
    this.#clock = options.clock ?? systemClock;
    this.#holdsSecret = options.holdsSecret ?? (() => false);
    this.#limits = { timeoutMs: options.timeoutMs ?? 30_000, maxBytes: options.maxBytes ?? 5 * 2 ** 20 };
    this.#connector = createConnector({
      allow: this.#allow,
      resolve: options.resolve ?? systemResolve,
      dial: options.dial ?? ((target) => nodeNet().connect(target)),
      clock: this.#clock,
      connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
    });
  }

  async request(httpRequest: HttpRequest): Promise<HttpResponse> {
    const first = this.#firstHop(httpRequest);
    const run = this.#begin(first, httpRequest, httpRequest.timeoutMs ?? this.#limits.timeoutMs);
    try {
      const { response, hop } = await this.#follow(first, run, httpRequest);
      return await finish(response, hop, httpRequest.maxBytes ?? this.#limits.maxBytes);
    } catch (error) {
      throw run.signal.aborted ? (run.signal.reason as FailureError) : error;
    } finally {
      run.end();
    }
  }

  async open(httpRequest: StreamRequest): Promise<HttpStream> {
    const first = this.#firstHop(httpRequest);
    const run = this.#begin(first, httpRequest, httpRequest.headTimeoutMs);
    try {
      const { response, hop } = await this.#follow(first, run, httpRequest);
      run.untimed();
      return {
        status: response.statusCode,
        headers: headersOf(response),
        url: hop.url.href,
        body: arriving({ response, hop }, run),
        close: () => {
          response.body.on("error", () => {}).destroy();
          run.end();
        },
      };
    } catch (error) {
      run.end();
      throw run.signal.aborted ? (run.signal.reason as FailureError) : error;
    }
  }

  #firstHop(httpRequest: HttpRequest | StreamRequest): RedirectHop {
    if (this.#closed) throw closed();
    const hop = firstHop(httpRequest, this.#allow);
    const found = [...hop.headers].filter(([, values]) => values.some((value) => this.#holdsSecret(value)));
    const named = (httpRequest.secretHeaders ?? []).map((name) => name.toLowerCase());
    return { ...hop, secretHeaders: new Set([...named, ...found.map(([name]) => name)]) };
  }

  /** Aborts a request on its timeout, its caller's signal, or the close of the client. */
  #begin({ url }: RedirectHop, { signal }: HttpRequest | StreamRequest, timeoutMs: number | undefined): Run {
    const run = new AbortController();
    const late = (): void =>
      run.abort(netFailure("timeout", `no complete response from ${url.host} within ${(timeoutMs ?? 0) / 1000} s`));
    let since = this.#clock.elapsed();
    let restMs = timeoutMs;
    let timer = restMs === undefined ? undefined : this.#clock.after(restMs, late);
    const cancel = (): void => run.abort(netFailure("aborted", "the request was cancelled", { cause: signal?.reason }));
    signal?.addEventListener("abort", cancel, { once: true });
    if (signal?.aborted === true) cancel();
    this.#runs.add(run);
    return {
      signal: run.signal,
      untimed: () => timer?.cancel(),
      pausing: async (wait) => {
        timer?.cancel();
        if (restMs !== undefined) restMs -= this.#clock.elapsed() - since;
        await raceAbort(Promise.resolve(wait()), run.signal);
        since = this.#clock.elapsed();
        if (restMs !== undefined) timer = this.#clock.after(Math.max(0, restMs), late);
      },
      end: () => {
        timer?.cancel();
        signal?.removeEventListener("abort", cancel);
        this.#runs.delete(run);
      },
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const run of this.#runs) run.abort(closed());
    await (await this.#agent)?.destroy();
  }

  /** Follows redirects, unless the caller wants to see them. */
  async #follow(first: RedirectHop, run: Run, httpRequest: HttpRequest | StreamRequest): Promise<Arrived> {
    const { redirect, maxRedirects = 5, onRedirect }: Partial<HttpRequest & StreamRequest> = httpRequest;
    let hop = first;
    for (let hops = 0; ; hops++) {
      const response = await this.#send(hop, run.signal);
      const answer = { status: response.statusCode, location: [response.headers["location"]].flat()[0] };
      if (redirect === "manual" || !isRedirect(answer)) return { response, hop };
      response.body.on("error", () => {}).destroy();
      if (hops >= maxRedirects) {
        throw netFailure("too_many_redirects", `${first.url.host} redirects more than ${maxRedirects} times`);
      }
      const next = nextRedirectHop(hop, answer, this.#allow);
      if (onRedirect !== undefined) await run.pausing(() => onRedirect(new URL(next.url)));
      hop = next;
    }
  }

  /** Sends one request and returns the response as soon as its headers have arrived. */
  async #send(hop: RedirectHop, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const agent = await (this.#agent ??= this.#open());
    signal.throwIfAborted();
    const { origin } = hop.url;
    this.#waiting.set(origin, (this.#waiting.get(origin) ?? 0) + 1);
    try {
      // undici checks the signal only once it has a connection, hence the race.
      return await raceAbort(agent.request({ ...onWire(hop), signal }), signal);
    } catch (error) {
      throw explain(error, hop);
    } finally {
      const left = (this.#waiting.get(origin) ?? 1) - 1;
      if (left > 0) this.#waiting.set(origin, left);
      else {
        this.#waiting.delete(origin);
        this.#connector.cancel(origin);
      }
    }
  }

  async #open(): Promise<Agent> {
    const { Agent } = await import("undici");
    return new Agent({
      connect: this.#connector.connect,
      connections: 32,
      pipelining: 1,
      keepAliveTimeout: 4_000,
      keepAliveMaxTimeout: 30_000,
      maxHeaderSize: 32_768,
      // The client's own deadline covers headers and body together, however slowly they arrive.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }
}

function firstHop(httpRequest: HttpRequest | StreamRequest, allow: AllowList): RedirectHop {
  const method = (httpRequest.method ?? "GET").toUpperCase();
  if (!methodName.test(method) || unsendable.has(method)) {
    throw netFailure("bad_method", `${JSON.stringify(method.slice(0, 30))} is not a method that can be sent`);
  }
  const headers = new Map([...defaultHeaders, ...checkHeaders(httpRequest.headers ?? {})]);
  return { url: checkUrl(httpRequest.url, allow), method, headers, body: httpRequest.body };
}

const defaultHeaders: ReadonlyMap<string, readonly string[]> = new Map([
  ["accept", ["*/*"]],
  ["accept-encoding", [acceptedCodings]],
  ["user-agent", ["windlass"]],
]);

function onWire({ url, method, headers, body }: RedirectHop): Dispatcher.RequestOptions {
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    method,
    headers: [...headers].flatMap(([name, values]) => values.flatMap((value) => [name, value])),
    ...(body !== undefined && { body }),
  };
}

function headersOf(response: Dispatcher.ResponseData): HttpResponse["headers"] {
  return Object.fromEntries(
    Object.entries(response.headers).flatMap(([name, value]) => {
      if (value === undefined) return [];
      return [[name, name === "set-cookie" ? [value].flat() : [value].flat().join(", ")]];
    }),
  );
}

function encodingOf(response: Dispatcher.ResponseData, { method }: RedirectHop): string | undefined {
  return method === "HEAD" ? undefined : [response.headers["content-encoding"]].flat().join(",");
}

async function finish(response: Dispatcher.ResponseData, hop: RedirectHop, maxBytes: number): Promise<HttpResponse> {
  const headers = headersOf(response);
  try {
    const encoding = encodingOf(response, hop);
    const { bytes, truncated } = await readResponseBody({ stream: response.body, encoding, maxBytes });
    return { status: response.statusCode, headers, body: bytes, truncated, url: hop.url.href };
  } catch (error) {
    throw explain(error, hop);
  }
}

async function* arriving({ response, hop }: Arrived, run: Run): AsyncGenerator<Uint8Array, void> {
  try {
    yield* decodeContent({ stream: response.body, encoding: encodingOf(response, hop), maxBytes: Infinity });
  } catch (error) {
    throw run.signal.aborted ? (run.signal.reason as FailureError) : explain(error, hop);
  } finally {
    run.end();
  }
}

/** A failure of the exchange itself; the request may have arrived. */
function explain(error: unknown, { url, method }: RedirectHop): FailureError {
  if (isFailureError(error)) return error;
  const code = systemErrorCode(error) ?? "";
  if (code === "UND_ERR_HEADERS_OVERFLOW") {
    return netFailure("too_large", `the headers of the response from ${url.host} are too large`, { cause: error });
  }
  if (code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH" || (error instanceof Error && error.name === "HTTPParserError")) {
    return netFailure("bad_response", `${url.host} does not answer in proper HTTP/1.1`, { cause: error });
  }
  return netFailure("reset", `the connection to ${url.host} broke before the response was complete`, {
    retry: repeatable.has(method) ? "safe" : "unsafe",
    cause: error,
  });
}

function closed(): FailureError {
  return netFailure("closed", "the HTTP client is closed");
}
