import type { IncomingMessage } from "node:http";
import { nodeCrypto } from "../../../base/index.ts";

/** Options that decide which clients may connect to the server. */
export interface HttpGuardOptions {
  /** Address that the server listens on. */
  readonly host: string;
  readonly token: string;
  /** Additional host names under which it may be addressed. */
  readonly allowedHosts?: readonly string[];
  /** Origins of pages whose scripts may use it, such as `https://inspector.example`. */
  readonly allowedOrigins?: readonly string[];
}

/** Reason for rejecting a request. */
export interface HttpRefusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Checks a request before its body is read. */
export interface HttpGuard {
  refuse(request: IncomingMessage): HttpRefusal | undefined;
  /** True if the request has no origin, or one of the allowed ones. */
  isAllowedOrigin(request: IncomingMessage): boolean;
}

/** The port that clients leave out of the Host header. */
const defaultHttpPort = 80;
const loopback = ["localhost", "127.0.0.1", "[::1]"];

/** True for addresses that only this machine can reach. */
export function isLoopback(host: string): boolean {
  return loopback.includes(bracketed(host.toLowerCase()));
}

/**
 * Checks the Host header (against DNS rebinding), the Origin and site of a page, and the token, which is compared in
 * constant time.
 */
export function createHttpGuard({ host, token, allowedHosts = [], allowedOrigins = [] }: HttpGuardOptions): HttpGuard {
  const lower = (each: string): string => bracketed(each).toLowerCase();
  // A proxy in front of the server may pass on its own name without a port.
  const proxies = new Set(allowedHosts.map(lower));
  const hosts = new Set([...loopback, lower(host), ...proxies]);
  const origins = new Set(allowedOrigins.map((each) => each.toLowerCase().replace(/\/$/, "")));
  const expected = digest(token);
  const isAllowedOrigin = ({ headers: { origin } }: IncomingMessage): boolean =>
    origin !== undefined && origins.has(origin.toLowerCase());
  const refuseHost = ({ headers, socket }: IncomingMessage): HttpRefusal | undefined => {
    const hostname = hostnameOf(headers.host);
    if (!hosts.has(hostname)) return forbidden("this Host is not served; use the address that the server printed");
    const hasPort = /:\d+$/.test(headers.host ?? "") || socket.localPort === defaultHttpPort;
    if (hasPort || proxies.has(hostname)) return undefined;
    return forbidden("this Host is not served; send the address that the server printed, with its port");
  };
  const refusePage = (request: IncomingMessage): HttpRefusal | undefined => {
    const { headers } = request;
    if (isAllowedOrigin(request)) return undefined;
    if (headers.origin !== undefined && !hosts.has(hostnameIn(headers.origin)))
      return forbidden("this Origin may not use the server");
    if (headers["sec-fetch-site"] === "cross-site") return forbidden("a page of another site may not use the server");
    return undefined;
  };
  const refuseToken = ({ headers }: IncomingMessage): HttpRefusal | undefined => {
    const sent = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? "")?.[1];
    const isKnown = sent !== undefined && nodeCrypto().timingSafeEqual(digest(sent), expected);
    return isKnown ? undefined : unauthorized;
  };
  return {
    isAllowedOrigin,
    refuse: (request) => {
      const refusal = refuseHost(request) ?? refusePage(request);
      // A CORS preflight request carries no token.
      if (refusal !== undefined || (request.method === "OPTIONS" && isAllowedOrigin(request))) return refusal;
      return refuseToken(request);
    },
  };
}

function forbidden(message: string): HttpRefusal {
  return { status: 403, message };
}

const unauthorized: HttpRefusal = {
  status: 401,
  message: "a valid token is needed: Authorization: Bearer TOKEN",
  headers: { "www-authenticate": 'Bearer realm="windlass"' },
};

function digest(token: string): Buffer {
  return nodeCrypto().createHash("sha256").update(token, "utf8").digest();
}

/** The name in a Host header, without the port; empty if the header is invalid. */
function hostnameOf(header: string | undefined): string {
  return (/^(\[[\da-f:.]+\]|[^\s/@?#:\\[\]]+)(?::\d{1,5})?$/i.exec(header ?? "")?.[1] ?? "").toLowerCase();
}

function hostnameIn(origin: string): string {
  return hostnameOf(/^https?:\/\/([^/]+)$/i.exec(origin)?.[1]);
}

function bracketed(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}
