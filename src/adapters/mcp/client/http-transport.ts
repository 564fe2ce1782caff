import { AsyncLocalStorage } from "node:async_hooks";
import type { JSONRPCMessage, RequestId, Transport, TransportSendOptions } from "@modelcontextprotocol/client";
import { settlesWithin, type Clock, type FailureError, isFailureError } from "../../../base/index.ts";
import { classifyMcpError } from "./classify-mcp-error.ts";
import { failedResponse, mcpFailure, notSent } from "./mcp-reasons.ts";
import { OpenRequests } from "./open-requests.ts";
import type { Traffic } from "./traffic.ts";

/** The request on whose stream the current code runs. */
const streamOf = new AsyncLocalStorage<RequestId>();

/** A transport of the SDK that speaks HTTP. */
interface InnerTransport extends Transport {
  finishAuth(callback: URLSearchParams): Promise<void>;
  terminateSession?(): Promise<void>;
}

/** Options of {@link HttpTransport}. */
interface HttpTransportOptions {
  readonly server: string;
  readonly inner: InnerTransport;
  /** True if the end of the single stream ends the connection, as in the oldest protocol version. */
  readonly oneStream: boolean;
  readonly clock: Clock;
  readonly traffic: Traffic;
  /** Finishes a pending login; false if there was none. */
  readonly finishLogin: (finish: (callback: URLSearchParams) => Promise<void>) => Promise<boolean>;
}

/** Maximum time for notifying a server that a session is over. */
const goodbyeMs = 1_000;

/** Maximum number of logins for one message: one to get access, and one for a wider scope. */
const maxLogins = 2;

/**
 * Wraps a transport of the SDK and adds what it lacks: a request whose stream ends without a response fails, a
 * cancelled request releases its stream, a completed login is used, and a response without a waiting request is
 * dropped.
 */
export class HttpTransport implements Transport {
  onclose: Transport["onclose"];
  onerror: Transport["onerror"];
  onmessage: Transport["onmessage"];
  lost: FailureError | undefined;
  readonly #options: HttpTransportOptions;
  readonly #inner: InnerTransport;
  readonly #requests = new OpenRequests();
  readonly #streams = new Map<RequestId, AbortController>();
  #state: "new" | "open" | "closed" = "new";
  /** Pending promise that must settle before more is read. */
  #pause: Promise<void> | undefined;

  constructor(options: HttpTransportOptions) {
    this.#options = options;
    this.#inner = options.inner;
    Object.assign(this.#inner, {
      onmessage: (message) => this.#receive(message),
      onclose: () => this.#closed(),
      onerror: (error) => {
        this.onerror?.(error);
        if (options.oneStream && this.#state === "open") this.#lose(classifyMcpError(error, options.server));
      },
    } satisfies Partial<Transport>);
  }

  /** The request on whose stream the current code runs; none on a shared stream. */
  static current(): RequestId | undefined {
    return streamOf.getStore();
  }

  get hasPerRequestStream(): boolean {
    return this.#inner.hasPerRequestStream ?? false;
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version);
  }

  async start(): Promise<void> {
    await this.#authorized(() => this.#inner.start());
    this.#state = "open";
  }

  async send(message: JSONRPCMessage, options: TransportSendOptions = {}): Promise<void> {
    if (this.#state === "closed") throw notSent(this.#options.server, this.lost);
    this.#requests.sent(message);
    if ("method" in message && "id" in message) return this.#post(message, options);
    await this.#authorized(() => this.#inner.send(message, options));
    const cancelled = "method" in message && message.method === "notifications/cancelled" ? message.params : undefined;
    // The server has been notified; data that still arrives on its stream is dropped.
    this.#letGo(cancelled?.["requestId"] as RequestId);
  }

  async close(): Promise<void> {
    if (this.#state === "closed") return;
    this.#state = "closed";
    const goodbye = this.#inner.sessionId === undefined ? undefined : this.#inner.terminateSession?.();
    if (goodbye !== undefined)
      await settlesWithin(
        goodbye.catch(() => undefined),
        goodbyeMs,
        this.#options.clock,
      );
    for (const id of this.#streams.keys()) this.#letGo(id);
    await this.#inner.close();
    this.onclose?.();
  }

  /** To be awaited before more is read from any of the streams. */
  pace(): Promise<void> | undefined {
    if (this.#pause === undefined) this.#options.traffic.begin();
    return this.#pause;
  }

  /** Fails a request that cannot get its response any more. */
  fail(id: RequestId, failure: FailureError): void {
    const response = failedResponse(id, failure);
    if (this.#requests.isAwaited(response)) this.#receive(response);
    this.#letGo(id);
  }

  async #post(message: JSONRPCMessage & { id: RequestId }, options: TransportSendOptions): Promise<void> {
    const { id } = message;
    const stream = new AbortController();
    this.#streams.set(id, stream);
    const abort = (): void => this.#letGo(id);
    options.requestSignal?.addEventListener("abort", abort, { once: true });
    const sendOptions: TransportSendOptions = {
      ...options,
      requestSignal: stream.signal,
      onRequestStreamEnd: () => {
        options.onRequestStreamEnd?.();
        this.fail(id, this.#ended());
      },
    };
    try {
      await streamOf.run(id, () => this.#authorized(() => this.#inner.send(message, sendOptions)));
    } catch (error) {
      this.#letGo(id);
      throw this.#sessionLost(error);
    }
  }

  /** Performs the action; if it triggers a login, performs it once more with the new token. */
  async #authorized(act: () => Promise<void>): Promise<void> {
    for (let logins = 0; ; logins++) {
      try {
        return await act();
      } catch (error) {
        if (logins >= maxLogins) throw error;
        const loggedIn = await this.#options.finishLogin((callback) => this.#inner.finishAuth(callback));
        if (!loggedIn) throw error;
      }
    }
  }

  #receive(message: JSONRPCMessage): void {
    this.#pause ??= this.#options.traffic.after("method" in message)?.finally(() => (this.#pause = undefined));
    if (!this.#requests.isAwaited(message)) return;
    this.#requests.received(message);
    if (!("method" in message) && message.id !== undefined) this.#streams.delete(message.id);
    this.onmessage?.(message);
  }

  #letGo(id: RequestId | undefined): void {
    if (id === undefined) return;
    this.#requests.drop(id);
    this.#streams.get(id)?.abort();
    this.#streams.delete(id);
  }

  #ended(): FailureError {
    return mcpFailure(
      "connection_lost",
      `the connection to the MCP server "${this.#options.server}" broke before the response arrived`,
    );
  }

  /** A server that has forgotten the session requires a new one: this connection is over, and nothing was executed. */
  #sessionLost(error: unknown): unknown {
    const { server } = this.#options;
    const status = typeof error === "object" && error !== null && "status" in error ? error.status : undefined;
    if (status !== 404 || this.#inner.sessionId === undefined || isFailureError(error)) return error;
    const failure = mcpFailure("not_sent", `the MCP server "${server}" has ended the session`, { cause: error });
    this.#lose(failure);
    return failure;
  }

  #lose(failure: FailureError): void {
    if (this.#state === "closed") return;
    this.lost = failure;
    for (const id of this.#requests.ids()) this.fail(id, this.#ended());
    void this.#inner.close();
  }

  #closed(): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    for (const id of this.#requests.ids()) this.fail(id, this.#ended());
    // By then every request has failed.
    setImmediate(() => this.onclose?.());
  }
}
