import type { HttpStream, StreamingHttpClient } from "../../../net/index.ts";

/** Statuses that have no body, by the rules of `fetch`. */
const bodiless: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/** Timeout of requests for discovery and login, which do not go to the server itself. */
const sideTimeoutMs = 30_000;

/** Options of {@link mcpFetch}. */
export interface McpFetchOptions {
  readonly http: StreamingHttpClient;
  /** The server's own URL; only requests to other URLs have a timeout here. */
  readonly serverUrl: string;
  /** Sent only to the server: never to another origin, such as an authorization server. */
  readonly headers: Readonly<Record<string, string>>;
  /** Passes on the bytes of a body, or fails. */
  readonly guard: (body: AsyncIterable<Uint8Array>, isEvents: boolean) => AsyncIterable<Uint8Array>;
}

/** A `fetch` for the protocol's client that uses the one outbound HTTP client; bodies are streamed. */
export function mcpFetch({ http, serverUrl, headers, guard }: McpFetchOptions): typeof fetch {
  const { origin } = new URL(serverUrl);
  return async (input, init = {}) => {
    const url = typeof input === "string" ? input : input instanceof URL ? input.href : input.url;
    const stream = await http.open({
      url,
      method: init.method ?? "GET",
      headers: {
        ...Object.fromEntries([
          ...new Headers(URL.parse(url)?.origin === origin ? headers : {}),
          ...new Headers(init.headers),
        ]),
        "accept-encoding": "identity",
      },
      ...bodyOf(init.body),
      ...(init.redirect === "manual" && { redirect: "manual" }),
      ...(url !== serverUrl && { headTimeoutMs: sideTimeoutMs }),
      ...(init.signal instanceof AbortSignal && { signal: init.signal }),
    });
    return toResponse(stream, guard);
  };
}

function bodyOf(body: unknown): { readonly body?: string } {
  if (typeof body === "string") return { body };
  return body instanceof URLSearchParams ? { body: body.toString() } : {};
}

function toResponse(stream: HttpStream, guard: McpFetchOptions["guard"]): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(stream.headers)) {
    // The body is decoded, so its coding headers would be wrong.
    if (/^content-(?:encoding|length)$/.test(name)) continue;
    for (const one of [value].flat()) headers.append(name, one);
  }
  if (bodiless.has(stream.status)) {
    stream.close();
    return new Response(null, { status: stream.status, headers });
  }
  const isEvents = headers.get("content-type")?.toLowerCase().startsWith("text/event-stream") ?? false;
  return new Response(readable(stream, guard(stream.body, isEvents)), { status: stream.status, headers });
}

function readable(stream: HttpStream, body: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const pieces = body[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await pieces.next();
        if (done === true) controller.close();
        // Already a copy made by the HTTP client.
        else controller.enqueue(value as Uint8Array<ArrayBuffer>);
      } catch (error) {
        stream.close();
        controller.error(error);
      }
    },
    cancel: () => stream.close(),
  });
}
