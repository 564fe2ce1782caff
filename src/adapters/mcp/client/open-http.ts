import type { AuthProvider } from "@modelcontextprotocol/client";
import type { Clock } from "../../../base/index.ts";
import type { StreamingDoor } from "../../../net/index.ts";
import { type DoorFetchOptions, doorFetch } from "./door-fetch.ts";
import { guardBody } from "./guard-body.ts";
import { HttpTransport } from "./http-transport.ts";
import { LoginProvider } from "./login-provider.ts";
import type { McpLimits } from "./mcp-limits.ts";
import type { RemoteServer } from "../../../hub/index.ts";
import { mcpFailure } from "./mcp-reasons.ts";
import { Traffic } from "./traffic.ts";

/** What {@link openHttp} needs. */
export interface OpenHttpOptions {
  readonly server: string;
  readonly address: RemoteServer;
  readonly door: StreamingDoor;
  readonly provider: AuthProvider | LoginProvider | undefined;
  /** A stream for each request, or the oldest form with one for all. */
  readonly form: "streamable" | "sse";
  readonly limits: McpLimits;
  readonly clock: Clock;
  readonly log: (line: string) => void;
}

/** A transport to a server over HTTP, through the one outbound door. */
export async function openHttp(options: OpenHttpOptions): Promise<HttpTransport> {
  const { server, address, door, provider, form, limits, clock, log } = options;
  const { SSEClientTransport, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const guard: DoorFetchOptions["guard"] = (body, isEvents) => {
    const id = HttpTransport.current();
    return guardBody(body, {
      pace: () => transport.pace(),
      mostBytes: limits.messageBytes,
      isEvents,
      tooLarge: () => {
        const most = `at most ${limits.messageBytes} are taken`;
        const failure = mcpFailure("too_large", `an answer of the MCP server "${server}" has too many bytes; ${most}`);
        // Told to the request at once: its stream must not be opened again for the same answer.
        if (id !== undefined) transport.fail(id, failure);
        return failure;
      },
    });
  };
  const url = new URL(address.url);
  const settings = {
    // Not handed to the SDK, which sends them wherever a login leads.
    fetch: doorFetch({ door, serverUrl: url.href, headers: address.headers, guard }),
    ...(provider !== undefined && { authProvider: provider }),
  };
  const inner =
    form === "sse" ? new SSEClientTransport(url, settings) : new StreamableHTTPClientTransport(url, settings);
  const finishLogin = async (finish: (callback: URLSearchParams) => Promise<void>): Promise<boolean> =>
    provider instanceof LoginProvider && provider.finishLogin(finish);
  const traffic = new Traffic({ server, clock, perSecond: limits.notificationsPerSecond, log });
  const transport = new HttpTransport({ server, inner, oneStream: form === "sse", clock, traffic, finishLogin });
  return transport;
}
