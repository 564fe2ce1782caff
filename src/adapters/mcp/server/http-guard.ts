import type { IncomingMessage } from "node:http";
import { nodeCrypto } from "../../../base/index.ts";

/** Who may speak to the server. */
export interface GuardOptions {
  /** Where it listens. */
  readonly host: string;
  readonly token: string;
  /** Further names under which it may be addressed. */
  readonly allowedHosts?: readonly string[];
  /** Pages whose scripts may use it, such as `https://inspector.example`. */
  readonly allowedOrigins?: readonly string[];
}

/** Why a request is not served. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Looks at a request before anything of it is read. */
export interface Guard {
  refuse(request: IncomingMessage): Refusal | undefined;
  /** Is the page behind the request, if there is one, among those that were named? */
  isAllowedOrigin(request: IncomingMessage): boolean;
}

const loopback = ["localhost", "127.0.0.1", "[::1]"];

/** Addresses that only this machine can reach. */
export function isLoopback(host: string): boolean {
  return loopback.includes(bracketed(host.toLowerCase()));
}

/**
 * Checks the Host (a page of a stranger's may have its name resolve to this machine), the Origin, and the token, which
 * is compared in constant time.
 */
export function createGuard({ host, token, allowedHosts = [], allowedOrigins = [] }: GuardOptions): Guard {
  const hosts = new Set(
    [...loopback, bracketed(host), ...allowedHosts.map(bracketed)].map((each) => each.toLowerCase()),
  );
  const origins = new Set(allowedOrigins.map((each) => each.toLowerCase().replace(/\/$/, "")));
  const expected = digest(token);
  const isAllowedOrigin = ({ headers: { origin } }: IncomingMessage): boolean =>
    origin !== undefined && origins.has(origin.toLowerCase());
  return {
    isAllowedOrigin,
    refuse: (request) => {
      const { headers } = request;
      if (!hosts.has(hostnameOf(headers.host))) return { status: 403, message: "this Host is not served here" };
      const isOwn = headers.origin === undefined || hosts.has(hostnameIn(headers.origin));
      if (!isOwn && !isAllowedOrigin(request)) return { status: 403, message: "this Origin may not use the server" };
      // A browser asks whether it may ask, without a token.
      if (request.method === "OPTIONS" && isAllowedOrigin(request)) return undefined;
      const given = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? "")?.[1];
      const isKnown = given !== undefined && nodeCrypto().timingSafeEqual(digest(given), expected);
      return isKnown ? undefined : unauthorized;
    },
  };
}

const unauthorized: Refusal = {
  status: 401,
  message: "a valid token is needed: Authorization: Bearer TOKEN",
  headers: { "www-authenticate": 'Bearer realm="windlass"' },
};

function digest(token: string): Buffer {
  return nodeCrypto().createHash("sha256").update(token, "utf8").digest();
}

/** The name in a Host header, without the port; empty where it is none. */
function hostnameOf(header: string | undefined): string {
  return (/^(\[[\da-f:.]+\]|[^\s/@?#:\\[\]]+)(?::\d{1,5})?$/i.exec(header ?? "")?.[1] ?? "").toLowerCase();
}

function hostnameIn(origin: string): string {
  return hostnameOf(/^https?:\/\/([^/]+)$/i.exec(origin)?.[1]);
}

function bracketed(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}
