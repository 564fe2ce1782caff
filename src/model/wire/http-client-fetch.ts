import { type Clock, type FailureError, fail, systemClock } from "../../base/index.ts";
import {
  type FetchAnswer,
  type HttpClient,
  type HttpRequest,
  type HttpStream,
  type StreamingHttpClient,
  createFetch,
} from "../../net/index.ts";
import { createRedactor } from "../../secrets/index.ts";
import { modelFailure } from "../port/model-reasons.ts";

/** A model response is text; more than this is a mistake. */
const defaultBytes = 16 * 2 ** 20;
/** An error is a sentence or two, or an uninformative page. */
const errorBytes = 65_536;
/** A live server sends something within this time, if only a keep-alive; models that think send less. */
const defaultIdleMs = 120_000;

/** Options of {@link httpClientFetch}. */
export interface HttpClientFetchOptions {
  /** Timeout of a whole request with its response. */
  readonly timeoutMs: number;
  /** Maximum silence between two chunks of a response. Default: 120 s, or half of the timeout if that is longer. */
  readonly idleMs?: number | undefined;
  /** 16 MiB. */
  readonly maxBytes?: number | undefined;
  /** A key that no error of a server may repeat. */
  readonly secret?: string | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * `fetch` as a model client needs it, through the guarded HTTP client. The body streams as it arrives, within limits of
 * time and size; if the HTTP client cannot stream, the body is read as a whole first.
 */
export function httpClientFetch(http: HttpClient | StreamingHttpClient, options: HttpClientFetchOptions): typeof fetch {
  const send = "open" in http ? arriving(http, options) : whole(http, options);
  return createFetch(({ headers, ...request }) => send({ ...request, headers: withoutEmpty(headers) }));
}

type Send = (request: HttpRequest) => Promise<FetchAnswer>;

/** Clients send an empty key if there is none; servers without keys expect no such header. */
function withoutEmpty(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ""));
}

function whole(http: HttpClient, { timeoutMs, maxBytes = defaultBytes, secret }: HttpClientFetchOptions): Send {
  return async (request) => {
    const { status, headers, body, truncated } = await http.request({ ...request, timeoutMs, maxBytes });
    if (truncated) throw tooLarge(request.url, maxBytes);
    return { status, headers, body: status < 400 ? body : withoutSecret(body, secret) };
  };
}

function arriving(http: StreamingHttpClient, options: HttpClientFetchOptions): Send {
  return async (request) => {
    const watch = watchOver(request, options);
    try {
      const stream = await http.open({ ...request, signal: watch.signal });
      const body = watch.pieces(stream);
      if (stream.status < 400) return { ...stream, body, close: () => stream.close() };
      return { ...stream, body: withoutSecret(await read(body, errorBytes), options.secret) };
    } catch (error) {
      throw watch.end() ?? error;
    }
  };
}

interface Watch {
  readonly signal: AbortSignal;
  /** The chunks of a body as they arrive, within the limits of time and size. */
  pieces(stream: HttpStream): AsyncGenerator<Uint8Array, void>;
  /** Returns the reason why this side ended the request, if it did. */
  end(): FailureError | undefined;
}

/** Enforces the limits of one request: its total time, silence, and size. */
function watchOver({ url, signal: caller }: HttpRequest, options: HttpClientFetchOptions): Watch {
  const { timeoutMs, maxBytes = defaultBytes, clock = systemClock } = options;
  const { idleMs = Math.max(defaultIdleMs, timeoutMs / 2) } = options;
  const own = new AbortController();
  const { host } = new URL(url);
  const begun = clock.elapsed();
  let movedAt: number | undefined;
  let tooLate: FailureError | undefined;
  const stop = (message: string): void => own.abort((tooLate = fail(message, { code: "timeout" })));
  const look = (): void => {
    const now = clock.elapsed();
    const lateAt = begun + timeoutMs;
    const idleAt = movedAt === undefined ? Infinity : movedAt + idleMs;
    if (now >= lateAt) stop(`no complete response from ${host} within ${timeoutMs / 1000} s`);
    else if (now >= idleAt) stop(`${host} sent nothing more for ${idleMs / 1000} s`);
    else timer = clock.after(Math.max(1, Math.min(lateAt, idleAt) - now), look);
  };
  let timer = clock.after(Math.min(timeoutMs, idleMs), look);
  return {
    signal: caller === undefined ? own.signal : AbortSignal.any([own.signal, caller]),
    end: () => {
      timer.cancel();
      return tooLate;
    },
    async *pieces(stream) {
      let bytes = 0;
      try {
        for await (const piece of stream.body) {
          movedAt = clock.elapsed();
          bytes += piece.length;
          if (bytes > maxBytes) throw tooLarge(url, maxBytes);
          yield piece;
        }
      } catch (error) {
        throw tooLate ?? error;
      } finally {
        timer.cancel();
        stream.close();
      }
    },
  };
}

function tooLarge(url: string, maxBytes: number): FailureError {
  const message = `the response of ${new URL(url).host} is larger than ${maxBytes / 2 ** 20} MiB`;
  return modelFailure("provider_error", message, { retry: "never" });
}

async function read(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes >= maxBytes) break;
  }
  return Buffer.concat(pieces, Math.min(bytes, maxBytes));
}

/** Some servers quote the key that they reject. */
function withoutSecret(body: Uint8Array, secret: string | undefined): Uint8Array {
  if (secret === undefined) return body;
  const text = new TextDecoder().decode(body);
  const safe = createRedactor([secret]).known(text);
  return typeof safe === "string" && safe !== text ? new TextEncoder().encode(safe) : body;
}
