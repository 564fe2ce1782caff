import { type IncomingMessage, type Server as HttpServer, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fail, nodeCrypto } from "../../../base/index.ts";
import { HeldDialogues } from "./held-dialogues.ts";
import { readBody, sendWebResponse, toWebRequest } from "./http-bridge.ts";
import { type Guard, type GuardOptions, type Refusal, createGuard, isLoopback } from "./http-guard.ts";
import { HttpSessions, type SessionAnswer } from "./http-sessions.ts";
import { type ProtocolParts, createProtocolServer } from "./protocol-server.ts";
import type { McpHttpHandler } from "./sdk.ts";
import type { ServingLines } from "./serving-lines.ts";

/** Where and for whom to serve over HTTP. */
export interface HttpOptions extends Omit<GuardOptions, "host" | "token"> {
  /** `127.0.0.1` where absent. */
  readonly host?: string;
  /** A free one where absent or 0. */
  readonly port?: number;
  /** What clients have to send; made up where absent, which is refused for other hosts than this machine. */
  readonly token?: string;
  readonly limits?: Partial<HttpLimits>;
}

/** What a client can make the server do. */
export interface HttpLimits {
  /** Of one request. */
  readonly bodyBytes: number;
  /** Messages in one request. */
  readonly batch: number;
  readonly sessions: number;
  readonly sessionIdleMs: number;
  readonly connections: number;
  /** For the head of a request, and for all of it. */
  readonly headersMs: number;
  readonly requestMs: number;
}

/** The limits where nothing else is said. */
export const httpLimits: HttpLimits = {
  bodyBytes: 4 << 20,
  batch: 50,
  sessions: 100,
  sessionIdleMs: 1_800_000,
  connections: 512,
  headersMs: 10_000,
  requestMs: 30_000,
};

/** A server that listens. */
export interface HttpServing {
  readonly url: string;
  readonly port: number;
  readonly token: string;
  /** Ends what is under way, and leaves no socket open. */
  close(): Promise<void>;
}

/** What is served over HTTP. */
export interface HttpParts extends ProtocolParts {
  readonly lines: ServingLines;
  readonly log: (message: string) => void;
}

/** Everything is here. */
const path = "/mcp";
const shortestToken = 16;
const longestGoodbyeMs = 500;

/** Serves both eras on one address: sessions for clients of 2025, single requests for those of 2026. */
export async function serveHttp(parts: HttpParts, options: HttpOptions): Promise<HttpServing> {
  const { host = "127.0.0.1", port = 0 } = options;
  const limits = { ...httpLimits, ...options.limits };
  const token = tokenFor(host, options.token);
  const { sdk, clock, lines, log } = parts;
  const held = new HeldDialogues({ sdk, clock });
  const modern = sdk.createMcpHandler(({ era }) => createProtocolServer(parts, { era, held }).server, {
    legacy: "reject",
    onerror: (error) => log(error.message),
  });
  const forget = lines.addHandler(modern);
  const sessions = new HttpSessions({ ...parts, held, most: limits.sessions, idleMs: limits.sessionIdleMs });
  const guard = createGuard({ ...options, host, token });
  const door = new HttpDoor({ ...parts, guard, limits, modern, sessions });
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: Math.min(limits.headersMs, 2000),
    },
    (request, response) => void door.serve(request, response),
  );
  server.maxConnections = limits.connections;
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
      // What they ended is sent before the connections go.
      const until = clock.elapsed() + longestGoodbyeMs;
      while (clock.elapsed() < until && (await connectionsOf(server)) > 0) {
        server.closeIdleConnections();
        await new Promise<void>((resolve) => void clock.after(10, resolve));
      }
      server.closeAllConnections();
      await closed;
    },
  };
}

interface DoorParts extends Pick<HttpParts, "sdk" | "log"> {
  readonly guard: Guard;
  readonly limits: HttpLimits;
  readonly modern: McpHttpHandler;
  readonly sessions: HttpSessions;
}

/** One request after the other, each looked at before it is read. */
class HttpDoor {
  readonly #parts: DoorParts;

  constructor(parts: DoorParts) {
    this.#parts = parts;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A client that breaks off is no fault of ours.
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
    const { guard, limits } = this.#parts;
    const refusal = guard.refuse(request) ?? misdirected(request);
    if (refusal !== undefined) return refuse(response, refusal);
    if (guard.isAllowedOrigin(request)) allowOrigin(request, response);
    if (request.method === "OPTIONS") return void response.writeHead(204).end();
    if (request.method !== "POST") return this.#answer(request, response, undefined);
    const body = await readBody(request, limits.bodyBytes);
    if (body.kind === "gone") return void response.destroy();
    if (body.kind === "too_large") return refuse(response, tooLarge);
    const parsed = parse(body.text);
    if (parsed === undefined)
      return refuse(response, { status: 400, message: "Parse error: the body is not JSON" }, -32_700);
    if (Array.isArray(parsed) && parsed.length > limits.batch) return refuse(response, tooLarge);
    return this.#answer(request, response, parsed);
  }

  async #answer(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    const { sdk } = this.#parts;
    const web = toWebRequest(request, response);
    const isLegacy = await sdk.isLegacyRequest(web, body);
    const { response: answer, sent } = await (isLegacy
      ? this.#parts.sessions.handle({ request: web, body })
      : this.#single(web, body));
    if (response.destroyed) sent();
    else response.once("close", sent);
    await sendWebResponse(response, answer);
  }

  async #single(request: Request, body: unknown): Promise<SessionAnswer> {
    return { response: await this.#parts.modern.fetch(request, { parsedBody: body }), sent: () => {} };
  }
}

const tooLarge: Refusal = { status: 413, message: "the request is too large" };

function misdirected({ url = "", method = "" }: IncomingMessage): Refusal | undefined {
  if (url.split("?", 1)[0] !== path) return { status: 404, message: `there is nothing here; the server is at ${path}` };
  if (["GET", "POST", "DELETE", "OPTIONS"].includes(method)) return undefined;
  return { status: 405, message: "Method not allowed.", headers: { allow: "GET, POST, DELETE" } };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Says no, and reads nothing more of whoever it is. */
function refuse(response: ServerResponse, { status, message, headers }: Refusal, code = -32_000): void {
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

function tokenFor(host: string, given: string | undefined): string {
  const refused = (message: string): Error =>
    fail(message, { code: "permission_denied", reason: "mcp_token", retry: "never" });
  if (given === undefined) {
    if (isLoopback(host)) return nodeCrypto().randomBytes(32).toString("base64url");
    throw refused(`to listen on ${host}, which other machines can reach, a token has to be given`);
  }
  if (given.length >= shortestToken && /^\S+$/.test(given)) return given;
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
