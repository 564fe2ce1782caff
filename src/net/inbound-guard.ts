/** The address of a server, and who may reach it. */
export interface InboundGuardOptions {
  /** Address that the server listens on. */
  readonly host: string;
  /** More host names under which it may be addressed, such as that of a proxy. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Origins of pages whose scripts may use it, such as `https://inspector.example`. */
  readonly allowedOrigins?: readonly string[] | undefined;
}

/** The headers of a request that the guard reads. */
export interface InboundHeaders {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** `Sec-Fetch-Site`. */
  readonly site: string | undefined;
  /** The port of the connection. */
  readonly port?: number | undefined;
}

/** Checks the headers of a request before anything else of it is read. */
export interface InboundGuard {
  /** Why the request is refused: a reason, and what to do. Undefined if it is not. */
  refuse(headers: InboundHeaders): string | undefined;
  /** True if the request has an origin, and it is one of the allowed ones. */
  isAllowedOrigin(origin: string | undefined): boolean;
}

/** The port that clients leave out of the Host header. */
const defaultHttpPort = 80;
const loopback = ["localhost", "127.0.0.1", "[::1]"];

/** True for addresses that only this machine can reach. */
export function isLoopbackHost(host: string): boolean {
  return loopback.includes(bracketed(host.toLowerCase()));
}

/** Checks the Host header (against DNS rebinding), and the Origin and site of a page. */
export function createInboundGuard({
  host,
  allowedHosts = [],
  allowedOrigins = [],
}: InboundGuardOptions): InboundGuard {
  const lower = (each: string): string => bracketed(each).toLowerCase();
  // A proxy in front of the server may pass on its own name without a port.
  const proxies = new Set(allowedHosts.map(lower));
  const hosts = new Set([...loopback, lower(host), ...proxies]);
  const origins = new Set(allowedOrigins.map((each) => each.toLowerCase().replace(/\/$/, "")));
  const isAllowedOrigin = (origin: string | undefined): boolean =>
    origin !== undefined && origins.has(origin.toLowerCase());
  const refuseHost = ({ host: sent, port }: InboundHeaders): string | undefined => {
    const hostname = hostnameOf(sent);
    if (!hosts.has(hostname)) return "this Host is not served; use the address that the server printed";
    const hasPort = /:\d+$/.test(sent ?? "") || port === undefined || port === defaultHttpPort;
    if (hasPort || proxies.has(hostname)) return undefined;
    return "this Host is not served; send the address that the server printed, with its port";
  };
  const refusePage = ({ origin, site }: InboundHeaders): string | undefined => {
    if (isAllowedOrigin(origin)) return undefined;
    if (origin !== undefined && !hosts.has(hostnameIn(origin))) return "this Origin may not use the server";
    return site === "cross-site" ? "a page of another site may not use the server" : undefined;
  };
  return { isAllowedOrigin, refuse: (headers) => refuseHost(headers) ?? refusePage(headers) };
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
