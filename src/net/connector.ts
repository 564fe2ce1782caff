import type { LookupFunction, Socket, TcpNetConnectOpts } from "node:net";
import type { buildConnector } from "undici";
import { type Clock, type FailureError, isFailureError, orAborted } from "../base/index.ts";
import { parseAddress } from "./address.ts";
import type { AllowList } from "./allow-list.ts";
import { refuse } from "./net-reasons.ts";
import { type CheckedAddress, type Resolve, isExpectedPeer, resolveTarget } from "./resolve-target.ts";
import { type Target, targetOf } from "./target.ts";

/** Starts a TCP connection to one of the checked addresses. */
export type Dial = (options: TcpNetConnectOpts) => Socket;

/** What {@link createConnector} needs from the door. */
export interface ConnectorOptions {
  readonly allow: AllowList;
  readonly resolve: Resolve;
  readonly dial: Dial;
  readonly clock: Clock;
  /** For the name, the connection and the handshake together. */
  readonly connectTimeoutMs: number;
}

/** Makes the door's connections; every one of them is checked. */
export interface Connector {
  readonly connect: buildConnector.connector;
  /** Gives up the attempts for an origin that nobody waits for any more. */
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
    connect: (asked, handOver) => {
      const controller = new AbortController();
      attempts.set(controller, `${asked.protocol}//${asked.host ?? asked.hostname}`);
      const attempt = { ...options, target: targetOf(asked), signal: controller.signal };
      const timer = options.clock.after(options.connectTimeoutMs, () =>
        controller.abort(refuse("connect_failed", `no connection to ${attempt.target.host} in time`)),
      );
      void openConnection(attempt, asked.protocol === "https:")
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
      for (const [controller, of] of attempts) if (of === origin) controller.abort(nobodyWaits());
    },
  };
}

async function openConnection(attempt: Attempt, secure: boolean): Promise<Socket> {
  const addresses = await orAborted(resolveTarget(attempt.target, attempt), attempt.signal);
  const socket = await dialChecked(attempt, addresses);
  if (!isExpectedPeer(socket.remoteAddress, addresses)) {
    socket.destroy();
    throw refuse("ssrf_peer", `the connection to ${attempt.target.host} reached an address that was not checked`);
  }
  return secure ? handshake(attempt, socket) : socket;
}

function dialChecked({ target, signal, dial }: Attempt, addresses: readonly CheckedAddress[]): Promise<Socket> {
  // The addresses were looked up and checked; the socket gets these and asks nobody.
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
    // Stays for good: undici adds its own listener only after the handover.
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
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const why = code === "" ? "" : ` (${code})`;
  const networkFault = /^(?:ECONN|EHOST|ENET|EADDR|ETIMEDOUT|EPIPE|EACCES|EPERM|EMFILE|ENFILE|EINVAL)/.test(code);
  return networkFault
    ? refuse("connect_failed", `no connection to ${target.host} on port ${target.port}${why}`, { cause: error })
    : refuse("tls_failed", `the TLS handshake with ${target.host} on port ${target.port} failed${why}`, {
        cause: error,
      });
}

function nobodyWaits(): FailureError {
  return refuse("aborted", "nobody waits for this connection any more");
}
