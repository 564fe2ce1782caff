import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { type AddressInfo, type Socket, type TcpNetConnectOpts, connect, isIP } from "node:net";
import type { HttpClientOptions } from "../../src/net/index.ts";

/** A server on 127.0.0.1 that records its requests. */
export interface LoopbackSite {
  readonly port: number;
  /** `http://127.0.0.1:PORT`, without a slash. */
  readonly origin: string;
  /** Paths in the order of the requests. */
  readonly paths: string[];
  readonly requests: IncomingMessage[];
  /** Connections that are open now. */
  readonly sockets: ReadonlySet<Socket>;
  readonly close: () => Promise<void>;
}

export type SiteHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Starts a server; close it after the test. */
export async function loopbackSite(handler: SiteHandler): Promise<LoopbackSite> {
  const paths: string[] = [];
  const requests: IncomingMessage[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    paths.push(request.url ?? "");
    requests.push(request);
    handler(request, response);
  });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { port, origin: `http://127.0.0.1:${port}`, paths, requests, sockets, close };
}

/**
 * Options of an HTTP client for which every name leads to this server: lookups answer 127.0.0.1, connections to any
 * port go to the server's. For tests with several hosts, or with a name such as `example.com`.
 */
export function allNamesLeadTo({ port }: Pick<LoopbackSite, "port">, hosts: readonly string[]): HttpClientOptions {
  return {
    allow: hosts,
    resolve: () => Promise.resolve(["127.0.0.1"]),
    dial: () => connect({ host: "127.0.0.1", port }),
  };
}

/** Options of an HTTP client that never leaves this machine, regardless of bugs in the code under test. */
export const loopbackOnly: HttpClientOptions = {
  resolve: () => Promise.reject(new Error("names are not looked up in tests")),
  dial: (target) => {
    const addresses = addressesOf(target);
    if (addresses.length === 0 || !addresses.every((address) => /^(?:127\.|::1$)/.test(address))) {
      throw Object.assign(new Error(`not a loopback address: ${addresses.join(", ")}`), { code: "ECONNREFUSED" });
    }
    return connect(target);
  },
};

function addressesOf({ host = "", lookup }: TcpNetConnectOpts): string[] {
  if (isIP(host) !== 0) return [host];
  const found: string[] = [];
  lookup?.(host, { all: true }, (_error, addresses) => {
    for (const { address } of Array.isArray(addresses) ? addresses : []) found.push(address);
  });
  return found;
}
