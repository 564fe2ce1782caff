import { type FailureError, type Timer, fail, isFailureError, raceAbort, sleep } from "../../base/index.ts";
import type { McpConnection, McpToolDefinition, McpListener } from "./mcp-port.ts";
import { type LastFailure, ServerBreaker } from "./server-breaker.ts";
import type { McpServer } from "./server-config.ts";
import { mcpSourceFailure } from "../hub-reasons.ts";
import type { McpSourceDeps } from "./mcp-source-deps.ts";

/** Dependencies and callbacks of a {@link ServerLink}. */
export interface ServerLinkDeps extends Pick<McpSourceDeps, "connector" | "clock" | "random" | "limits" | "log"> {
  readonly server: McpServer;
  readonly lastProtocol: () => string | undefined;
  /**
   * Called with the tools of the server, on every new connection and after every change, before the connection is used.
   */
  readonly listed: (definitions: readonly McpToolDefinition[], connection: McpConnection) => void;
  /** The server could not be connected to, or was lost. */
  readonly failed: (error: unknown) => void;
}

/** A connection and its users. */
interface Line {
  readonly connection: McpConnection;
  users: number;
  /** No new users; closed when the last one is done. */
  retired: boolean;
  /** That it is lost has been counted against the server. */
  counted: boolean;
}

/** Reasons of failed calls for which the server, or the way to it, is to blame. */
const serverReasons: ReadonlySet<string | undefined> = new Set(
  "unreachable connection_lost not_sent http_error busy unauthorized server_down".split(" "),
);

/** One server: connected to when it is needed, by one connection that all calls share, again when that is lost. */
export class ServerLink {
  readonly #world: ServerLinkDeps;
  readonly #breaker: ServerBreaker;
  readonly #over = new AbortController();
  readonly #closing = new Set<Promise<void>>();
  #line: Line | undefined;
  #connecting: Promise<Line> | undefined;
  #idle: Timer | undefined;
  #relist: Timer | undefined;
  #users = 0;
  /** Resolved when the last user of the server is done; set once it is to be disconnected. */
  #unused: PromiseWithResolvers<void> | undefined;
  #listing = false;
  #changed = false;

  constructor(world: ServerLinkDeps) {
    this.#world = world;
    const { server, clock, random, limits } = world;
    this.#breaker = new ServerBreaker({ server: server.name, clock, random, limits });
  }

