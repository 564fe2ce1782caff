import { AsyncLocalStorage } from "node:async_hooks";
import type * as Sdk from "@modelcontextprotocol/client";
import {
  type Clock,
  type FailureError,
  isFailureError,
  raceAbort,
  systemClock,
  isProcessAlive,
  withinLimits,
} from "../../../base/index.ts";
import type { StreamingHttpClient } from "../../../net/index.ts";
import { AuthFile, type Login, LoginProvider, storedTokenOnly } from "./login-provider.ts";
import { ChildFiles, type Child } from "./child-files.ts";
import { Connection } from "./connection.ts";
import { classifyMcpError, statusOf } from "./classify-mcp-error.ts";
import type { HttpTransport } from "./http-transport.ts";
import { openLoopbackRedirect } from "./loopback-redirect.ts";
import { type McpLimits, defaultMcpLimits } from "./mcp-limits.ts";
import type {
  McpAddress,
  McpConnectOptions,
  McpConnection,
  McpConnector,
  McpStdioAddress,
  McpHttpAddress,
} from "../../../hub/index.ts";
import { mcpFailure } from "./mcp-reasons.ts";
import { openHttp } from "./open-http.ts";
import { Program, withheldHint } from "./server-program.ts";
import { StdioTransport, isStdioTransport } from "./stdio-transport.ts";
import { type ProcessFamily, endFamily, familyRuns, carriesMark, groupMembers } from "./process-family.ts";

/** Options of {@link createMcpConnector}. */
export interface McpConnectorOptions {
  /** Folder for persistent state: running programs, and logins. `.windlass` of the workspace. */
  readonly stateDir: string;
  readonly http: StreamingHttpClient;
  readonly clock?: Clock;
  /** Receives log messages that belong to no connection. */
  readonly onLog: (message: string) => void;
  /** Login used while a connection is opened. Without it, only `login` prompts a user. */
  readonly oauth?: Login;
  readonly limits?: Partial<McpLimits>;
  /** Source of the few variables that every program needs. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Client name and version sent to servers. */
  readonly version?: string;
}

/** Options of a login. */
export interface McpLoginOptions {
  readonly signal: AbortSignal;
  /** Shows a page to the user who logs in. */
  open(page: string): void;
  /** Port of the OAuth redirect, for servers that have a fixed one registered. Default: any free port. */
  readonly port?: number;
}

/** A connector that can also log in. */
export interface McpClient extends McpConnector {
  /**
   * Lets a user log in to a server, and stores the token for later connections; false if the server accepts us without
   * a login and the user was not prompted.
   */
  login(server: string, address: McpHttpAddress, options: McpLoginOptions): Promise<boolean>;
}

type ProtocolMode = "auto" | "legacy";
type AnyTransport = StdioTransport | HttpTransport;

/** One attempt to connect. */
interface Attempt {
  readonly server: string;
  readonly protocolMode: ProtocolMode;
  /** Aborted when the caller cancels, or when the handshake times out. */
  readonly signal: AbortSignal;
  readonly options: McpConnectOptions;
}

