import type { HttpStream, StreamingDoor } from "../../../net/index.ts";

/** Statuses that have no body, by the rules of `fetch`. */
const bodiless: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/** For all but the server itself: finding out how to log in, and doing so. */
const sideTimeoutMs = 30_000;

/** How {@link doorFetch} fetches. */
export interface DoorFetchOptions {
  readonly door: StreamingDoor;
  /** The server's own address: what it takes its time for is up to the caller. */
  readonly serverUrl: string;
  /** For the server alone: nothing of them goes to another origin, such as one where somebody logs in. */
  readonly headers: Readonly<Record<string, string>>;
  /** Passes the bytes of a body on, or fails. */
  readonly guard: (body: AsyncIterable<Uint8Array>, isEvents: boolean) => AsyncIterable<Uint8Array>;
}

/** `fetch`, as the protocol's client wants it, through the one outbound door; bodies arrive as they are read. */
export function doorFetch({ door, serverUrl, headers, guard }: DoorFetchOptions): typeof fetch {
  const { origin } = new URL(serverUrl);
  return async (input, init = {}) => {
    const url = typeof input === "string" ? input : input instanceof URL ? input.href : input.url;
    const stream = await door.open({
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

function toResponse(stream: HttpStream, guard: DoorFetchOptions["guard"]): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(stream.headers)) {
    // The body is decoded, so what described its coding would be wrong now.
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
        // The door's own copy.
        else controller.enqueue(value as Uint8Array<ArrayBuffer>);
      } catch (error) {
        stream.close();
        controller.error(error);
      }
    },
    cancel: () => stream.close(),
  });
}
