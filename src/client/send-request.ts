import {
  type PathParams,
  type QueryParams,
  type RequestBody,
  type ResponseBody,
  type Route,
  type RouteName,
  routes,
} from "../api/index.ts";
import { ApiError, isApiError, toApiError } from "./api-error.ts";

/** Options of a client. */
export interface ClientOptions {
  /** The address of the server, such as `http://127.0.0.1:4780`. Default in a browser: the origin of the page. */
  readonly url?: string;
  /** A token of the server. A function is called before each request. */
  readonly token?: string | (() => string | Promise<string>);
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
  /**
   * Maximum number of retries of a request that did not reach the server, that it could not take yet (429, 503), or whose
   * work is still running, if it may be sent again: a GET, or a request with an idempotency key. Default: 2.
   */
  readonly maxRetries?: number;
  /**
   * Send an idempotency key with each request that starts work and has none, so that it can be retried, and starts the
   * work once. Calls are durable then. Default: false.
   */
  readonly idempotencyKeys?: boolean;
}

/** The values of one request: the parameters of its path, its query and its body. */
export interface RequestValues<Name extends RouteName> extends RequestOptions {
  readonly params: PathParams<Name>;
  readonly query?: QueryParams<Name> | undefined;
  readonly body?: RequestBody<Name> | undefined;
}

/** The values of a request to any route. */
interface AnyValues extends RequestOptions {
  readonly params: Readonly<Record<string, string>>;
  readonly query?: object | undefined;
  readonly body?: unknown;
}

/** Options of one request. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  /** The same request with the same key runs once, however often it is sent. */
  readonly idempotencyKey?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A response: its status, its headers and its body. */
export interface Received<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

const firstPauseMs = 250;
const maxPauseMs = 10_000;

/** Sends requests to the routes of a server. */
export class RequestSender {
  readonly #url: string;
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#url = (options.url ?? pageOrigin() ?? "").replace(/\/+$/, "");
    if (this.#url === "") throw new TypeError("a client needs the url of a server");
  }

  /** Sends a request and returns its parsed response. Throws {@link ApiError}. */
  async send<Name extends RouteName>(name: Name, values: RequestValues<Name>): Promise<Received<ResponseBody<Name>>> {
    const response = await this.open(name, values);
    const text = await response.text();
    const isJson = /json/.test(response.headers.get("content-type") ?? "");
    // The server validates its responses against the same table in its tests.
    const body = (isJson ? JSON.parse(text) : text) as ResponseBody<Name>;
    return { status: response.status, headers: response.headers, body };
  }

  /** The idempotency key of a request: that of its caller, or a new one if the client sends keys. */
  keyFor(name: RouteName, { idempotencyKey }: RequestOptions): string | undefined {
    const { startsWork }: Route = routes[name];
    const isNew = idempotencyKey === undefined && startsWork === true && this.#options.idempotencyKeys === true;
    return isNew ? newKey() : idempotencyKey;
  }

  /** Sends a request and returns its response, whose body is not read yet. Throws {@link ApiError}. */
  async open<Name extends RouteName>(name: Name, values: RequestValues<Name>): Promise<Response> {
    const { maxRetries = 2 } = this.#options;
    const route: Route = routes[name];
    const idempotencyKey = this.keyFor(name, values);
    const isRepeatable = route.method === "GET" || idempotencyKey !== undefined;
    for (let retries = 0; ; retries++) {
      const outcome = await this.#attempt(route, { ...values, idempotencyKey });
      if (outcome instanceof Response) return outcome;
      const isPassing = outcome.isTransient || runningWorkOf(outcome) !== undefined;
      if (!isRepeatable || retries >= maxRetries || !isPassing) throw outcome;
      await pause(outcome.retryAfterMs ?? Math.min(maxPauseMs, firstPauseMs * 2 ** retries), values.signal);
    }
  }

  async #attempt(route: Route, values: AnyValues): Promise<Response | ApiError> {
    const { fetch: send = fetch } = this.#options;
    const { signal } = values;
    const request = { ...(await this.#requestOf(route, values)), ...(signal && { signal }) };
    let response: Response;
    try {
      response = await send(this.#urlOf(route, values), request);
    } catch (error) {
      if (signal?.aborted === true) throw error;
      return new ApiError(undefined, `no connection to ${this.#url}: ${causeOf(error)}`, { cause: error });
    }
    return response.ok ? response : toApiError(response);
  }

  async #requestOf({ method }: Route, values: AnyValues): Promise<RequestInit> {
    const { token } = this.#options;
    const bearer = typeof token === "function" ? await token() : token;
    const { idempotencyKey, headers, body } = values;
    return {
      method,
      headers: {
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
  }

  #urlOf({ path }: Route, { params, query }: AnyValues): string {
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
    const search = new URLSearchParams();
    for (const [key, value] of Object.entries(query ?? {})) if (value !== undefined) search.set(key, String(value));
    return `${this.#url}${filled}${search.size === 0 ? "" : `?${search.toString()}`}`;
  }
}

/** The work of a request with this key is still running. Returns its id. */
export function runningWorkOf(error: unknown): string | undefined {
  const { reason, run_id: id } = (isApiError(error) ? error.problem : undefined) ?? {};
  return reason === "in_progress" ? id : undefined;
}

/** `crypto.randomUUID` is missing on pages without TLS. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The origin of the page in a browser. */
function pageOrigin(): string | undefined {
  const { location } = globalThis as { readonly location?: { readonly origin: string } };
  return location?.origin;
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message : String(cause);
}

/** Resolves after a time; rejects if the signal is aborted first. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal?.aborted === true) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}
