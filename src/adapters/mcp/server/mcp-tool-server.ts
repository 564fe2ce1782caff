import type { Readable, Writable } from "node:stream";
import { type Clock, settlesWithin, systemClock, definedOnly } from "../../../base/index.ts";
import type { ApprovalService, Engine, EngineEventType, LogEntry } from "../../../engine/index.ts";
import { redactOutput } from "../../../hub/index.ts";
import { type Registration, type ToolSuccess, isUsable } from "../../../tool/index.ts";
import { type ViewOutput, cutOutput } from "./output-view.ts";
import type { ProtocolServerDeps } from "./protocol-server.ts";
import type { McpPromptProvider, McpResourceProvider } from "./mcp-providers.ts";
import { loadServerSdk } from "./sdk.ts";
import type { McpEndpointLimits } from "./http-endpoint.ts";
import type { McpHttpCaller } from "./http-sessions.ts";
import type { McpHttpOptions, McpHttpServer } from "./serve-http.ts";
import type { McpStdioServer } from "./serve-stdio.ts";
import { servedClient } from "./served-client.ts";
import { ConnectedClients } from "./connected-clients.ts";
import { ToolCalls } from "./tool-calls.ts";
import { ServedToolList } from "./tool-list.ts";

/** Options of an MCP tool server: its tools, name and limits. */
export interface McpToolServerOptions {
  readonly engine: Engine;
  /** The tools to offer. Default: those of the engine. */
  readonly tools?: () => readonly Registration[];
  /** Name of the server, as clients see it. */
  readonly name: string;
  readonly version: string;
  /** Instructions that a client may pass to its model about the server as a whole. */
  readonly instructions?: string;
  /**
   * Stores the approvals that the user at a client gives, such as those of a workspace. Without it, the engine's approver
   * decides, and clients are not informed how to approve.
   */
  readonly approvals?: ApprovalService;
  /** Resolves when the tools are complete; the first list request waits a moment for it. */
  readonly ready?: () => Promise<void>;
  readonly resources?: McpResourceProvider;
  readonly prompts?: McpPromptProvider;
  /** Selects the part of an output that clients read. Default: the beginning of a long output. */
  readonly view?: ViewOutput;
  /** Redacts secrets from a result before clients receive any of it. Default: the engine's redactor. */
  readonly redact?: (result: ToolSuccess) => Promise<ToolSuccess>;
  /** The principal on whose behalf the calls are made. */
  readonly principal?: string;
  readonly clock?: Clock;
  /** Receives protocol errors, which are not reported anywhere else. */
  readonly log?: (message: string) => void;
}

/** MCP over HTTP as a part of another server. */
export interface McpHttpEndpoint {
  /** Answers a request. Never throws. */
  respond(request: Request, caller: McpHttpCaller): Promise<Response>;
  /** Ends all requests and sessions. */
  close(): Promise<void>;
}

/** Serves tools to MCP clients, in all protocol versions. */
export interface McpToolServer {
  /** Number of tools offered now. */
  readonly toolCount: number;
  /** Serves one client over a pair of streams. */
  stdio(input: Readable, output: Writable): Promise<McpStdioServer>;
  /** Serves any number of clients over HTTP. */
  http(options?: McpHttpOptions): Promise<McpHttpServer>;
  /** Answers requests that another HTTP server has received, and whose token it has checked. */
  endpoint(limits?: Partial<McpEndpointLimits>): Promise<McpHttpEndpoint>;
  /** Sends a log line of a tool to the client that made the call; for `onLog` of the engine. */
  onLog(entry: LogEntry): void;
  /** Announces that the tools may have changed; for sources that do not notify the engine. */
  toolsChanged(): void;
  /** Closes all connections and servers. */
  close(): Promise<void>;
}

const changes: readonly EngineEventType[] = [
  "tool_loaded",
  "tool_added",
  "tool_updated",
  "tool_removed",
  "reload_completed",
];

/** Debounce time: successive changes of tools are announced once. */
const changeMs = 50;

/** Maximum wait for the first list, since some clients do not wait long. A call of an unknown tool waits longer. */
const readyMs = 2_500;
const completeMs = 20_000;

/** Implements `serveMcp`. */
export function createMcpToolServer(options: McpToolServerOptions): McpToolServer {
  return new Serving(options);
}

class Serving implements McpToolServer {
  readonly #options: McpToolServerOptions;
  readonly #list: ServedToolList;
  readonly #lines: ConnectedClients;
  readonly #log: (message: string) => void;
  readonly #clock: Clock;
  readonly #open = new Set<{ close(): Promise<void> }>();
  #parts: Promise<ProtocolServerDeps> | undefined;
  #unwatch: (() => void)[] = [];
  #checking = false;
  #ready: { readonly since: number; readonly done: Promise<void> } | undefined;

