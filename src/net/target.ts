/** Destination of a connection: a name or a bare address, and a port. */
export interface Target {
  readonly host: string;
  readonly port: number;
}

/**
 * The target of a URL or of a connection: its host without brackets, which not all callers write, and without trailing
 * dots.
 */
export function toTarget(url: Pick<URL, "hostname" | "port" | "protocol">): Target {
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.+$/, "");
  return { host, port: url.port === "" ? defaultPort(url.protocol) : Number(url.port) };
}

function defaultPort(protocol: string): number {
  return protocol === "https:" ? 443 : 80;
}