  get state(): "idle" | "connecting" | "connected" {
    if (this.#line !== undefined) return "connected";
    return this.#connecting === undefined ? "idle" : "connecting";
  }

  get lastFailure(): LastFailure | undefined {
    return this.#breaker.lastFailure;
  }

  get isDown(): boolean {
    return this.#breaker.isOpen;
  }

  /** Works with a connection, opened on demand. Fails at once while the server is cooling down. */
  async use<T>(signal: AbortSignal, work: (connection: McpConnection) => Promise<T>): Promise<T> {
    if (this.#unused !== undefined)
      throw mcpSourceFailure(
        "tool_gone",
        `the MCP server "${this.#world.server.name}" was removed or changed in mcp.json; list the tools again`,
      );
    const leave = this.#breaker.enter();
    this.#users++;
    try {
      return await this.#workOnLine(signal, work);
    } finally {
      leave();
      this.#users--;
      this.#reportUnused();
    }
  }

  /** If the work was not sent because the connection had closed, it is retried on a new connection, once. */
  async #workOnLine<T>(signal: AbortSignal, work: (connection: McpConnection) => Promise<T>): Promise<T> {
    const line = await this.#open(signal);
    try {
      return await this.#work(line, work);
    } catch (error) {
      const isUnsent = isFailureError(error) && error.reason === "not_sent";
      if (!isUnsent || this.isDown || this.#unused !== undefined || signal.aborted) throw error;
    }
    return this.#work(await this.#open(signal), work);
  }

  #reportUnused(): void {
    if (this.#users === 0) this.#unused?.resolve();
  }

  /** Connects, regardless of earlier failures, and lists the tools unless that was done just now. */
  async refresh(signal: AbortSignal): Promise<void> {
    const known = this.#line;
    const line = await this.#open(signal, "now");
    if (line === known) await this.#work(line, (connection) => this.#list(connection, signal));
    else this.#breaker.succeeded();
    this.#rest();
  }

  /** Closes the connection when its running calls are done; no new ones start. */
  async disconnect(): Promise<void> {
    this.#unused ??= Promise.withResolvers();
    if (this.#users > 0) await this.#unused.promise;
    await this.close();
  }

  /** Closes the connection. Running calls fail. */
  async close(): Promise<void> {
    this.#over.abort();
    this.#unused?.resolve();
    this.#idle?.cancel();
    this.#relist?.cancel();
    const line = this.#line;
    this.#line = undefined;
    if (line !== undefined) this.#end(line);
    await this.#connecting?.catch(() => undefined);
    await Promise.all(this.#closing);
  }

  async #work<T>(line: Line, work: (connection: McpConnection) => Promise<T>): Promise<T> {
    const { incident } = this.#breaker;
    line.users++;
    this.#idle?.cancel();
    try {
      const result = await work(line.connection);
      this.#breaker.succeeded();
      return result;
    } catch (error) {
      this.#blame(error, line, incident);
      throw error;
    } finally {
      line.users--;
      if (line.users === 0 && line.retired) this.#end(line);
      this.#rest();
    }
  }

  /** A failed call may be the server's fault: then the next call does not use the same connection. */
  #blame(error: unknown, line: Line, incident: number): void {
    if (!isFailureError(error) || !serverReasons.has(error.reason)) return;
    line.counted = true;
    this.#breaker.failed(error, incident);
    this.#retire(line);
  }

  #open(signal: AbortSignal, when: "now" | "in time" = "in time"): Promise<Line> {
    if (this.#over.signal.aborted) throw mcpSourceFailure("source_closed", "the workspace is being closed");
    if (this.#line !== undefined) return Promise.resolve(this.#line);
    this.#connecting ??= this.#connect(when).finally(() => {
      this.#connecting = undefined;
    });
    return raceAbort(this.#connecting, signal, cancelled);
  }

  async #connect(when: "now" | "in time"): Promise<Line> {
    const { server, clock, failed } = this.#world;
    const { incident } = this.#breaker;
    const { waitMs } = this.#breaker;
    // Closing ends the wait.
    if (when === "in time" && waitMs > 0) await sleep(clock, waitMs, this.#over.signal).catch(() => undefined);
    try {
      return await this.#dial();
    } catch (error) {
      if (this.#over.signal.aborted)
        throw mcpSourceFailure("source_closed", `the MCP server "${server.name}" is being closed`);
      this.#breaker.failed(error, incident);
      failed(error);
      throw error;
    }
  }

  async #dial(): Promise<Line> {
    const { server, connector, lastProtocol } = this.#world;
    const { signal } = this.#over;
    const opened: { line?: Line; lost?: unknown } = {};
    const listener = this.#listener(opened);
    const known = lastProtocol();
    const connection = await (
      await connector()
    ).connect(server.name, server.address, {
      listener,
      signal,
      ...(known !== undefined && { lastProtocol: known }),
    });
    const line: Line = { connection, users: 0, retired: false, counted: false };
    opened.line = line;
    try {
      signal.throwIfAborted();
      await this.#list(connection, signal);
      if ("lost" in opened) throw opened.lost;
    } catch (error) {
      this.#end(line);
      throw error;
    }
    this.#line = line;
    this.#rest();
    return line;
  }

  #listener(opened: { line?: Line; lost?: unknown }): McpListener {
    const { server, log, failed } = this.#world;
    return {
      toolsChanged: () => this.#toolsChanged(),
      log: (message) => log(`${server.name}: ${message}`),
      closed: (why) => {
        const { line } = opened;
        opened.lost = why ?? mcpSourceFailure("server_down", `the MCP server "${server.name}" ended the connection`);
        if (line === undefined || this.#line !== line) return;
        this.#line = undefined;
        this.#idle?.cancel();
        this.#end(line);
        if (why === undefined || this.#over.signal.aborted) return;
        log(`${server.name}: ${why.message}`);
        if (!line.counted) this.#breaker.failed(why, this.#breaker.incident);
        failed(why);
      },
    };
  }

  async #list(connection: McpConnection, signal: AbortSignal): Promise<void> {
    const { limits, clock, server, listed } = this.#world;
    const late = new AbortController();
    const timer = clock.after(limits.listMs, () => late.abort());
    try {
      const definitions = await raceAbort(
        connection.listTools(AbortSignal.any([signal, late.signal])),
        late.signal,
        cancelled,
      );
      listed(definitions, connection);
    } catch (error) {
      if (!late.signal.aborted) throw error;
      throw mcpSourceFailure("server_down", `the MCP server "${server.name}" did not list its tools in time`, {
        cause: error,
      });
    } finally {
      timer.cancel();
    }
  }

  /** Lists the tools after change notifications, at a limited rate and one listing at a time. */
  #toolsChanged(): void {
    this.#changed = true;
    if (this.#listing || this.#relist !== undefined) return;
    this.#relist = this.#world.clock.after(this.#world.limits.relistMs, () => {
      this.#relist = undefined;
      void this.#listAgain();
    });
    this.#relist.hold(false);
  }

  async #listAgain(): Promise<void> {
    const line = this.#line;
    if (line === undefined) return;
    this.#listing = true;
    this.#changed = false;
    try {
      await this.#list(line.connection, this.#over.signal);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#world.log(`${this.#world.server.name}: its tools changed and cannot be listed: ${why}`);
    } finally {
      this.#listing = false;
    }
    if (this.#changed) this.#toolsChanged();
  }

  #rest(): void {
    const line = this.#line;
    this.#idle?.cancel();
    if (line === undefined || line.users > 0) return;
    this.#idle = this.#world.clock.after(this.#world.limits.idleMs, () => this.#retire(line));
    this.#idle.hold(false);
  }

  #retire(line: Line): void {
    if (this.#line === line) this.#line = undefined;
    line.retired = true;
    if (line.users === 0) this.#end(line);
  }

  #end(line: Line): void {
    line.retired = true;
    const ended = line.connection
      .close()
      .catch((error: unknown) => this.#world.log(`${this.#world.server.name}: closing failed: ${String(error)}`))
      .finally(() => this.#closing.delete(ended));
    this.#closing.add(ended);
  }
}

function cancelled(): FailureError {
  return fail("cancelled while waiting", { code: "cancelled", retry: "safe" });
}
