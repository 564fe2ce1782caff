import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Clock, systemClock, cliCommand, settlesWithin, orElse } from "../../base/index.ts";
import { type Problem, suggest } from "../../text/index.ts";
import type { ToolRegistry } from "../../tool/index.ts";
import { type ToolFolderEvent, FolderEventEmitter } from "../tool-folder/folder-event-emitter.ts";
import {
  type FolderChange,
  FolderReloader,
  type ReloadMode,
  type ReloadReason,
  noChange,
} from "../tool-folder/folder-reloader.ts";
import { ChangeEmitter } from "./change-emitter.ts";
import { configFiles } from "./mcp-names.ts";
import { KnownServer } from "./known-server.ts";
import type { McpSourceDeps } from "./mcp-source-deps.ts";
import type { McpConnector } from "./mcp-port.ts";
import type { McpReview, McpServerStatus } from "./mcp-status.ts";
import { type McpConfig, type McpConfigDeps, lastGoodVersionCode, readMcpConfig } from "./read-mcp-config.ts";
import { resourceTools } from "./resource-tools.ts";
import type { McpServer } from "./server-config.ts";
import { serverOrigin } from "./server-tools.ts";
import { type McpSourceLimits, defaultMcpSourceLimits } from "./mcp-source-limits.ts";
import { mcpSourceFailure } from "../hub-reasons.ts";
import { StateFiles } from "./server-state-files.ts";

/** Options of {@link createMcpSource}. */
export interface McpSourceOptions extends McpConfigDeps {
  /** Registry for the tools, under the source `mcps`, each owned by its server. */
  readonly registry: ToolRegistry;
  /** Returns the connector; called when a server is really needed. */
  readonly connector: () => Promise<McpConnector>;
  /** Folder for persisted state. Default: `.windlass` of the workspace. */
  readonly stateDir?: string;
  /** Capabilities of servers, `mcp:server`, and tools, `mcp:server/tool`. */
  readonly declared?: Readonly<Record<string, readonly string[]>>;
  /** Connect in the background to servers that were never connected to; for processes that live long. */
  readonly connectUnknown?: boolean;
  readonly onEvent?: (event: ToolFolderEvent) => void;
  readonly onLog?: (message: string) => void;
  /** Called with the keys and passwords in the files themselves, whenever they are read. */
  readonly onSecrets?: (values: readonly string[]) => void;
  readonly mode?: ReloadMode;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly limits?: Partial<McpSourceLimits>;
}

/** The MCP servers of a workspace, and their tools in a registry. */
export interface McpSource {
  /** Reads the files and registers the known tools of the servers, without connecting; starts checking for changes. */
  load(): Promise<FolderChange>;
  /** Checks the files now. */
  reload(): Promise<FolderChange>;
  /**
   * Lists the tools of a server that was never connected: the server of this name, the one of a tool `server/tool`, or,
   * for any other name that no tool has, and without a name, all of them. Returns at once if no connection is needed.
   * Rejects if the named server fails.
   */
  prepare(name?: string, options?: { readonly signal?: AbortSignal }): Promise<void>;
  /** Connects to a server and lists its tools, even if it changed or is cooling down. */
  refresh(server: string, options?: { readonly signal?: AbortSignal }): Promise<McpServerStatus>;
  /** Pending approvals of a server, or of a tool by its full name. */
  review(name: string): McpReview;
  /** Approves exactly what was reviewed. */
  approve(review: McpReview): void;
  status(): readonly McpServerStatus[];
  server(name: string): McpServer | undefined;
  /** Problems of the files, of definitions and of servers. */
  problems(): readonly Problem[];
  /** The text of a file as it was last read, for code frames. */
  sourceOf(file: string): string | undefined;
  /** The file that names the server of a tool. */
  fileOf(tool: string): string | undefined;
  /** Ends all connections, within a bound; the tools stay registered. */
  close(): Promise<void>;
}

/**
 * The MCP servers of a workspace: those that `mcp.json` and `mcp.local.json` name. Their tools are registered from the
 * persisted catalogue of earlier connections; the first call of one of its tools connects to a server. Definitions
 * without approval are refused.
 *
 * @example
 * ```ts
 * const mcp = createMcpSource({ dir, registry, connector, env: process.env, allowedEnv: [], secrets, secretNames: [] });
 * await mcp.load();
 * await mcp.prepare("files/read_file");
 * ```
 */
export function createMcpSource(options: McpSourceOptions): McpSource {
  return new RegistryServers(options);
}

const source = "mcps";
const resourceOwner = serverOrigin("mcp resources");

