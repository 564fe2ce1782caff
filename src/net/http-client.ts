import type { Agent, Dispatcher } from "undici";
import { type Clock, type FailureError, isFailureError, nodeNet, orAborted, systemClock } from "../base/index.ts";
import { type AllowList, parseAllowList, withService } from "./allow-list.ts";
import { type RequestHeaders, checkHeaders } from "./check-headers.ts";
import { checkUrl } from "./check-url.ts";
import { type Connector, type Dial, createConnector } from "./connector.ts";
import { refuse } from "./net-reasons.ts";
import { acceptedCodings, decodeBody, readBody } from "./read-body.ts";
import { type Hop, type RedirectAnswer, isRedirect, nextHop } from "./redirect.ts";
import { type Resolve, systemResolve } from "./resolve-target.ts";

/** How {@link createDoor} makes a door. */
export interface DoorOptions {
  /** What is open besides the public network: `127.0.0.1:8888`, `10.0.0.0/8`, `localhost:3000`, `*.corp.example`. */
  readonly allow?: readonly string[];
  /**
   * The address of the one service that whoever set this up wants to be asked, such as `http://127.0.0.1:11434`: open
   * too, on its port, where its host is an address or the name of one in a private network. Not where clouds keep their
   * metadata, nor where it redirects to, nor on a port of services that do not speak HTTP: those only `allow` opens.
   */
  readonly service?: URL | undefined;
  /** Time for a whole request, redirects and body included, where the request sets none; 30 s. */
  readonly timeoutMs?: number;
  /** Time for one connection with its name lookup and handshake; 10 s. */
  readonly connectTimeoutMs?: number;
  /** The most decoded bytes of a body where the request sets no limit; 5 MiB. */
  readonly maxBytes?: number;
  readonly resolve?: Resolve;
  readonly dial?: Dial;
  readonly clock?: Clock;
}

/**
 * One request. Redirects are followed, but nothing confidential follows to another origin (scheme, host or port): of
 * the headers only what is harmless goes there (`accept`, `accept-language`, `accept-encoding`, `user-agent`,
 * `content-type`, `content-language`, `range`, `if-none-match`, `if-modified-since`, `cache-control`), and a redirect
 * that would take the body along is refused with the reason `cross_origin_body`.
 */
export interface HttpRequest {
  readonly url: string;
  /** `GET` where none is given. */
  readonly method?: string;
  readonly headers?: RequestHeaders;
  readonly body?: string | Uint8Array;
  readonly timeoutMs?: number;
  /** A longer body is cut here and marked as truncated. */
  readonly maxBytes?: number;
  /** 5 where none is given. */
  readonly maxRedirects?: number;
  /** Told where a redirect leads before it is followed; what it throws ends the request. Its time is not counted. */
  readonly onRedirect?: (to: URL) => void | Promise<void>;
  readonly signal?: AbortSignal;
}

/** What came back, whatever its status. */
export interface HttpResponse {
  readonly status: number;
  /** Lower-case names; a header sent several times is joined with commas, except `set-cookie`. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Decoded. */
  readonly body: Uint8Array;
  /** The body was longer than the limit. */
  readonly truncated: boolean;
  /** Where the response came from, after redirects. */
  readonly url: string;
}

/** One request whose response is read while it arrives. No limit of time or size is set but the caller's own. */
export interface StreamRequest extends Omit<HttpRequest, "timeoutMs" | "maxBytes" | "maxRedirects"> {
  /** Time until the head of the response is there; none where absent. */
  readonly headTimeoutMs?: number;
  /** `manual` gives the redirect itself, for callers with rules of their own; followed where absent. */
  readonly redirect?: "follow" | "manual";
}

/** A response whose body is still on its way. */
export interface HttpStream extends Omit<HttpResponse, "body" | "truncated"> {
  /** Decoded, as it arrives. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Lets go of the connection, whether the body was read or not. */
  close(): void;
}

/** A door that can also hand over a response while it arrives. */
export interface StreamingDoor extends Door {
  /** Sends a request and gives the response as soon as its head is there; fails with a reason of `netReasons`. */
  open(request: StreamRequest): Promise<HttpStream>;
}

/** The one way out to the network. */
export interface Door {
  /** What is open besides the public network, as it was given. */
  readonly allow?: readonly string[];
  /** Sends a request and reads the response; fails with a reason of `netReasons`. */
  request(request: HttpRequest): Promise<HttpResponse>;
  /** Ends every request under way and every connection. */
  close(): Promise<void>;
}

