import type { AuthProvider } from "@modelcontextprotocol/client";
import type { FailureError } from "../../../base/index.ts";
import { type StreamingHttpClient, createFetch } from "../../../net/index.ts";
import { HttpTransport } from "./http-transport.ts";
import { type LoginProvider, isLoginProvider } from "./login-provider.ts";
import type { McpHttpAddress } from "../../../hub/index.ts";
import { mcpFailure } from "./mcp-reasons.ts";
import { Traffic } from "./traffic.ts";
import type { StdioOptions } from "./stdio-transport.ts";

/** Options of {@link openHttp}. */
export interface OpenHttpOptions extends Omit<StdioOptions, "program"> {
  readonly address: McpHttpAddress;
  readonly http: StreamingHttpClient;
  readonly provider: AuthProvider | LoginProvider | undefined;
  /** One stream for each request, or the oldest form with one for all. */
  readonly form: "streamable" | "sse";
}

/** Opens a transport to a server over HTTP, through the one outbound HTTP client. */
export async function openHttp(options: OpenHttpOptions): Promise<HttpTransport> {
  const { server, address, http, provider, form, limits, clock, log } = options;
  const { SSEClientTransport, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const guard: McpFetchOptions["guard"] = (body, isEvents) => {
    const id = HttpTransport.current();
    return limitBody(body, {
      pace: () => transport.pace(),
      maxBytes: limits.messageBytes,
      isEvents,
      tooLarge: () => {
        const max = `at most ${limits.messageBytes} are taken`;
        const failure = mcpFailure("too_large", `a response of the MCP server "${server}" has too many bytes; ${max}`);
        // Fails the request at once: its stream must not be reopened for the same response.
        if (id !== undefined) transport.fail(id, failure);
        return failure;
      },
    });
  };
  const url = new URL(address.url);
  const settings = {
    // Not passed to the SDK, which sends them to any address of a login.
    fetch: mcpFetch({ http, serverUrl: url.href, headers: address.headers, guard }),
    ...(provider !== undefined && { authProvider: provider }),
  };
  const inner =
    form === "sse" ? new SSEClientTransport(url, settings) : new StreamableHTTPClientTransport(url, settings);
  const finishLogin = async (finish: (callback: URLSearchParams) => Promise<void>): Promise<boolean> =>
    isLoginProvider(provider) && provider.finishLogin(finish);
  const traffic = new Traffic({ server, clock, perSecond: limits.notificationsPerSecond, log });
  const transport = new HttpTransport({ server, inner, oneStream: form === "sse", clock, traffic, finishLogin });
  return transport;
}

/** Timeout of requests for discovery and login, which do not go to the server itself. */
const sideTimeoutMs = 30_000;

interface McpFetchOptions {
  readonly http: StreamingHttpClient;
  /** The server's own URL; only requests to other URLs have a timeout here. */
  readonly serverUrl: string;
  /** Sent only to the server: never to another origin, such as an authorization server. */
  readonly headers: Readonly<Record<string, string>>;
  /** Passes on the bytes of a body, or fails. */
  readonly guard: (body: AsyncIterable<Uint8Array>, isEvents: boolean) => AsyncIterable<Uint8Array>;
}

/** A `fetch` for the protocol's client that uses the one outbound HTTP client; bodies are streamed. */
function mcpFetch({ http, serverUrl, headers, guard }: McpFetchOptions): typeof fetch {
  const { origin } = new URL(serverUrl);
  return createFetch(async ({ url, ...request }) => {
    const own = URL.parse(url)?.origin === origin ? Object.fromEntries(new Headers(headers)) : {};
    const stream = await http.open({
      url,
      ...request,
      headers: { ...own, ...request.headers, "accept-encoding": "identity" },
      ...(url !== serverUrl && { headTimeoutMs: sideTimeoutMs }),
    });
    const isEvents = /^text\/event-stream/i.test(String(stream.headers["content-type"]));
    return { ...stream, body: guard(stream.body, isEvents), close: () => stream.close() };
  });
}

const [lineFeed, carriageReturn] = [0x0a, 0x0d];

/** Options of {@link limitBody}. */
export interface BodyLimitOptions {
  /** Maximum size of one message. */
  readonly maxBytes: number;
  /**
   * True for a stream of events, which has many messages, each ended by an empty line; any other body is one message.
   */
  readonly isEvents: boolean;
  readonly tooLarge: () => FailureError;
  /** Awaited before each event, so that a slow reader applies backpressure to the writer. */
  readonly pace?: () => Promise<void> | undefined;
}

/** Passes on the bytes of a body while no message exceeds the limit; a stream of events is passed on one event at a time. */
export async function* limitBody(
  body: AsyncIterable<Uint8Array>,
  { maxBytes, isEvents, tooLarge, pace }: BodyLimitOptions,
): AsyncGenerator<Uint8Array, void> {
  let size = 0;
  let lineIsEmpty = true;
  for await (const piece of body) {
    let from = 0;
    const searched = isEvents ? piece.length : 0;
    for (let at = 0; at < searched; at++) {
      const byte = piece[at];
      if (byte === carriageReturn) continue;
      const ends = byte === lineFeed && lineIsEmpty;
      lineIsEmpty = byte === lineFeed;
      if (!ends) continue;
      await pace?.();
      yield piece.subarray(from, at + 1);
      from = at + 1;
      size = 0;
    }
    size += piece.length - from;
    // Chunks are small, so a message exceeds the limit by one of them at most.
    if (size > maxBytes) throw tooLarge();
    if (from < piece.length) yield piece.subarray(from);
  }
}
