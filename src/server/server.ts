import type { McpToolServer } from "../adapters/index.ts";
import type { RunEvent } from "../chain/index.ts";
import type { InboundLimits } from "../net/index.ts";
import type { CallerLimitOptions } from "./request/caller-limits.ts";
import type { StaticTokens } from "./request/find-callers.ts";
import type { SessionGrant } from "./request/session-codes.ts";
import type { AccessLogEntry } from "./request/access-log.ts";

/** Options of {@link createServer}. */
export interface ServerOptions {
  /** Tokens besides those of `workspace.tokens`, by the names of their principals; a token alone has all scopes. */
  readonly tokens?: StaticTokens;
  /** Limits of the requests of each token. */
  readonly limits?: CallerLimitOptions;
  /** The address to listen on. Default: 127.0.0.1. */
  readonly host?: string;
  /** More host names under which it may be addressed, such as that of a proxy. */
  readonly allowedHosts?: readonly string[];
  /** Origins of pages of other sites that may use it. */
  readonly allowedOrigins?: readonly string[];
  /** Maximum size of a body. Default: 1 MiB. */
  readonly maxBodyBytes?: number;
  /** Serves MCP clients at `/mcp`. Default: with the tools that `windlass mcp serve` offers. */
  readonly mcp?: McpToolServer;
  /** `mcp`: serves only MCP and health, and executes no runs. */
  readonly only?: "mcp";
  /** Folder of a page that is served at `/`. Default: that of the package. */
  readonly staticFolder?: string;
  /** Limits of connections. */
  readonly connectionLimits?: Partial<InboundLimits>;
  /** Maximum time that `close` waits for requests that are being handled. Default: 10 s. */
  readonly drainMs?: number;
  /** Receives the events of the runs of chains that it executes. */
  readonly onRunEvent?: (event: RunEvent) => void;
  /** Receives a line for each request. */
  readonly onAccess?: (entry: AccessLogEntry) => void;
  /** Receives errors other than failures, which are bugs. Default: a process warning. */
  readonly onError?: (error: unknown, requestId: string) => void;
}

/** An HTTP server over a workspace. */
export interface Server {
  /** Answers a request, without a port: for Hono, Express, Next, or a test. */
  readonly fetch: (request: Request) => Response | Promise<Response>;
  /** Listens, and resolves with the address. Default port: 4780; 0 for a free one. */
  listen(port?: number): Promise<{ readonly url: string; readonly port: number }>;
  /** A one-time code for a link, valid for five minutes: `POST /v1/session` exchanges it for a token. */
  createSessionCode(grant: SessionGrant): string;
  /** Reports itself as not ready, starts no more work, waits for running requests, and then stops to listen. */
  close(): Promise<void>;
}
