import { type IncomingMessage, type Server as HttpServer, type ServerResponse, createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { fail, nodeCrypto, sleep, parseJson } from "../../../base/index.ts";
import { isLoopbackHost } from "../../../net/index.ts";
import { PendingDialogues } from "./dialogue.ts";
import {
  readRequestBody,
  sendWebResponse,
  toWebRequest,
  type HttpGuard,
  type HttpGuardOptions,
  type HttpRefusal,
  createHttpGuard,
} from "./http-guard.ts";
import { HttpSessions, type SessionResponse } from "./http-sessions.ts";
import { type ProtocolServerDeps, createProtocolServer } from "./protocol-server.ts";
import type { McpHttpHandler } from "./sdk.ts";
import type { ConnectedClients } from "./connected-clients.ts";

/** Options for serving over HTTP. */
export interface McpHttpOptions extends Omit<HttpGuardOptions, "host" | "token"> {
  /** Default: `127.0.0.1`. */
  readonly host?: string;
  /** Default, and for 0: a free port. */
  readonly port?: number;
  /** Bearer token that clients must send. Default: a generated one, which is only allowed on the loopback interface. */
  readonly token?: string;
  readonly limits?: Partial<McpHttpLimits>;
}

/** Limits on the load that clients can cause. */
export interface McpHttpLimits {
  /** Maximum size of one request. */
  readonly bodyBytes: number;
  /** Maximum number of messages in one request. */
  readonly batch: number;
  readonly sessions: number;
  readonly sessionIdleMs: number;
  readonly connections: number;
  /** Maximum number of connections that have not sent the token yet; a new one closes the oldest of them. */
  readonly unauthenticated: number;
  /** Timeouts of the head of a request, and of the whole request. */
  readonly headersMs: number;
  readonly requestMs: number;
}

/** Default limits. */
export const defaultMcpHttpLimits: McpHttpLimits = {
  bodyBytes: 4 << 20,
  batch: 50,
  sessions: 100,
  sessionIdleMs: 1_800_000,
  connections: 512,
  unauthenticated: 64,
  headersMs: 2_000,
  requestMs: 30_000,
};

/** A server that listens. */
export interface McpHttpServer {
  readonly url: string;
  readonly port: number;
  readonly token: string;
  /** Ends all requests, and closes all sockets. */
  close(): Promise<void>;
}

/** Dependencies of the HTTP server. */
interface McpHttpDeps extends ProtocolServerDeps {
  readonly lines: ConnectedClients;
  readonly log: (message: string) => void;
}

/** Everything is here. */
const path = "/mcp";
const shortestToken = 16;
const maxGoodbyeMs = 500;

/** Serves both protocol versions on one address: sessions for clients of 2025, single requests for those of 2026. */
export async function serveHttp(parts: McpHttpDeps, options: McpHttpOptions): Promise<McpHttpServer> {
  const { host = "127.0.0.1", port = 0 } = options;
  const limits = { ...defaultMcpHttpLimits, ...options.limits };
  const token = tokenFor(host, options.token);
  const { sdk, clock, lines, log } = parts;
  const held = new PendingDialogues({ sdk, clock });
  const session = `token-${nodeCrypto().createHash("sha256").update(token).digest("base64url")}`;
  const modern = sdk.createMcpHandler(
    ({ era: protocolVersion }) => createProtocolServer(parts, { protocolVersion, held, session }).server,
    {
      legacy: "reject",
      onerror: (error) => log(error.message),
    },
  );
  const forget = lines.addHandler(modern);
  const sessions = new HttpSessions({ ...parts, held, maxSessions: limits.sessions, idleMs: limits.sessionIdleMs });
  const guard = createHttpGuard({ ...options, host, token });
  const strangers = new UnauthenticatedSockets(limits.unauthenticated);
  const http = new McpHttpListener({ ...parts, guard, limits, modern, sessions, strangers });
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: Math.min(limits.headersMs, 500),
    },
    (request, response) => void http.serve(request, response),
  );
  server.maxConnections = limits.connections + limits.unauthenticated;
  server.on("connection", (socket) => strangers.add(socket));
  await listen(server, host, port);
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}${path}`,
    port: bound,
    token,
    close: async () => {
      forget();
      const closed = new Promise((resolve) => server.close(resolve));
      held.close();
      await Promise.all([sessions.close(), modern.close()]);
      // The final responses are sent before the connections close.
      const until = clock.elapsed() + maxGoodbyeMs;
      while (clock.elapsed() < until && (await connectionsOf(server)) > 0) {
        server.closeIdleConnections();
        await sleep(clock, 10);
      }
      server.closeAllConnections();
      await closed;
    },
  };
}

interface McpHttpListenerDeps extends Pick<McpHttpDeps, "sdk" | "log"> {
  readonly guard: HttpGuard;
  readonly limits: McpHttpLimits;
  readonly modern: McpHttpHandler;
  readonly sessions: HttpSessions;
  readonly strangers: UnauthenticatedSockets;
}

/** The connections without a token. They are counted separately, so that they cannot keep clients with a token out. */
class UnauthenticatedSockets {
  readonly #max: number;
  /** Oldest first. */
  readonly #sockets = new Set<Socket>();

  constructor(max: number) {
    this.#max = max;
  }

  add(socket: Socket): void {
    const [oldest] = this.#sockets;
    if (oldest !== undefined && this.#sockets.size >= this.#max) oldest.destroy();
    this.#sockets.add(socket);
    socket.once("close", () => this.delete(socket));
  }

  delete(socket: Socket): void {
    this.#sockets.delete(socket);
  }
}

/** Handles requests, each checked before its body is read. */
class McpHttpListener {
  readonly #parts: McpHttpListenerDeps;

  constructor(parts: McpHttpListenerDeps) {
    this.#parts = parts;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A client that disconnects is not an error.
    response.on("error", () => undefined);
    try {
      await this.#serve(request, response);
    } catch (error) {
      if (!response.destroyed) this.#parts.log(`a request failed: ${String(error)}`);
      if (response.headersSent) response.destroy();
      else refuse(response, { status: 500, message: "Internal server error" }, -32_603);
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { guard, limits, strangers } = this.#parts;
    const refusal = guard.refuse(request) ?? misdirected(request);
    if (refusal !== undefined) return refuse(response, refusal);
    if (request.method !== "OPTIONS") strangers.delete(request.socket);
    if (guard.isAllowedOrigin(request)) allowOrigin(request, response);
    if (request.method === "OPTIONS") return void response.writeHead(204).end();
    if (request.method !== "POST") return this.#answer(request, response, undefined);
    const body = await readRequestBody(request, limits.bodyBytes);
    if (body.kind === "gone") return void response.destroy();
    if (body.kind === "too_large") return refuse(response, tooLarge);
    const parsed = parseJson(body.text);
    if (parsed === undefined)
      return refuse(response, { status: 400, message: "Parse error: the body is not JSON" }, -32_700);
    if (Array.isArray(parsed) && parsed.length > limits.batch) return refuse(response, tooLarge);
    return this.#answer(request, response, parsed);
  }

  async #answer(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    const web = toWebRequest(request, response);
    const isLegacy = await this.#parts.sdk.isLegacyRequest(web, body);
    const { response: answer, sent } = await (isLegacy
      ? this.#parts.sessions.handle({ request: web, body })
      : this.#single(web, body));
    if (response.destroyed) sent();
    else response.once("close", sent);
    await sendWebResponse(response, answer);
  }

  async #single(request: Request, body: unknown): Promise<SessionResponse> {
    return { response: await this.#parts.modern.fetch(request, { parsedBody: body }), sent: () => {} };
  }
}

const tooLarge: HttpRefusal = { status: 413, message: "the request is too large" };

function misdirected({ url = "", method = "" }: IncomingMessage): HttpRefusal | undefined {
  if (!/^\/(?!\/)/.test(url)) return { status: 400, message: `the target of a request begins with /; send ${path}` };
  if (url.split("?", 1)[0] !== path) return { status: 404, message: `unknown path; the server is at ${path}` };
  if (["GET", "POST", "DELETE", "OPTIONS"].includes(method)) return undefined;
  return { status: 405, message: "Method not allowed.", headers: { allow: "GET, POST, DELETE" } };
}

/** Rejects the request and reads nothing more of it. */
function refuse(response: ServerResponse, { status, message, headers }: HttpRefusal, code = -32_000): void {
  response.writeHead(status, { ...headers, "content-type": "application/json", connection: "close" });
  response.end(JSON.stringify({ jsonrpc: "2.0", error: { code, message }, id: null }));
}

function allowOrigin({ headers, method }: IncomingMessage, response: ServerResponse): void {
  response.setHeader("access-control-allow-origin", headers.origin ?? "");
  response.setHeader("access-control-expose-headers", "mcp-session-id, www-authenticate");
  response.setHeader("vary", "origin");
  if (method !== "OPTIONS") return;
  response.setHeader("access-control-allow-methods", "GET, POST, DELETE");
  response.setHeader("access-control-allow-headers", headers["access-control-request-headers"] ?? "");
}

function tokenFor(host: string, input: string | undefined): string {
  const refused = (message: string): Error =>
    fail(message, { code: "permission_denied", reason: "mcp_token", retry: "never" });
  if (input === undefined) {
    if (isLoopbackHost(host)) return nodeCrypto().randomBytes(32).toString("base64url");
    throw refused(`to listen on ${host}, which other machines can reach, a token is required`);
  }
  if (input.length >= shortestToken && /^\S+$/.test(input)) return input;
  throw refused(`the token needs at least ${shortestToken} characters, none of them blank`);
}

function connectionsOf(server: HttpServer): Promise<number> {
  return new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
}

function listen(server: HttpServer, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException): void =>
      reject(fail(`cannot listen on ${host}:${port}: ${error.message}`, { code: "not_available", cause: error }));
    server.once("error", failed);
    server.listen(port, host, () => {
      server.off("error", failed);
      resolve();
    });
  });
}