const methodName = /^[A-Z][A-Z-]{1,30}$/;
const unsendable: ReadonlySet<string> = new Set(["CONNECT", "TRACE", "TRACK"]);
/** Methods that may be sent again when it is unknown whether the first one arrived. */
const repeatable: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]);

/**
 * Opens the one door to the network: public addresses and what `allow` names, nothing else.
 *
 * @example
 * ```ts
 * const door = createDoor({ allow: ["127.0.0.1:8888"] });
 * const { status, body } = await door.request({ url: "http://127.0.0.1:8888/health" });
 * await door.close();
 * ```
 */
export function createDoor(options: DoorOptions = {}): StreamingDoor {
  return new HttpDoor(options);
}

/** A request under way, until its response is read. */
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
  readonly hop: Hop;
}

class HttpDoor implements StreamingDoor {
  readonly allow: readonly string[];
  readonly #allow: AllowList;
  readonly #clock: Clock;
  readonly #connector: Connector;
  readonly #limits: Required<Pick<DoorOptions, "timeoutMs" | "maxBytes">>;
  readonly #runs = new Set<AbortController>();
  /** Requests under way, by origin. */
  readonly #waiting = new Map<string, number>();
  #agent: Promise<Agent> | undefined;
  #closed = false;

  constructor(options: DoorOptions) {
    this.allow = [...(options.allow ?? [])];
    const named = parseAllowList(this.allow);
    this.#allow = options.service === undefined ? named : withService(named, options.service);
    this.#clock = options.clock ?? systemClock;
    this.#limits = { timeoutMs: options.timeoutMs ?? 30_000, maxBytes: options.maxBytes ?? 5 * 2 ** 20 };
    this.#connector = createConnector({
      allow: this.#allow,
      resolve: options.resolve ?? systemResolve,
      dial: options.dial ?? ((target) => nodeNet().connect(target)),
      clock: this.#clock,
      connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
    });
  }

  async request(asked: HttpRequest): Promise<HttpResponse> {
    const first = this.#firstHop(asked);
    const run = this.#begin(first, asked, asked.timeoutMs ?? this.#limits.timeoutMs);
    try {
      const { response, hop } = await this.#follow(first, run, asked);
      return await finish(response, hop, asked.maxBytes ?? this.#limits.maxBytes);
    } catch (error) {
      throw run.signal.aborted ? (run.signal.reason as FailureError) : error;
    } finally {
      run.end();
    }
  }

  async open(asked: StreamRequest): Promise<HttpStream> {
    const first = this.#firstHop(asked);
    const run = this.#begin(first, asked, asked.headTimeoutMs);
    try {
      const { response, hop } = await this.#follow(first, run, asked);
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

  #firstHop(asked: HttpRequest | StreamRequest): Hop {
    if (this.#closed) throw closed();
    return firstHop(asked, this.#allow);
  }

  /** Watches over a request: its time, its caller, and the door's own end. */
  #begin({ url }: Hop, { signal }: HttpRequest | StreamRequest, timeoutMs: number | undefined): Run {
    const run = new AbortController();
    const late = (): void =>
      run.abort(refuse("timeout", `no complete response from ${url.host} within ${(timeoutMs ?? 0) / 1000} s`));
    let since = this.#clock.elapsed();
    let restMs = timeoutMs;
    let timer = restMs === undefined ? undefined : this.#clock.after(restMs, late);
    const cancel = (): void => run.abort(refuse("aborted", "the request was cancelled", { cause: signal?.reason }));
    signal?.addEventListener("abort", cancel, { once: true });
    if (signal?.aborted === true) cancel();
    this.#runs.add(run);
    return {
      signal: run.signal,
      untimed: () => timer?.cancel(),
      pausing: async (wait) => {
        timer?.cancel();
        if (restMs !== undefined) restMs -= this.#clock.elapsed() - since;
        await orAborted(Promise.resolve(wait()), run.signal);
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
  async #follow(first: Hop, run: Run, asked: HttpRequest | StreamRequest): Promise<Arrived> {
    const { redirect, maxRedirects: mostHops = 5, onRedirect }: Partial<HttpRequest & StreamRequest> = asked;
    let hop = first;
    for (let hops = 0; ; hops++) {
      const response = await this.#send(hop, run.signal);
      const answer = answerOf(response);
      if (redirect === "manual" || !isRedirect(answer)) return { response, hop };
      response.body.on("error", () => {}).destroy();
      if (hops >= mostHops) {
        throw refuse("too_many_redirects", `${first.url.host} redirects more than ${mostHops} times`);
      }
      const next = nextHop(hop, answer, this.#allow);
      if (onRedirect !== undefined) await run.pausing(() => onRedirect(new URL(next.url)));
      hop = next;
    }
  }

  /** Sends one request and gives the response as soon as its headers are there. */
  async #send(hop: Hop, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const agent = await (this.#agent ??= this.#open());
    signal.throwIfAborted();
    const { origin } = hop.url;
    this.#waiting.set(origin, (this.#waiting.get(origin) ?? 0) + 1);
    try {
      // undici looks at the signal only once it has a connection, hence the race.
      return await orAborted(agent.request({ ...onWire(hop), signal }), signal);
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
      // The door's own deadline covers headers and body together, however slowly they drip.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }
}

function firstHop(asked: HttpRequest | StreamRequest, allow: AllowList): Hop {
  const method = (asked.method ?? "GET").toUpperCase();
  if (!methodName.test(method) || unsendable.has(method)) {
    throw refuse("bad_method", `${JSON.stringify(method.slice(0, 30))} is not a method that can be sent`);
  }
  const headers = new Map([...usualHeaders, ...checkHeaders(asked.headers ?? {})]);
  return { url: checkUrl(asked.url, allow), method, headers, body: asked.body };
}

const usualHeaders: ReadonlyMap<string, readonly string[]> = new Map([
  ["accept", ["*/*"]],
  ["accept-encoding", [acceptedCodings]],
  ["user-agent", ["windlass"]],
]);

function onWire({ url, method, headers, body }: Hop): Dispatcher.RequestOptions {
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    method,
    headers: [...headers].flatMap(([name, values]) => values.flatMap((value) => [name, value])),
    ...(body !== undefined && { body }),
  };
}

function answerOf({ statusCode, headers }: Dispatcher.ResponseData): RedirectAnswer {
  return { status: statusCode, location: [headers["location"]].flat()[0] };
}

function headersOf(response: Dispatcher.ResponseData): HttpResponse["headers"] {
  return Object.fromEntries(
    Object.entries(response.headers).flatMap(([name, value]) => {
      if (value === undefined) return [];
      return [[name, name === "set-cookie" ? [value].flat() : [value].flat().join(", ")]];
    }),
  );
}

function encodingOf(response: Dispatcher.ResponseData, { method }: Hop): string | undefined {
  return method === "HEAD" ? undefined : [response.headers["content-encoding"]].flat().join(",");
}

async function finish(response: Dispatcher.ResponseData, hop: Hop, maxBytes: number): Promise<HttpResponse> {
  const headers = headersOf(response);
  try {
    const encoding = encodingOf(response, hop);
    const { bytes, truncated } = await readBody({ stream: response.body, encoding, maxBytes });
    return { status: response.statusCode, headers, body: bytes, truncated, url: hop.url.href };
  } catch (error) {
    throw explain(error, hop);
  }
}

async function* arriving({ response, hop }: Arrived, run: Run): AsyncGenerator<Uint8Array, void> {
  try {
    yield* decodeBody({ stream: response.body, encoding: encodingOf(response, hop), maxBytes: Infinity });
  } catch (error) {
    throw run.signal.aborted ? (run.signal.reason as FailureError) : explain(error, hop);
  } finally {
    run.end();
  }
}

/** A failure of the exchange itself; the request may have arrived. */
function explain(error: unknown, { url, method }: Hop): FailureError {
  if (isFailureError(error)) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "UND_ERR_HEADERS_OVERFLOW") {
    return refuse("too_large", `the headers of the response from ${url.host} are too large`, { cause: error });
  }
  if (code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH" || (error instanceof Error && error.name === "HTTPParserError")) {
    return refuse("bad_response", `${url.host} does not answer in proper HTTP/1.1`, { cause: error });
  }
  return refuse("reset", `the connection to ${url.host} broke before the response was complete`, {
    retry: repeatable.has(method) ? "safe" : "unsafe",
    cause: error,
  });
}

function closed(): FailureError {
  return refuse("closed", "the door to the network is closed");
}
