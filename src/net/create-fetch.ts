import type { HttpResponse, StreamRequest } from "./http-client.ts";

/** The request of a call of `fetch`. */
export interface FetchRequest extends StreamRequest {
  readonly method: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The answer to a request. */
export interface FetchAnswer extends Pick<HttpResponse, "status" | "headers"> {
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
  /** Releases the connection, whether the body was read or not. */
  close?(): void;
}

/** Statuses that have no body, by the rules of `fetch`. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

/** A `fetch` for clients of other packages, from a function that sends requests with the guarded HTTP client. */
export function createFetch(send: (request: FetchRequest) => Promise<FetchAnswer>): typeof fetch {
  return async (input, init = {}) => {
    const { body, redirect, signal } = init;
    const answer = await send({
      url: typeof input === "string" ? input : input instanceof URL ? input.href : input.url,
      method: init.method ?? "GET",
      headers: Object.fromEntries(new Headers(init.headers)),
      ...((typeof body === "string" || body instanceof URLSearchParams) && { body: body.toString() }),
      ...(redirect === "manual" && { redirect }),
      ...(signal instanceof AbortSignal && { signal }),
    });
    return toResponse(answer);
  };
}

function toResponse(answer: FetchAnswer): Response {
  const { status, body } = answer;
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) {
    // The body is decoded, so headers about its coding no longer apply.
    if (/^content-(?:encoding|length)$/.test(name)) continue;
    for (const one of [value].flat()) headers.append(name, one);
  }
  if (bodiless.has(status)) {
    answer.close?.();
    return new Response(null, { status, headers });
  }
  // The bytes are a private copy of the HTTP client.
  const sent = body instanceof Uint8Array ? (body as Uint8Array<ArrayBuffer>) : toReadable(body, answer);
  return new Response(sent, { status, headers });
}

function toReadable(body: AsyncIterable<Uint8Array>, answer: FetchAnswer): ReadableStream<Uint8Array<ArrayBuffer>> {
  const pieces = body[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await pieces.next();
        if (done === true) controller.close();
        else controller.enqueue(value as Uint8Array<ArrayBuffer>);
      } catch (error) {
        answer.close?.();
        throw error;
      }
    },
    cancel() {
      // A generator that waits for a chunk ends only when the connection closes.
      answer.close?.();
      pieces.return?.().catch(() => {});
    },
  });
}
