import { AsyncLocalStorage } from "node:async_hooks";
import type * as Sdk from "@modelcontextprotocol/client";
import { type Clock, type FailureError, isFailureError, orAborted, systemClock } from "../../../base/index.ts";
import type { StreamingDoor } from "../../../net/index.ts";
import { AuthFile } from "./auth-file.ts";
import { ChildFiles } from "./child-files.ts";
import { Connection } from "./connection.ts";
import { explainError, statusOf } from "./explain-error.ts";
import type { HttpTransport } from "./http-transport.ts";
import { type Login, LoginProvider, keptKeyOnly } from "./login-provider.ts";
import { openLoopbackRedirect } from "./loopback-redirect.ts";
import { type McpLimits, defaultLimits } from "./mcp-limits.ts";
import type {
  McpAddress,
  McpConnectOptions,
  McpConnection,
  McpConnector,
  ProgramServer,
  RemoteServer,
} from "../../../hub/index.ts";
import { mcpFailure } from "./mcp-reasons.ts";
import { openHttp } from "./open-http.ts";
import { Program } from "./program.ts";
import { reapChildren } from "./reap-children.ts";
import { StdioTransport } from "./stdio-transport.ts";

/** How {@link createMcpConnector} makes a connector. */
export interface McpConnectorOptions {
  /** The folder for what has to be remembered: programs that run, and logins. `.windlass` of the workspace. */
  readonly stateDir: string;
  readonly door: StreamingDoor;
  readonly clock?: Clock;
  /** Told what belongs to no connection. */
  readonly onLog: (message: string) => void;
  /** How somebody logs in while a connection is made; where absent, only `login` asks somebody. */
  readonly oauth?: Login;
  readonly limits?: Partial<McpLimits>;
  /** Of which a program gets the few that every program needs. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What servers are told about who is calling. */
  readonly version?: string;
}

/** What a login needs. */
export interface McpLoginOptions {
  readonly signal: AbortSignal;
  /** Shows a page to the person who is to log in. */
  open(page: string): void;
  /** Where the browser comes back to, for servers that were told a port; any free one where absent. */
  readonly port?: number;
}

/** A connector that can also log in. */
export interface McpClient extends McpConnector {
  /**
   * Lets a person log in to a server, and keeps the key for later connections; false where the server lets us in as we
   * are, and nobody was asked.
   */
  login(server: string, address: RemoteServer, options: McpLoginOptions): Promise<boolean>;
}

type Era = "auto" | "legacy";
type AnyTransport = StdioTransport | HttpTransport;

/** One try to connect. */
interface Attempt {
  readonly server: string;
  readonly era: Era;
  /** Aborted when the caller gives up, or when the time for the handshake is over. */
  readonly signal: AbortSignal;
  readonly options: McpConnectOptions;
}

/**
 * Connects to MCP servers: programs and addresses, in both eras of the protocol. The SDK is loaded by the first
 * connection.
 *
 * @example
 * ```ts
 * const connector = createMcpConnector({ stateDir: ".windlass", door: createDoor(), onLog: console.error });
 * const connection = await connector.connect("files", address, { listener, signal });
 * ```
 */
export function createMcpConnector(options: McpConnectorOptions): McpClient {
  return new Connector(options);
}

class Connector implements McpClient {
  readonly #options: McpConnectorOptions;
  readonly #limits: McpLimits;
  readonly #clock: Clock;
  readonly #files: ChildFiles;
  /** Servers that do not survive, or do not answer, what they do not know. */
  readonly #legacy = new Set<string>();
  /**
   * Works as whoever made the connector. A connection serves many calls: what it says later must not seem to be said
   * within the call that was the first to need it.
   */
  readonly #outside: <T>(work: () => T) => T = AsyncLocalStorage.snapshot();

  constructor(options: McpConnectorOptions) {
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#clock = options.clock ?? systemClock;
    this.#files = new ChildFiles(options.stateDir);
  }

  async connect(server: string, address: McpAddress, options: McpConnectOptions): Promise<McpConnection> {
    return this.#outside(() => this.#connect(server, address, { ...options, login: this.#options.oauth }));
  }

