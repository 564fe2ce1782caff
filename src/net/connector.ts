import type { LookupFunction, Socket, TcpNetConnectOpts } from "node:net";
import type { buildConnector } from "undici";
import { type Clock, type FailureError, isFailureError, raceAbort, systemErrorCode } from "../base/index.ts";
import { parseAddress, type Target, toTarget } from "./address.ts";
import type { AllowList } from "./allow-list.ts";
import { netFailure } from "./net-reasons.ts";
import { type CheckedAddress, type ResolveHost, isExpectedPeer, resolveTarget } from "./resolve-target.ts";

/** Starts a TCP connection to one of the checked addresses. */
export type DialSocket = (options: TcpNetConnectOpts) => Socket;

/** Options of {@link createConnector} from the HTTP client. */
export interface ConnectorOptions {
  readonly allow: AllowList;
  readonly resolve: ResolveHost;
  readonly dial: DialSocket;
  readonly clock: Clock;
  /** For the name, the connection and the handshake together. */
  readonly connectTimeoutMs: number;
}

/** Opens the connections of the HTTP client; every one of them is checked. */
export interface Connector {
  readonly connect: buildConnector.connector;
  /** Cancels the attempts for an origin that no request waits for. */
  cancel(origin: string): void;
}

interface Attempt extends ConnectorOptions {
  readonly target: Target;
  readonly signal: AbortSignal;
}

/** A connector for undici that resolves once, checks every answer, and checks the peer before a byte is sent. */
export function createConnector(options: ConnectorOptions): Connector {
  const attempts = new Map<AbortController, string>();
  return {
    connect: (request, handOver) => {
      const controller = new AbortController();
      attempts.set(controller, `${request.protocol}//${request.host ?? request.hostname}`);
      const attempt = { ...options, target: toTarget(request), signal: controller.signal };
      const timer = options.clock.after(options.connectTimeoutMs, () =>
        controller.abort(netFailure("connect_failed", `no connection to ${attempt.target.host} in time`)),
      );
      void openConnection(attempt, request.protocol === "https:")
        .finally(() => {
          timer.cancel();
          attempts.delete(controller);
        })
        .then(
          (socket) => handOver(null, socket),
          (error: unknown) => handOver(asFailure(error, attempt), null),
        );
    },
    cancel: (origin) => {
      const abandoned = netFailure("aborted", "no request is waiting for this connection any more");
      for (const [controller, of] of attempts) if (of === origin) controller.abort(abandoned);
    },
  };
}

async function openConnection(attempt: Attempt, secure: boolean): Promise<Socket> {
  const addresses = await raceAbort(resolveTarget(attempt.target, attempt), attempt.signal);
  const socket = await dialChecked(attempt, addresses);
  if (!isExpectedPeer(socket.remoteAddress, addresses)) {
    socket.destroy();
    throw netFailure("ssrf_peer", `the connection to ${attempt.target.host} reached an address that was not checked`);
  }
  return secure ? handshake(attempt, socket) : socket;
}

function dialChecked({ target, signal, dial }: Attempt, addresses: readonly CheckedAddress[]): Promise<Socket> {
  // The addresses were resolved and checked; the socket uses these without another lookup.
  const lookup: LookupFunction = (_host, options, callback) => {
    const [first] = addresses;
    if (options.all === true) callback(null, [...addresses]);
    else callback(null, first?.address ?? "", first?.family);
  };
  const socket = dial({ ...target, lookup, noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 });
  return untilReady(socket, "connect", signal);
}

async function handshake({ target, signal }: Attempt, socket: Socket): Promise<Socket> {
  const { connect } = await import("node:tls");
  const { host } = target;
  const secured = connect({
    socket,
    host,
    ALPNProtocols: ["http/1.1"],
    ...(parseAddress(host) === undefined && { servername: host }),
  });
  return untilReady(secured, "secureConnect", signal);
}

/** The socket once it is ready; an abort destroys it. */
function untilReady(socket: Socket, event: "connect" | "secureConnect", signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      socket.destroy();
      reject(signal.reason as Error);
    };
    // Never removed: undici adds its own listener only after the handover.
    socket.on("error", (error) => {
      signal.removeEventListener("abort", giveUp);
      reject(error);
    });
    socket.once(event, () => {
      signal.removeEventListener("abort", giveUp);
      resolve(socket);
    });
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true });
  });
}

/** Nothing was sent before these failures, so another try is safe, unless it is bound to fail in the same way. */
function asFailure(error: unknown, { target }: Attempt): FailureError {
  if (isFailureError(error)) return error;
  const code = systemErrorCode(error) ?? "";
  const why = code === "" ? "" : ` (${code})`;
  const networkFault = /^(?:ECONN|EHOST|ENET|EADDR|ETIMEDOUT|EPIPE|EACCES|EPERM|EMFILE|ENFILE|EINVAL)/.test(code);
  return networkFault
    ? netFailure("connect_failed", `no connection to ${target.host} on port ${target.port}${why}`, { cause: error })
    : netFailure("tls_failed", `the TLS handshake with ${target.host} on port ${target.port} failed${why}`, {
        cause: error,
      });
}
