import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { fail } from "../base/index.ts";

/** Limits on the load that clients can cause before they have shown who they are. */
export interface InboundLimits {
  readonly connections: number;
  /** Maximum number of connections that have not sent a valid token yet; a new one closes the oldest of them. */
  readonly unauthenticated: number;
  /** Timeouts of the head of a request, and of the whole request. */
  readonly headersMs: number;
  readonly requestMs: number;
}

const defaultLimits: InboundLimits = {
  connections: 20_000,
  unauthenticated: 2_000,
  headersMs: 10_000,
  requestMs: 60_000,
};

/** Options of an {@link InboundServer}. */
export interface InboundServerOptions {
  /** The address to listen on. */
  readonly host: string;
  readonly limits?: Partial<InboundLimits> | undefined;
  readonly handle: (incoming: IncomingMessage, outgoing: ServerResponse) => void;
  /** The body of the response to a request whose head is ambiguous. */
  readonly refusal: (detail: string) => { readonly type: string; readonly body: string };
}

/** A server that listens: bounds connections and times, refuses ambiguous heads, and waits for responses when it closes. */
export class InboundServer {
  readonly #options: InboundServerOptions;
  readonly #server: Server;
  readonly #strangers: UnauthenticatedSockets;
  /** Number of requests whose responses are not sent. */
  #active = 0;
  #onIdle: (() => void) | undefined;

  constructor(options: InboundServerOptions) {
    this.#options = options;
    const limits = { ...defaultLimits, ...options.limits };
    this.#strangers = new UnauthenticatedSockets(limits.unauthenticated);
    this.#server = createServer(
      {
        headersTimeout: Math.min(limits.headersMs, limits.requestMs),
        requestTimeout: limits.requestMs,
        connectionsCheckingInterval: Math.min(limits.headersMs, 500),
      },
      (incoming, outgoing) => this.#receive(incoming, outgoing),
    );
    this.#server.maxConnections = limits.connections + limits.unauthenticated;
    this.#server.on("connection", (socket) => this.#strangers.add(socket));
  }

  /** The port that it listens on. */
  get port(): number | undefined {
    return (this.#server.address() as AddressInfo | null)?.port;
  }

  /** Listens on a port, 0 for a free one; resolves with the URL. */
  async listen(port: number): Promise<string> {
    const { host } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const failed = (error: NodeJS.ErrnoException): void => reject(listenFailure(error, host, port));
    this.#server.once("error", failed);
    this.#server.listen(port, host, resolve);
    await promise;
    this.#server.off("error", failed);
    return `http://${host.includes(":") ? `[${host}]` : host}:${this.port}`;
  }

  /** Counts the connection of a request as that of a client with a valid token. */
  authenticated({ socket }: Pick<IncomingMessage, "socket">): void {
    this.#strangers.delete(socket);
  }

  /** Waits until all responses are sent, at most this long; then closes all connections. It listens until then. */
  async close(drainMs: number): Promise<void> {
    if (!this.#server.listening) return;
    if (this.#active > 0) await this.#drained(drainMs);
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  #drained(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #receive(incoming: IncomingMessage, outgoing: ServerResponse): void {
    this.#active++;
    // A client that disconnects is not an error.
    outgoing.on("error", () => {});
    outgoing.once("close", () => {
      this.#active--;
      if (this.#active === 0) this.#onIdle?.();
    });
    const ambiguous = ambiguityOf(incoming);
    if (ambiguous === undefined) return this.#options.handle(incoming, outgoing);
    const { type, body } = this.#options.refusal(ambiguous);
    outgoing.writeHead(400, { "content-type": type, connection: "close" }).end(body);
  }
}

const validHost = /^(?:\[[\da-f:.]+\]|[^\s/@?#:\\[\]]+)(?::\d{1,5})?$/i;

/**
 * Finds what servers and proxies may read differently, so that one would check another request than the other handles: the
 * form of the target, and the Host header. Node itself refuses two lengths of a body.
 */
function ambiguityOf({ url = "", headers, rawHeaders }: IncomingMessage): string | undefined {
  if (!/^\/(?!\/)/.test(url)) return "the target of a request begins with / and a path, not with // or a scheme";
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "host");
  if (hosts.length > 1) return "a request has one Host header";
  return validHost.test(headers.host ?? "") ? undefined : "the Host header is not a name or an address with a port";
}

function listenFailure(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const why =
    error.code === "EADDRINUSE"
      ? "another program uses this port; stop it, or choose another port"
      : error.code === "EACCES"
        ? "this user may not use this port; choose one above 1023"
        : error.message;
  return fail(`cannot listen on ${host}:${port}: ${why}`, { code: "not_available", cause: error });
}

/** The connections without a valid token. They are counted separately, so that they cannot keep the others out. */
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

/** Reads the body of a request as text, up to a size. Undefined if it is larger; the rest is not read. */
export async function readRequestBody(request: Request, maxBytes: number): Promise<string | undefined> {
  const bytes = await readRequestBytes(request, maxBytes);
  return bytes && new TextDecoder().decode(bytes);
}

/** Reads the body of a request, up to a size. Undefined if it is larger. */
export async function readRequestBytes(request: Request, maxBytes: number): Promise<Uint8Array | undefined> {
  const { body, headers } = request;
  if (Number(headers.get("content-length") ?? 0) > maxBytes) return undefined;
  if (body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body as ReadableStream<Uint8Array>) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
