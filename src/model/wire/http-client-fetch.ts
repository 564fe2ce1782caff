import { type Clock, type FailureError, fail, systemClock } from "../../base/index.ts";
import type { Door, HttpRequest, HttpResponse, HttpStream, StreamingDoor } from "../../net/index.ts";
import { createRedactor } from "../../text/index.ts";
import { modelFailure } from "../model-reasons.ts";

/** An answer of a model is text; more than this is a mistake. */
const usualBytes = 16 * 2 ** 20;
/** An error is a sentence or two, or a page that says nothing. */
const errorBytes = 65_536;
/** A server that is still alive says something within this time, if only that it is; models that think say less. */
const usualIdleMs = 120_000;

/** How {@link doorFetch} fetches. */
export interface FetchOptions {
  /** For a whole request with its answer. */
  readonly timeoutMs: number;
  /** For the silence between two pieces of an answer; 120 s, or half of the whole time where that is longer. */
  readonly idleMs?: number | undefined;
  /** 16 MiB. */
  readonly maxBytes?: number | undefined;
  /** A key that no error of a server may repeat. */
  readonly secret?: string | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * `fetch`, as a model's client wants it, through the one outbound door. The body is given as it arrives, within limits
 * of time and size; through a door that cannot do that it is whole before the client sees it.
 */
export function doorFetch(door: Door | StreamingDoor, options: FetchOptions): typeof fetch {
  const fetchNow = "open" in door ? arriving(door, options) : whole(door, options);
  return (input, init = {}) => {
    const url = typeof input === "string" ? input : input instanceof URL ? input.href : input.url;
    return fetchNow({
      url,
      method: init.method ?? "GET",
      headers: headersOf(init),
      ...(typeof init.body === "string" && { body: init.body }),
      ...(init.signal instanceof AbortSignal && { signal: init.signal }),
    });
  };
}

type Fetching = (request: HttpRequest) => Promise<Response>;

/** Clients send an empty key where there is none; servers without keys know no such header. */
function headersOf({ headers }: RequestInit): Record<string, string> {
  return Object.fromEntries([...new Headers(headers ?? {})].filter(([, value]) => value !== ""));
}

function whole(door: Door, { timeoutMs, maxBytes = usualBytes, secret }: FetchOptions): Fetching {
  return async (request) => {
    const response = await door.request({ ...request, timeoutMs, maxBytes });
    if (response.truncated) throw tooLarge(request.url, maxBytes);
    const { status, body } = response;
    return toResponse(response, status < 400 ? body : withoutSecret(body, secret));
  };
}

function arriving(door: StreamingDoor, options: FetchOptions): Fetching {
  return async (request) => {
    const watch = watchOver(request, options);
    try {
      const stream = await door.open({ ...request, signal: watch.signal });
      const body = watch.pieces(stream);
      if (stream.status >= 400) return toResponse(stream, withoutSecret(await read(body, errorBytes), options.secret));
      return toResponse(stream, toReadable(body, stream));
    } catch (error) {
      throw watch.end() ?? error;
    }
  };
}

interface Watch {
  readonly signal: AbortSignal;
  /** The pieces of a body as they arrive, as long as they come in time and do not become too many. */
  pieces(stream: HttpStream): AsyncGenerator<Uint8Array, void>;
  /** Gives why the request was ended from here, where it was. */
  end(): FailureError | undefined;
}

/** Watches over one request: its whole time, the silence within it, and its size. */
function watchOver({ url, signal: caller }: HttpRequest, options: FetchOptions): Watch {
  const { timeoutMs, maxBytes = usualBytes, clock = systemClock } = options;
  const { idleMs = Math.max(usualIdleMs, timeoutMs / 2) } = options;
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
    else if (now >= idleAt) stop(`${host} said nothing more for ${idleMs / 1000} s`);
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
  const message = `the answer of ${new URL(url).host} is larger than ${maxBytes / 2 ** 20} MiB`;
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

function toReadable(body: AsyncGenerator<Uint8Array, void>, stream: HttpStream): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await body.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    cancel() {
      // A generator that waits for a piece ends only once the connection does.
      stream.close();
      body.return().catch(() => {});
    },
  });
}

/** Statuses that have no body, by the rules of `fetch`. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

function toResponse(
  { status, headers }: Pick<HttpResponse, "status" | "headers">,
  body: Uint8Array | ReadableStream<Uint8Array>,
): Response {
  const texts = Object.entries(headers).flatMap(([name, value]) =>
    // The body is decoded, so what described its coding would be wrong now.
    typeof value === "string" && !/^content-(?:encoding|length)$/.test(name) ? [[name, value] as [string, string]] : [],
  );
  // The bytes are the door's own copy.
  const sent = bodiless.has(status) ? null : (body as Uint8Array<ArrayBuffer> | ReadableStream);
  return new Response(sent, { status, headers: texts });
}

/** Some servers quote the key that they do not accept. */
function withoutSecret(body: Uint8Array, secret: string | undefined): Uint8Array {
  if (secret === undefined) return body;
  const text = new TextDecoder().decode(body);
  const safe = createRedactor([secret]).known(text);
  return typeof safe === "string" && safe !== text ? new TextEncoder().encode(safe) : body;
}