  async login(server: string, address: RemoteServer, options: McpLoginOptions): Promise<boolean> {
    const { signal, port } = options;
    const redirect = await openLoopbackRedirect(port);
    let asked = false;
    try {
      const login: Login = {
        redirectUrl: redirect.url,
        authorize: (page) => {
          asked = true;
          options.open(page.href);
          return redirect.wait(signal);
        },
      };
      const listener = { toolsChanged: () => {}, closed: () => {}, log: this.#options.onLog };
      // A person takes longer than a handshake.
      const connection = await this.#connect(server, address, { listener, signal, login, handshakeMs: 2 ** 31 - 1 });
      await connection.close();
      return asked;
    } finally {
      await redirect.close();
    }
  }

  async reap(): Promise<void> {
    const { onLog: log } = this.#options;
    await reapChildren({ files: this.#files, clock: this.#clock, log });
  }

  async #connect(
    server: string,
    address: McpAddress,
    options: McpConnectOptions & { readonly login: Login | undefined; readonly handshakeMs?: number },
  ): Promise<McpConnection> {
    const { signal, lastProtocol } = options;
    const deadline = new AbortController();
    const cancel = (): void => deadline.abort(mcpFailure("aborted", "the connection is not wanted any more"));
    const ms = options.handshakeMs ?? this.#limits.handshakeMs;
    const late = (): void =>
      deadline.abort(
        mcpFailure("no_handshake", `the MCP server "${server}" did not shake hands within ${ms / 1000} s`),
      );
    const timer = this.#clock.after(ms, late);
    signal.addEventListener("abort", cancel, { once: true });
    if (signal.aborted) cancel();
    const key = JSON.stringify([server, address]);
    const knownOld = this.#legacy.has(key) || (lastProtocol !== undefined && lastProtocol < "2026");
    const attempt: Attempt = { server, era: knownOld ? "legacy" : "auto", signal: deadline.signal, options };
    try {
      deadline.signal.throwIfAborted();
      if (address.kind === "http") return await this.#remote(address, attempt, options.login);
      return await this.#program(address, attempt, () => this.#legacy.add(key));
    } finally {
      timer.cancel();
      signal.removeEventListener("abort", cancel);
    }
  }

  /**
   * Starts a program and shakes hands. A program that ends when it is asked for its protocol versions is started once
   * more and spoken to as before there were any to ask for.
   */
  async #program(address: ProgramServer, attempt: Attempt, isOld: () => void): Promise<McpConnection> {
    const { server, signal, options } = attempt;
    const log = (line: string): void => options.listener.log(line);
    const world = { limits: this.#limits, clock: this.#clock, log };
    const env = this.#options.env ?? process.env;
    const program = await Program.start({ server, address, files: this.#files, env, ...world });
    const transport = new StdioTransport({ server, program, ...world });
    try {
      return await this.#shakeHands(transport, attempt);
    } catch (error) {
      await transport.close();
      if (signal.aborted) throw withOutput(signal.reason, transport, program);
      if (attempt.era === "legacy") throw transport.lost === undefined ? error : exited(transport.lost, server);
      if (transport.lost === undefined) throw error;
    }
    const connection = await this.#program(address, { ...attempt, era: "legacy" }, isOld);
    isOld();
    return connection;
  }

  /**
   * Speaks to a server over HTTP; where that does not understand the newest form, in the older ones: first of the
   * handshake, then of the transport.
   */
  async #remote(address: RemoteServer, attempt: Attempt, login: Login | undefined): Promise<McpConnection> {
    const { server, options } = attempt;
    const log = (line: string): void => options.listener.log(line);
    const file = new AuthFile(this.#options.stateDir, server, address.url);
    const loginOptions = { server, address, file, login };
    const provider = this.#provider(loginOptions);
    const tryOnce = async (era: Era, form: "streamable" | "sse"): Promise<McpConnection> => {
      const { door } = this.#options;
      const http = { server, address, door, provider, form, limits: this.#limits, clock: this.#clock, log };
      const transport = await openHttp(http);
      try {
        return await this.#shakeHands(transport, { ...attempt, era });
      } catch (error) {
        await transport.close();
        throw error;
      }
    };
    let first: unknown;
    for (const [era, form] of [
      [attempt.era, "streamable"],
      ["legacy", "streamable"],
      ["legacy", "sse"],
    ] as const) {
      try {
        return await tryOnce(era, form);
      } catch (error) {
        first ??= error;
        if (attempt.signal.aborted || !isOlderForm(error)) break;
      }
    }
    throw first;
  }

  /** Logs in where somebody can be asked, or renews a key where there is one; else a key is only used. */
  #provider(options: ConstructorParameters<typeof LoginProvider>[0]): Sdk.AuthProvider | LoginProvider | undefined {
    const { address, login, file } = options;
    if (Object.keys(address.headers).some((name) => name.toLowerCase() === "authorization")) return undefined;
    const renews = login !== undefined || file.read().tokens?.refresh_token !== undefined;
    return renews ? new LoginProvider(options) : keptKeyOnly(options);
  }

  async #shakeHands(transport: AnyTransport, { server, era, signal, options }: Attempt): Promise<McpConnection> {
    const { Client } = await import("@modelcontextprotocol/client");
    const limits = this.#limits;
    const probe = { timeoutMs: transport instanceof StdioTransport ? limits.probeMs : limits.handshakeMs };
    const client = new Client(
      { name: "windlass", version: this.#options.version ?? "0" },
      {
        capabilities: { elicitation: { form: {} } },
        versionNegotiation: era === "legacy" ? { mode: "legacy" } : { mode: "auto", probe },
        jsonSchemaValidator: neverUsed,
      },
    );
    try {
      await orAborted(client.connect(transport, { timeout: 2 ** 31 - 1 }), signal);
      if (transport.lost !== undefined) throw transport.lost;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw asHandshake(error, server);
    }
    const { listener } = options;
    return new Connection({ name: server, client, transport, listener, limits, clock: this.#clock });
  }
}

/** Results are checked by the engine, with patterns that cannot hang. */
const neverUsed: Sdk.jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

/** A refusal of the handshake has its own reason; what lies on the way keeps its own. */
function asHandshake(error: unknown, server: string): FailureError {
  const failure = explainError(error, server);
  const { reason } = failure;
  const refused = reason === "protocol_error" || reason === "refused_call" || reason === "bad_answer";
  return refused ? mcpFailure("handshake_failed", failure.message, { cause: error }) : failure;
}

/** Is this how servers answer that know only an older form? */
function isOlderForm(error: unknown): boolean {
  const cause = isFailureError(error) ? error.cause : error;
  const status = statusOf(cause);
  return (
    status !== undefined && (status >= 500 || status === 400 || status === 404 || status === 405 || status === 406)
  );
}

/** Before the handshake nothing can have run. */
function exited(lost: FailureError, server: string): FailureError {
  const forModel = `the MCP server "${server}" cannot be started`;
  return mcpFailure("exited", `${lost.message}; it never shook hands`, { cause: lost, forModel });
}

function withOutput(reason: unknown, transport: StdioTransport, program: Program): unknown {
  if (!isFailureError(reason) || reason.reason !== "no_handshake") return reason;
  const told = `${reason.message}${program.lastLines()}${transport.strangeOutput}`;
  return mcpFailure("no_handshake", told, { forModel: reason.message });
}
