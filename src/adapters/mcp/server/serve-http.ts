import { getRequestListener } from "@hono/node-server";
import { fail, nodeCrypto } from "../../../base/index.ts";
import {
  type InboundGuard,
  type InboundLimits,
  InboundServer,
  allowingOrigins,
  createInboundGuard,
  isLoopbackHost,
} from "../../../net/index.ts";
import {
  type McpEndpointLimits,
  defaultMcpEndpointLimits,
  mcpError,
  McpEndpoint,
  type McpEndpointDeps,
} from "./http-endpoint.ts";

/** Options for serving over HTTP. */
export interface McpHttpOptions {
  /** Default: `127.0.0.1`. */
  readonly host?: string;
  /** Default, and for 0: a free port. */
  readonly port?: number;
  /** Bearer token that clients must send. Default: a generated one, which is only allowed on the loopback interface. */
  readonly token?: string;
  /** Additional host names under which it may be addressed. */
  readonly allowedHosts?: readonly string[];
  /** Origins of pages whose scripts may use it, such as `https://inspector.example`. */
  readonly allowedOrigins?: readonly string[];
  readonly limits?: Partial<McpHttpLimits>;
}

/** Limits on the load that clients can cause. */
export interface McpHttpLimits extends McpEndpointLimits, InboundLimits {}

/** Default limits. */
export const defaultMcpHttpLimits: McpHttpLimits = {
  ...defaultMcpEndpointLimits,
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

/** The path and its methods. */
const path = "/mcp";
const methods = ["GET", "POST", "DELETE"];
const shortestToken = 16;
/** The final responses are sent before the connections close. */
const maxGoodbyeMs = 500;

interface Connection {
  readonly outgoing?: undefined;
  readonly onAuthenticated: () => void;
}

/** Serves all clients that have the token at one address. */
export async function serveHttp(parts: McpEndpointDeps, options: McpHttpOptions): Promise<McpHttpServer> {
  const { host = "127.0.0.1", port = 0, allowedHosts, allowedOrigins } = options;
  const limits = { ...defaultMcpHttpLimits, ...options.limits };
  const token = tokenFor(host, options.token);
  const guard = createInboundGuard({ host, allowedHosts, allowedOrigins });
  const endpoint = new McpEndpoint(parts, limits);
  const isKnown = tokenCheck(token);
  const answer = allowingOrigins(
    guard,
    async (request: Request, { onAuthenticated }: Connection): Promise<Response> => {
      const refused = refuse(request, guard, server.port);
      if (refused !== undefined) return refused;
      if (!isKnown(request)) return unauthorized();
      onAuthenticated();
      return misdirected(request) ?? (await endpoint.respond(request, { id: token }));
    },
  );
  const listener = getRequestListener(
    (request, { incoming }) => answer(request, { onAuthenticated: () => server.authenticated(incoming) }),
    { overrideGlobalObjects: false },
  );
  const server = new InboundServer({
    host,
    limits,
    handle: (incoming, outgoing) => void listener(incoming, outgoing),
    refusal: (message) => ({
      type: "application/json",
      body: JSON.stringify({ jsonrpc: "2.0", error: { code: -32_000, message }, id: null }),
    }),
  });
  const url = await server.listen(port);
  return {
    url: url + path,
    port: server.port ?? port,
    token,
    close: async () => {
      await endpoint.close();
      await server.close(maxGoodbyeMs);
    },
  };
}

function refuse({ headers }: Request, guard: InboundGuard, port: number | undefined): Response | undefined {
  const header = (name: string): string | undefined => headers.get(name) ?? undefined;
  const refused = guard.refuse({
    host: header("host"),
    origin: header("origin"),
    site: header("sec-fetch-site"),
    port,
  });
  return refused === undefined ? undefined : mcpError(403, refused, { headers: closing });
}

/** Nothing more of a refused request is read. */
const closing = { connection: "close" };

/** Checks the token of a request, in constant time. */
function tokenCheck(token: string): (request: Request) => boolean {
  const expected = digest(token);
  return ({ headers }) => {
    const sent = /^Bearer +(\S+) *$/i.exec(headers.get("authorization") ?? "")?.[1];
    return sent !== undefined && nodeCrypto().timingSafeEqual(digest(sent), expected);
  };
}

function unauthorized(): Response {
  const headers = { ...closing, "www-authenticate": 'Bearer realm="windlass"' };
  return mcpError(401, "a valid token is needed: Authorization: Bearer TOKEN", { headers });
}

function misdirected({ url, method }: Request): Response | undefined {
  if (new URL(url).pathname !== path)
    return mcpError(404, `unknown path; the server is at ${path}`, { headers: closing });
  if (methods.includes(method)) return undefined;
  return mcpError(405, "Method not allowed.", { headers: { ...closing, allow: methods.join(", ") } });
}

function digest(token: string): Buffer {
  return nodeCrypto().createHash("sha256").update(token, "utf8").digest();
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