  constructor(options: McpToolServerOptions) {
    const { engine, log = () => {}, clock = systemClock } = options;
    this.#options = options;
    this.#log = (message) => log(briefly(message));
    this.#clock = clock;
    this.#lines = new ConnectedClients(this.#log);
    this.#list = new ServedToolList({
      tools: options.tools ?? (() => engine.tools.list()),
      isOffered: (registration) => isOffered(registration, engine),
      version: () => engine.tools.version,
      log: this.#log,
    });
  }

  get toolCount(): number {
    return this.#list.size;
  }

  async stdio(input: Readable, output: Writable): Promise<McpStdioServer> {
    const parts = await this.#begin();
    const { serveStdio } = await import("./serve-stdio.ts");
    return this.#keep(await serveStdio({ ...parts, lines: this.#lines, log: this.#log }, input, output));
  }

  async http(options: McpHttpOptions = {}): Promise<McpHttpServer> {
    const parts = await this.#begin();
    const { serveHttp } = await import("./serve-http.ts");
    return this.#keep(await serveHttp({ ...parts, lines: this.#lines, log: this.#log }, options));
  }

  async endpoint(limits?: Partial<McpEndpointLimits>): Promise<McpHttpEndpoint> {
    const parts = await this.#begin();
    const { McpEndpoint } = await import("./http-endpoint.ts");
    return this.#keep(new McpEndpoint({ ...parts, lines: this.#lines, log: this.#log }, limits));
  }

  onLog({ callId, tool, message, data }: LogEntry): void {
    // Log entries without a call are only for the operator.
    if (callId === "") return;
    // The logging handler runs on behalf of its client.
    servedClient()?.log(message, data, tool);
  }

  toolsChanged(): void {
    if (this.#checking || this.#unwatch.length === 0) return;
    this.#checking = true;
    const timer = this.#clock.after(changeMs, () => {
      this.#checking = false;
      if (this.#list.hasChanged()) this.#lines.notify({ kind: "tools" });
    });
    timer.hold(false);
  }

  async close(): Promise<void> {
    for (const unwatch of this.#unwatch) unwatch();
    this.#unwatch = [];
    await Promise.all([...this.#open].map((each) => each.close()));
  }

  #keep<Each extends { close(): Promise<void> }>(each: Each): Each {
    this.#open.add(each);
    return each;
  }

  #begin(): Promise<ProtocolServerDeps> {
    this.#parts ??= this.#load();
    return this.#parts;
  }

  async #load(): Promise<ProtocolServerDeps> {
    const { engine, name, version, instructions, approvals, resources, prompts, principal } = this.#options;
    const { view = cutOutput(), redact = redacting(engine) } = this.#options;
    const [sdk, clock, list] = [await loadServerSdk(), this.#clock, this.#list];
    // Later changes are compared with this list.
    list.hasChanged();
    this.#watch();
    const calls = new ToolCalls({
      sdk,
      engine,
      list,
      clock,
      approvals,
      principal,
      view,
      redact,
      onCalled: () => this.#called(),
    });
    return {
      sdk,
      name,
      version,
      clock,
      list,
      ready: () => this.#within(readyMs),
      complete: () => this.#within(completeMs),
      calls,
      ...definedOnly({ instructions, resources, prompts }),
    };
  }

  /** Waits until the tools are complete, at most this long from the first wait on. */
  async #within(ms: number): Promise<void> {
    const { ready } = this.#options;
    if (ready === undefined) return;
    this.#ready ??= { since: this.#clock.elapsed(), done: this.#becomeReady(ready) };
    await settlesWithin(this.#ready.done, Math.max(0, this.#ready.since + ms - this.#clock.elapsed()), this.#clock);
  }

  async #becomeReady(ready: () => Promise<void>): Promise<void> {
    // Tools that become available later are announced by a list change.
    await ready().catch((error: unknown) => this.#log(`some tools could not be loaded: ${String(error)}`));
  }

  /** A call may have registered tools without a notification. */
  #seen = -1;
  #called(): void {
    const { version } = this.#options.engine.tools;
    if (version === this.#seen) return;
    this.#seen = version;
    this.toolsChanged();
  }

  #watch(): void {
    const { engine, resources, prompts } = this.#options;
    const reportResource = (uri?: string): void =>
      this.#lines.notify(uri === undefined ? { kind: "resources" } : { kind: "resource", uri });
    this.#seen = engine.tools.version;
    this.#unwatch.push(
      engine.subscribe(() => this.toolsChanged(), changes),
      resources?.watch?.(reportResource) ?? (() => {}),
      prompts?.watch?.(() => this.#lines.notify({ kind: "prompts" })) ?? (() => {}),
    );
  }
}

/** Validation errors of the protocol list every alternative; they are replaced by one sentence. */
function briefly(message: string): string {
  if (message.startsWith("[")) return "a message was dropped: it violates the protocol";
  const [line = ""] = message.split("\n", 1);
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}

/** A tool that no client can call with any arguments, or that cannot work here, is not offered. */
function isOffered({ tool }: Registration, engine: Engine): boolean {
  return engine.isAvailable(tool) && isUsable(tool) && engine.permits(tool, "mcp_client");
}

function redacting({ redactor }: Engine): (result: ToolSuccess) => Promise<ToolSuccess> {
  return async (result) => ({ ...result, output: await redactOutput(result.output, redactor.known) });
}
