import type { Readable, Writable } from "node:stream";
import { type Clock, systemClock } from "../../../base/index.ts";
import { type Engine, type EngineEventType, type LogEntry, couldBeCalled } from "../../../engine/index.ts";
import { redactOutput } from "../../../hub/index.ts";
import type { ApprovalStore } from "../../../store/index.ts";
import type { Registration, ToolSuccess } from "../../../tool/index.ts";
import { type ViewOutput, cutOutput } from "./output-view.ts";
import type { ProtocolParts } from "./protocol-server.ts";
import type { ProvidedPrompts, ProvidedResources } from "./provided.ts";
import { loadServerSdk } from "./sdk.ts";
import type { HttpOptions, HttpServing } from "./serve-http.ts";
import type { StdioServing } from "./serve-stdio.ts";
import { servedClient } from "./served-client.ts";
import { ServingLines } from "./serving-lines.ts";
import { ToolCalls } from "./tool-calls.ts";
import { ToolList } from "./tool-list.ts";

/** What is served to MCP clients, and as what. */
export interface McpServingOptions {
  readonly engine: Engine;
  /** Every tool on offer; those of the engine where absent. */
  readonly tools?: () => readonly Registration[];
  /** What the server calls itself. */
  readonly name: string;
  readonly version: string;
  /** What a client may tell its model about the server as a whole. */
  readonly instructions?: string;
  /**
   * Where approvals are kept that the person at a client gives. Where absent, nobody gives any there: the engine's
   * approver is asked, and no client is told how.
   */
  readonly approvals?: ApprovalStore;
  /** Resolves when the tools are complete; waited for, a moment, by the first who asks for the list. */
  readonly ready?: () => Promise<void>;
  readonly resources?: ProvidedResources;
  readonly prompts?: ProvidedPrompts;
  /** What of an output clients get to read; its beginning where it is long. */
  readonly view?: ViewOutput;
  /** Takes secrets out of a result before clients get anything of it; the engine's redactor does where absent. */
  readonly redact?: (result: ToolSuccess) => Promise<ToolSuccess>;
  /** On whose behalf the calls are made. */
  readonly principal?: string;
  readonly clock?: Clock;
  /** Told what goes wrong with the protocol; nobody else hears of it. */
  readonly log?: (message: string) => void;
}

/** Serves tools to MCP clients, in both eras of the protocol. */
export interface McpServing {
  /** How many tools are on offer now. */
  readonly toolCount: number;
  /** Serves one client over a pair of streams. */
  stdio(input: Readable, output: Writable): Promise<StdioServing>;
  /** Serves any number of clients over HTTP. */
  http(options?: HttpOptions): Promise<HttpServing>;
  /** Hands a line of a tool's log to the client that made the call; for `onLog` of the engine. */
  onLog(entry: LogEntry): void;
  /** The tools may be others now; for sources that tell the engine nothing. */
  toolsChanged(): void;
  /** Ends everything that is served. */
  close(): Promise<void>;
}

const changes: readonly EngineEventType[] = [
  "tool_loaded",
  "tool_added",
  "tool_updated",
  "tool_removed",
  "reload_completed",
];

/** Tools that change one after the other are told of once. */
const changeMs = 50;

/** Clients wait for the first list, and some of them not for long. For a tool that may be still to come they do. */
const readyMs = 2_500;
const completeMs = 20_000;

/**
 * Serves the tools of an engine to MCP clients. Every call goes through the engine, as a call of an `mcp_client`.
 *
 * @example
 * ```ts
 * const serving = createMcpServing({ engine, name: "my-tools", version: "1.0.0" });
 * const { closed } = await serving.stdio(process.stdin, process.stdout);
 * await closed;
 * ```
 */
export function createMcpServing(options: McpServingOptions): McpServing {
  return new Serving(options);
}

class Serving implements McpServing {
  readonly #options: McpServingOptions;
  readonly #list: ToolList;
  readonly #lines: ServingLines;
  readonly #log: (message: string) => void;
  readonly #clock: Clock;
  readonly #open = new Set<{ close(): Promise<void> }>();
  #parts: Promise<ProtocolParts> | undefined;
  #unwatch: (() => void)[] = [];
  #checking = false;
  #ready: { readonly since: number; readonly done: Promise<void> } | undefined;