class RegistryServers implements McpSource {
  readonly #options: McpSourceOptions;
  readonly #world: McpSourceDeps;
  readonly #stateDir: string;
  readonly #runs: FolderReloader;
  readonly #emit: ChangeEmitter;
  readonly #servers = new Map<string, KnownServer>();
  /** Servers whose failures are not logged, because a caller waits that gets and reports them. */
  readonly #quiet = new Set<string>();
  /** Servers that are not named any more, and still have calls to finish. */
  readonly #leaving = new Set<KnownServer>();
  /** Promises that closing waits for, in addition to servers. */
  readonly #ending = new Set<Promise<unknown>>();
  #config: McpConfig = {
    servers: [],
    unused: [],
    problems: [],
    texts: new Map(),
    secretValues: [],
    lastGood: new Map(),
  };
  #stamp = "";
  #resources = false;

  constructor(options: McpSourceOptions) {
    this.#options = options;
    const { dir, registry, connector, declared = {}, mode = {}, onLog, limits } = options;
    const clock = options.clock ?? systemClock;
    this.#stateDir = options.stateDir ?? join(dir, ".windlass");
    // Single files cannot be watched as a folder is: they are polled instead.
    const looks = { ...mode, watch: false, autoReload: mode.autoReload === true || mode.watch === true };
    this.#runs = new FolderReloader({ dir, clock, mode: looks, run: (why) => this.#run(why) });
    this.#emit = new ChangeEmitter({
      registry,
      events: new FolderEventEmitter({ source, clock, onEvent: options.onEvent }),
      problems: () => this.#config.problems,
      owners: () => this.#owners(),
    });
    this.#world = {
      registry,
      files: new StateFiles(this.#stateDir),
      connector: onceWorking(async () => {
        const made = await connector();
        await made.reap();
        return made;
      }),
      clock,
      random: options.random ?? Math.random,
      limits: { ...defaultMcpSourceLimits, ...limits },
      declared,
      log: (message) => onLog?.(message),
      change: (apply) => this.#emit.change(apply),
      resourcesChanged: () => this.#showResources(),
      broke: (problem, server) => {
        if (!this.#quiet.has(server)) onLog?.(problem.message);
        options.onEvent?.({ type: "load_error", at: clock.now(), file: problem.file, problems: [problem] });
      },
    };
  }

  async load(): Promise<FolderChange> {
    const change = await this.#runs.load();
    // Not awaited here: callers that need no server continue, and a command does not exit before leftover processes are
    // gone.
    // Programs that an earlier process may have left running have files.
    if (namesIn(join(this.#stateDir, "mcp", "children")).length > 0) this.#await(this.#world.connector());
    if (this.#options.connectUnknown === true) void this.prepare().catch(() => undefined);
    return change;
  }

  reload(): Promise<FolderChange> {
    return this.#runs.reload();
  }

  async prepare(name?: string, { signal = this.#runs.signal }: { signal?: AbortSignal } = {}): Promise<void> {
    const named = name === undefined ? undefined : this.#servers.get(name.split("/", 1).join(""));
    if (named !== undefined) {
      const { name: server } = named.server;
      this.#quiet.add(server);
      return named.prepare(signal).finally(() => this.#quiet.delete(server));
    }
    if (name !== undefined && (name.includes("/") || this.#options.registry.has(name))) return;
    await Promise.allSettled([...this.#servers.values()].map((server) => server.prepare(signal)));
  }

  async refresh(name: string, { signal = this.#runs.signal }: { signal?: AbortSignal } = {}): Promise<McpServerStatus> {
    const server = this.#find(name);
    await server.refresh(signal);
    return server.status();
  }

  review(name: string): McpReview {
    const [server = ""] = name.split("/", 1);
    return this.#find(server).review(name === server ? undefined : name);
  }

  approve(review: McpReview): void {
    this.#find(review.server).approve(review);
  }

  status(): readonly McpServerStatus[] {
    const unused = this.#config.unused.map(({ name, why, display, fault }) => ({
      name,
      state: why,
      transport: undefined,
      display,
      tools: [],
      refused: [],
      resources: 0,
      ...(fault !== undefined && { fault }),
      ...(why === "broken" && { hint: `run \`${cliCommand("validate")}\` to see the errors of its entry` }),
      ...(why === "untrusted" && { hint: `run \`${cliCommand("trust")}\` to review and trust it` }),
    }));
    return [...[...this.#servers.values()].map((server) => server.status()), ...unused];
  }

  server(name: string): McpServer | undefined {
    return this.#servers.get(name)?.server;
  }

  problems(): readonly Problem[] {
    return [...this.#config.problems, ...[...this.#servers.values()].flatMap((server) => server.problems())];
  }

  sourceOf(file: string): string | undefined {
    return this.#config.texts.get(file);
  }

  fileOf(tool: string): string | undefined {
    return this.#owners().get(tool);
  }

  async close(): Promise<void> {
    const closing = [...this.#servers.values(), ...this.#leaving].map((server) => server.close());
    const ends = Promise.allSettled([this.#runs.close(), ...closing, ...this.#ending]);
    await settlesWithin(ends, this.#world.limits.closeMs, this.#world.clock);
  }

  async #run(why: ReloadReason): Promise<FolderChange> {
    const stamp = this.#stampNow();
    if (why === "look" && stamp === this.#stamp) return noChange;
    const config = readMcpConfig({ ...this.#options, dir: resolve(this.#options.dir) }, this.#config.lastGood);
    // Before any output that may contain them.
    this.#options.onSecrets?.(config.secretValues);
    this.#reportLastGood(config);
    const change = this.#emit.run(why, () => {
      this.#config = config;
      this.#replaceServers(config);
      this.#showResources();
    });
    // State that was written during the run is not a change of the files.
    this.#stamp = this.#stampNow();
    if (why !== "load" && this.#options.connectUnknown === true) void this.prepare().catch(() => undefined);
    return change;
  }

  #reportLastGood({ problems }: McpConfig): void {
    for (const { file } of problems.filter(({ code }) => code === lastGoodVersionCode)) {
      const why = problems.find((problem) => problem.file === file && problem.severity === "error")?.message;
      this.#world.log(`${file} cannot be read (${why}); its previous servers stay in use`);
    }
  }

  /** Servers with an unchanged entry keep their connection; others finish their running calls. */
  #replaceServers({ servers }: McpConfig): void {
    const configured = new Map(servers.map((server) => [server.name, server]));
    const gone = [...this.#servers.values()].filter(({ server }) => !isSame(server, configured.get(server.name)));
    for (const known of gone) {
      this.#servers.delete(known.server.name);
      this.#leaving.add(known);
      this.#await(known.disconnect().finally(() => this.#leaving.delete(known)));
    }
    // In the order of the files: it decides whose short names are found.
    const remaining = new Map(this.#servers);
    this.#servers.clear();
    for (const server of servers) {
      const known = remaining.get(server.name) ?? new KnownServer(server, this.#world);
      this.#servers.set(server.name, known);
      known.loadCatalogue();
    }
  }

  /** The two tools that read resources exist as long as a server has any. */
  #showResources(): void {
    const hasResources = [...this.#servers.values()].some((each) => each.hasResources);
    if (hasResources === this.#resources) return;
    this.#resources = hasResources;
    const tools = hasResources
      ? resourceTools({
          servers: () =>
            [...this.#servers.values()].filter((each) => each.hasResources).map((each) => each.server.name),
          of: (name) => this.#find(name).resources,
        })
      : [];
    this.#emit.change(() => this.#world.registry.replace(tools, resourceOwner));
  }

  #find(name: string): KnownServer {
    const server = this.#servers.get(name);
    if (server !== undefined) return server;
    const { refusal } = this.#config.unused.find((each) => each.name === name) ?? {};
    if (refusal !== undefined) throw refusal;
    const near = suggest(name, this.#servers.keys());
    const hint =
      near === undefined ? `there are ${[...this.#servers.keys()].join(", ") || "none"}` : `did you mean ${near}?`;
    throw mcpSourceFailure("unknown_server", `there is no MCP server ${JSON.stringify(name)}; ${hint}`, {
      parameter: "server",
    });
  }

  #owners(): ReadonlyMap<string, string> {
    return new Map(
      [...this.#servers.values()].flatMap((known) => {
        const { tools, refused } = known.status();
        return [...tools, ...refused.map(({ name }) => name)].map(
          (name) => [name, known.server.position.file] as const,
        );
      }),
    );
  }

  #await(work: Promise<unknown>): void {
    const ended = work.catch(() => undefined).finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }

  /** Stamp of the files, and of the approvals by other processes of the workspace. */
  #stampNow(): string {
    const files = configFiles.map((name) => join(this.#options.dir, name));
    const pins = join(this.#stateDir, "mcp", "pins");
    return [...files, ...namesIn(pins).map((name) => join(pins, name))].map(stampOf).join(" ");
  }
}

function isSame(a: McpServer, b: McpServer | undefined): boolean {
  if (b === undefined) return false;
  const { position: _a, ...one } = a;
  const { position: _b, ...other } = b;
  return JSON.stringify(one) === JSON.stringify(other);
}

function namesIn(dir: string): readonly string[] {
  return orElse(() => readdirSync(dir).toSorted(), []);
}

function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? "-" : `${found.mtimeNs}:${found.size}:${found.ino}`;
}

/** Creates the value once; after a failure, the next caller tries again. */
function onceWorking<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