/**
 * Connects to MCP servers, programs and addresses, in all protocol versions. The SDK is loaded by the first
 * connection.
 *
 * @example
 * ```ts
 * const connector = createMcpConnector({ stateDir: ".windlass", http: createHttpClient(), onLog: console.error });
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
  /** Servers that crash on, or ignore, unknown requests. */
  readonly #legacy = new Set<string>();
  /**
   * Runs work in the async context of the connector's creator. A connection serves many calls: its later messages must
   * not appear to belong to the call that opened it.
   */
  readonly #outside: <T>(work: () => T) => T = AsyncLocalStorage.snapshot();

  constructor(options: McpConnectorOptions) {
    this.#options = options;
    this.#limits = { ...defaultMcpLimits, ...options.limits };
    this.#clock = options.clock ?? systemClock;
    this.#files = new ChildFiles(options.stateDir);
  }

  async connect(server: string, address: McpAddress, options: McpConnectOptions): Promise<McpConnection> {
    return this.#outside(() => this.#connect(server, address, { ...options, login: this.#options.oauth }));
  }

  async login(server: string, address: McpHttpAddress, options: McpLoginOptions): Promise<boolean> {
    const { signal, port } = options;
    const redirect = await openLoopbackRedirect(port);
    let elicitation = false;
    try {
      const login: Login = {
        redirectUrl: redirect.url,
        authorize: (page) => {
          elicitation = true;
          options.open(page.href);
          return redirect.wait(signal);
        },
      };
      const listener = { toolsChanged: () => {}, closed: () => {}, log: this.#options.onLog };
      // A user takes longer than a handshake.
      const connection = await this.#connect(server, address, { listener, signal, login, handshakeMs: 2 ** 31 - 1 });
      await connection.close();
      return elicitation;
    } finally {
      await redirect.close();
    }
  }

  async reap(): Promise<void> {
    await reapChildren({ files: this.#files, clock: this.#clock, log: this.#options.onLog });
  }

  async #connect(
    server: string,
    address: McpAddress,
    options: McpConnectOptions & { readonly login: Login | undefined; readonly handshakeMs?: number },
  ): Promise<McpConnection> {
    const { signal, lastProtocol, handshakeMs: ms = this.#limits.handshakeMs } = options;
    const key = JSON.stringify([server, address]);
    const knownOld = this.#legacy.has(key) || (lastProtocol !== undefined && lastProtocol < "2026");
    const late = (): FailureError =>
      mcpFailure("no_handshake", `the MCP server "${server}" did not complete the handshake within ${ms / 1000} s`);
    const cancelled = (): FailureError => mcpFailure("aborted", "the connection was cancelled");
    return withinLimits({ clock: this.#clock, ms, late, signal, cancelled }, async (either) => {
      either.throwIfAborted();
      const attempt: Attempt = { server, protocolMode: knownOld ? "legacy" : "auto", signal: either, options };
      if (address.kind === "http") return this.#remote(address, attempt, options.login);
      return this.#program(address, attempt, () => this.#legacy.add(key));
    });
  }

  /**
   * Starts a program and performs the handshake. A program that exits when its protocol versions are requested is
   * started once more with the older handshake.
   */
  async #program(address: McpStdioAddress, attempt: Attempt, isOld: () => void): Promise<McpConnection> {
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
      const hint = withheldHint({ env, address });
      if (signal.aborted) throw withOutput(signal.reason, `${program.lastLines()}${transport.strangeOutput}${hint}`);
      if (attempt.protocolMode === "legacy")
        throw transport.lost === undefined ? error : exited(transport.lost, server, hint);
      if (transport.lost === undefined) throw error;
    }
    const connection = await this.#program(address, { ...attempt, protocolMode: "legacy" }, isOld);
    isOld();
    return connection;
  }

  /**
   * Connects to a server over HTTP; if it does not support the newest protocol version, falls back to older handshakes,
   * then to the older transport.
   */
  async #remote(address: McpHttpAddress, attempt: Attempt, login: Login | undefined): Promise<McpConnection> {
    const { server, options } = attempt;
    const log = (line: string): void => options.listener.log(line);
    const file = new AuthFile(this.#options.stateDir, server, address.url);
    const loginOptions = { server, address, file, login };
    const provider = this.#provider(loginOptions);
    const tryOnce = async (protocolVersion: ProtocolMode, form: "streamable" | "sse"): Promise<McpConnection> => {
      const { http } = this.#options;
      const transportOptions = { server, address, http, provider, form, limits: this.#limits, clock: this.#clock, log };
      const transport = await openHttp(transportOptions);
      try {
        return await this.#shakeHands(transport, { ...attempt, protocolMode: protocolVersion });
      } catch (error) {
        await transport.close();
        throw error;
      }
    };
    let first: unknown;
    for (const [protocolVersion, form] of [
      [attempt.protocolMode, "streamable"],
      ["legacy", "streamable"],
      ["legacy", "sse"],
    ] as const) {
      try {
        return await tryOnce(protocolVersion, form);
      } catch (error) {
        first ??= error;
        if (attempt.signal.aborted || !isOlderForm(error)) break;
      }
    }
    throw first;
  }

  /** Logs in if a user can be prompted, or refreshes a stored token; otherwise a token is only used. */
  #provider(options: ConstructorParameters<typeof LoginProvider>[0]): Sdk.AuthProvider | LoginProvider | undefined {
    const { address, login, file } = options;
    if (Object.keys(address.headers).some((name) => name.toLowerCase() === "authorization")) return undefined;
    const renews = login !== undefined || file.read().tokens?.refresh_token !== undefined;
    return renews ? new LoginProvider(options) : storedTokenOnly(options);
  }

  async #shakeHands(
    transport: AnyTransport,
    { server, protocolMode, signal, options }: Attempt,
  ): Promise<McpConnection> {
    const { Client } = await import("@modelcontextprotocol/client");
    const limits = this.#limits;
    const probe = { timeoutMs: isStdioTransport(transport) ? limits.probeMs : limits.handshakeMs };
    const client = new Client(
      { name: "windlass", version: this.#options.version ?? "0" },
      {
        capabilities: { elicitation: { form: {} } },
        versionNegotiation: protocolMode === "legacy" ? { mode: "legacy" } : { mode: "auto", probe },
        jsonSchemaValidator: neverUsed,
      },
    );
    try {
      await raceAbort(client.connect(transport, { timeout: 2 ** 31 - 1 }), signal);
      if (transport.lost !== undefined) throw transport.lost;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw asHandshake(error, server);
    }
    return new Connection({ name: server, client, transport, listener: options.listener, limits, clock: this.#clock });
  }
}

/** Results are validated by the engine, with patterns that cannot hang. */
const neverUsed: Sdk.jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

/** A rejected handshake has its own reason; failures on the way keep theirs. */
function asHandshake(error: unknown, server: string): FailureError {
  const failure = classifyMcpError(error, server);
  const { reason } = failure;
  const refused = reason === "protocol_error" || reason === "refused_call" || reason === "bad_answer";
  return refused ? mcpFailure("handshake_failed", failure.message, { cause: error }) : failure;
}

/** True if servers that only know an older protocol version answer like this. */
function isOlderForm(error: unknown): boolean {
  const cause = isFailureError(error) ? error.cause : error;
  const status = statusOf(cause);
  return (
    status !== undefined && (status >= 500 || status === 400 || status === 404 || status === 405 || status === 406)
  );
}

/** Before the handshake nothing can have run. */
function exited(lost: FailureError, server: string, hint: string): FailureError {
  const forModel = `the MCP server "${server}" cannot be started`;
  return mcpFailure("exited", `${lost.message}; it never completed the handshake${hint}`, { cause: lost, forModel });
}

function withOutput(reason: unknown, output: string): unknown {
  if (!isFailureError(reason) || reason.reason !== "no_handshake") return reason;
  return mcpFailure("no_handshake", `${reason.message}${output}`, { forModel: reason.message });
}

/**
 * Ends the programs that earlier processes of this workspace left running, and no others. Kills them immediately: their
 * stdin was closed with the process that held it, and they ignored that.
 */
async function reapChildren({
  files,
  clock,
  log,
}: {
  readonly files: ChildFiles;
  readonly clock: Clock;
  readonly log: (message: string) => void;
}): Promise<void> {
  const reaping = files.listOrphans().map(async ({ child, remove }) => {
    const family = familyOf(child);
    const runs = familyRuns(family);
    if (runs && !(await endFamily(family, 0, clock))) {
      log(
        `a program of the MCP server "${child.server}" (${child.pid}) is still running from an earlier process and cannot be ended`,
      );
      return;
    }
    if (runs)
      log(
        `ended a program of the MCP server "${child.server}" (${child.pid}) that was still running from an earlier process`,
      );
    remove();
  });
  await Promise.all(reaping);
}

/**
 * True if the process group with this number is the one that was started: either its leader is alive, or a process with
 * the mark is. Process numbers are reused.
 */
function familyOf(child: Child): ProcessFamily {
  const { pid, mark } = child;
  const isSame = isProcessAlive(child) || (groupMembers(pid)?.some((member) => carriesMark(member, mark)) ?? false);
  return { group: isSame ? pid : undefined, mark };
}