  constructor(options: McpServingOptions) {
    const { engine, log = () => {}, clock = systemClock } = options;
    this.#options = options;
    this.#log = (message) => log(briefly(message));
    this.#clock = clock;
    this.#lines = new ServingLines(this.#log);
    this.#list = new ToolList({
      tools: options.tools ?? (() => engine.tools.list()),
      isOffered: (registration) => isOffered(registration, engine),
      version: () => engine.tools.version,
      log: this.#log,
    });
  }

  get toolCount(): number {
    return this.#list.size;
  }

  async stdio(input: Readable, output: Writable): Promise<StdioServing> {
    const parts = await this.#begin();
    const { serveStdio } = await import("./serve-stdio.ts");
    return this.#keep(await serveStdio({ ...parts, lines: this.#lines, log: this.#log }, input, output));
  }

  async http(options: HttpOptions = {}): Promise<HttpServing> {
    const parts = await this.#begin();
    const { serveHttp } = await import("./serve-http.ts");
    return this.#keep(await serveHttp({ ...parts, lines: this.#lines, log: this.#log }, options));
  }

  onLog({ callId, tool, message, data }: LogEntry): void {
    // What belongs to no call is for nobody's eyes but the operator's.
    if (callId === "") return;
    // The handler that logs runs on behalf of its client.
    servedClient()?.log(message, data, tool);
  }

  toolsChanged(): void {
    if (this.#checking || this.#unwatch.length === 0) return;
    this.#checking = true;
    const timer = this.#clock.after(changeMs, () => {
      this.#checking = false;
      if (this.#list.hasChanged()) this.#lines.tell({ kind: "tools" });
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

  #begin(): Promise<ProtocolParts> {
    this.#parts ??= this.#load();
    return this.#parts;
  }

  async #load(): Promise<ProtocolParts> {
    const { engine, name, version, instructions, approvals, resources, prompts, principal } = this.#options;
    const { view = cutOutput(), redact = redacting(engine) } = this.#options;
    const [sdk, clock, list] = [await loadServerSdk(), this.#clock, this.#list];
    // From here on a change is one.
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
      ...(instructions !== undefined && { instructions }),
      ...(resources !== undefined && { resources }),
      ...(prompts !== undefined && { prompts }),
    };
  }

  /** Waits until the tools are there, and from the first one who waited on no longer than this in all. */
  async #within(ms: number): Promise<void> {
    const { ready } = this.#options;
    if (ready === undefined) return;
    this.#ready ??= { since: this.#clock.elapsed(), done: this.#becomeReady(ready) };
    const { since, done } = this.#ready;
    const late = Promise.withResolvers<void>();
    const timer = this.#clock.after(Math.max(0, since + ms - this.#clock.elapsed()), late.resolve);
    await Promise.race([done, late.promise]);
    timer.cancel();
  }

  async #becomeReady(ready: () => Promise<void>): Promise<void> {
    // What becomes of those that are not there yet is told later, by the list that changes.
    await ready().catch((error: unknown) => this.#log(`not all tools are there: ${String(error)}`));
  }

  /** A tool may have registered others, of which nobody is told. */
  #seen = -1;
  #called(): void {
    const { version } = this.#options.engine.tools;
    if (version === this.#seen) return;
    this.#seen = version;
    this.toolsChanged();
  }

  #watch(): void {
    const { engine, resources, prompts } = this.#options;
    const tellResource = (uri?: string): void =>
      this.#lines.tell(uri === undefined ? { kind: "resources" } : { kind: "resource", uri });
    this.#seen = engine.tools.version;
    this.#unwatch.push(
      engine.subscribe(() => this.toolsChanged(), changes),
      resources?.watch?.(tellResource) ?? (() => {}),
      prompts?.watch?.(() => this.#lines.tell({ kind: "prompts" })) ?? (() => {}),
    );
  }
}

/** What does not fit the protocol is told of by listing everything that it could have been. */
function briefly(message: string): string {
  if (message.startsWith("[")) return "a message was left out: it is none of the protocol";
  const [line = ""] = message.split("\n", 1);
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}

/** What no client can call, whatever the arguments, is not offered to any. */
function isOffered(registration: Registration, engine: Engine): boolean {
  const { denies } = engine;
  if (!engine.isAvailable(registration.tool)) return false;
  if (denies === undefined) return true;
  return couldBeCalled(registration, (subject) => denies({ ...subject, callerType: "mcp_client" }) === undefined);
}

function redacting({ redactor }: Engine): (result: ToolSuccess) => Promise<ToolSuccess> {
  return async (result) => ({ ...result, output: await redactOutput(result.output, redactor.known) });
}
