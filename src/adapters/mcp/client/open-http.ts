import type { AuthProvider } from "@modelcontextprotocol/client";
import type { Clock } from "../../../base/index.ts";
import type { StreamingHttpClient } from "../../../net/index.ts";
import { type McpFetchOptions, mcpFetch } from "./mcp-fetch.ts";
import { limitBody } from "./limit-body.ts";
import { HttpTransport } from "./http-transport.ts";
import type { LoginProvider } from "./login-provider.ts";
import { isLoginProvider } from "./login-provider.ts";
import type { McpLimits } from "./mcp-limits.ts";
import type { McpHttpAddress } from "../../../hub/index.ts";
import { mcpFailure } from "./mcp-reasons.ts";
import { Traffic } from "./traffic.ts";

/** Options of {@link openHttp}. */
export interface OpenHttpOptions {
  readonly server: string;
  readonly address: McpHttpAddress;
  readonly http: StreamingHttpClient;
  readonly provider: AuthProvider | LoginProvider | undefined;
  /** One stream for each request, or the oldest form with one for all. */
  readonly form: "streamable" | "sse";
  readonly limits: McpLimits;
  readonly clock: Clock;
  readonly log: (line: string) => void;
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
