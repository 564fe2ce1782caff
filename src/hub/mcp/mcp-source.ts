import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Clock, systemClock } from "../../base/index.ts";
import { type Problem, suggest } from "../../text/index.ts";
import type { ToolRegistry } from "../../tool/index.ts";
import { type FolderEvent, FolderEvents } from "../folder/folder-events.ts";
import { type FolderChange, FolderRuns, type ReloadMode, type Why, noChange } from "../folder/folder-runs.ts";
import { ChangeTeller } from "./change-teller.ts";
import { configFiles } from "./has-mcp-config.ts";
import type { ExpandWorld } from "./expand-text.ts";
import { KnownServer } from "./known-server.ts";
import type { McpConnector } from "./mcp-port.ts";
import type { McpReview, McpServerStatus } from "./mcp-status.ts";
import { type McpConfig, lastVersionKept, readMcpConfig } from "./read-mcp-config.ts";
import { resourceTools } from "./resource-tools.ts";
import type { McpServer } from "./server-config.ts";
import { originOf } from "./server-tools.ts";
import { type McpSourceLimits, usualLimits } from "./source-limits.ts";
import { refuseMcp } from "./source-reasons.ts";
import type { SourceWorld } from "./source-world.ts";
import { StateFiles } from "./state-files.ts";

/** What {@link createMcpSource} takes. */
export interface McpSourceOptions extends ExpandWorld {
  /** Where the tools go, as the source `mcps`, each owned by its server. */
  readonly registry: ToolRegistry;
  /** Gives the connector; asked when a server is really needed. */
  readonly connector: () => Promise<McpConnector>;
  /** The folder for what has to be remembered; `.windlass` of the workspace where absent. */
  readonly stateDir?: string;
  /** What servers, `mcp:server`, and tools, `mcp:server/tool`, can stand in for. */
  readonly declared?: Readonly<Record<string, readonly string[]>>;
  /** Connect in the background to servers that were never connected to; for processes that live long. */
  readonly connectUnknown?: boolean;
  readonly onEvent?: (event: FolderEvent) => void;
  readonly onLog?: (message: string) => void;
  /** Told what the files themselves hold of keys and passwords, whenever they are read. */
  readonly onSecrets?: (values: readonly string[]) => void;
  readonly mode?: ReloadMode;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly limits?: Partial<McpSourceLimits>;
}

/** The MCP servers of a workspace, and their tools in a registry. */
export interface McpSource {
  /** Reads the files and registers what is known of the servers, without connecting; starts looking for changes. */
  load(): Promise<FolderChange>;
  /** Looks at the files now. */
  reload(): Promise<FolderChange>;
  /**
   * Makes the tools of a server known that was never connected to: the server of this name, the one of a tool
   * `server/tool`, or, for any other name that no tool has, and without a name, all of them. Done at once where nothing
   * has to be connected to. Rejects where one server that was named fails.
   */
  prepare(name?: string, options?: { readonly signal?: AbortSignal }): Promise<void>;
  /** Connects to a server and lists its tools, also where it is changed or left alone. */
  refresh(server: string, options?: { readonly signal?: AbortSignal }): Promise<McpServerStatus>;
  /** What about a server, or about a tool by its full name, waits for approval. */
  review(name: string): McpReview;
  /** Approves exactly what was reviewed. */
  approve(review: McpReview): void;
  status(): readonly McpServerStatus[];
  server(name: string): McpServer | undefined;
  /** What is wrong with the files, with definitions and with servers. */
  problems(): readonly Problem[];
  /** The text of a file as it was last read, for code frames. */
  sourceOf(file: string): string | undefined;
  /** The file that names the server of a tool. */
  fileOf(tool: string): string | undefined;
  /** Ends all connections, within a bound; the tools stay registered. */
  close(): Promise<void>;
}

/**
 * The MCP servers of a workspace: those that `mcp.json` and `mcp.local.json` name. Their tools are registered from what
 * is remembered of earlier connections; a server is connected to by the first call of one of its tools. Definitions that
 * nobody approved are refused.
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
const resourceOwner = originOf("mcp resources");

class RegistryServers implements McpSource {
  readonly #options: McpSourceOptions;
  readonly #world: SourceWorld;
  readonly #stateDir: string;
  readonly #runs: FolderRuns;
  readonly #tell: ChangeTeller;
  readonly #servers = new Map<string, KnownServer>();
  /** Servers that are not named any more, and still have calls to finish. */
  readonly #leaving = new Set<KnownServer>();
  /** What closing waits for besides servers. */
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
    // Single files cannot be watched as a folder is: they are looked at instead.
    const looks = { ...mode, watch: false, autoReload: mode.autoReload === true || mode.watch === true };
    this.#runs = new FolderRuns({ dir, clock, mode: looks, run: (why) => this.#run(why) });
    this.#tell = new ChangeTeller({
      events: new FolderEvents({ source, clock, onEvent: options.onEvent }),
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
      limits: { ...usualLimits, ...limits },
      declared,
      log: (message) => onLog?.(message),
      change: (apply) => this.#tell.change(apply),
      resourcesChanged: () => this.#showResources(),
      broke: (problem) => {
        options.onEvent?.({ type: "load_error", at: clock.now(), file: problem.file, problems: [problem] });
      },
    };
  }

  async load(): Promise<FolderChange> {
    const change = await this.#runs.load();
    // Not waited for here: whoever needs no server goes on, and a command is not over before they are gone.
    if (this.#hasLeftovers()) this.#await(this.#world.connector());
    if (this.#options.connectUnknown === true) void this.prepare().catch(() => undefined);
    return change;
  }

  reload(): Promise<FolderChange> {
    return this.#runs.reload();
  }

  async prepare(name?: string, { signal = this.#runs.signal }: { signal?: AbortSignal } = {}): Promise<void> {
    const named = name === undefined ? undefined : this.#servers.get(name.split("/", 1).join(""));
    if (named !== undefined) return named.prepare(signal);
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
    const unused = this.#config.unused.map(({ name, why, shown, fault }) => ({
      name,
      state: why,
      transport: undefined,
      shown,
      tools: [],
      refused: [],
      resources: 0,
      ...(fault !== undefined && { fault }),
      ...(why === "broken" && { todo: "`windlass validate` shows what is wrong with its entry" }),
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
    const { clock, limits } = this.#world;
    const bound = Promise.withResolvers<void>();
    const timer = clock.after(limits.closeMs, bound.resolve);
    const closing = [...this.#servers.values(), ...this.#leaving].map((server) => server.close());
    await Promise.race([Promise.allSettled([this.#runs.close(), ...closing, ...this.#ending]), bound.promise]);
    timer.cancel();
  }

  async #run(why: Why): Promise<FolderChange> {
    const stamp = this.#stampNow();
    if (why === "look" && stamp === this.#stamp) return noChange;
    const config = this.#read();
    // Before anything is said that may hold them.
    this.#options.onSecrets?.(config.secretValues);
    this.#tellKept(config);
    const change = this.#tell.run(why, () => {
      this.#config = config;
      this.#replaceServers(config);
      this.#showResources();
    });
    // What was remembered meanwhile is no change to look at.
    this.#stamp = this.#stampNow();
    if (why !== "load" && this.#options.connectUnknown === true) void this.prepare().catch(() => undefined);
    return change;
  }

  #read(): McpConfig {
    return readMcpConfig({ ...this.#options, dir: resolve(this.#options.dir) }, this.#config.lastGood);
  }

  #tellKept({ problems }: McpConfig): void {
    for (const { file } of problems.filter(({ code }) => code === lastVersionKept)) {
      const why = problems.find((problem) => problem.file === file && problem.severity === "error")?.message;
      this.#world.log(`${file} cannot be read (${why}); the servers that it named before are kept`);
    }
  }

  /** Servers whose entry stays as it is keep their connection; others finish what is under way. */
  #replaceServers({ servers }: McpConfig): void {
    const wanted = new Map(servers.map((server) => [server.name, server]));
    const gone = [...this.#servers.values()].filter(({ server }) => !isSame(server, wanted.get(server.name)));
    for (const known of gone) {
      this.#servers.delete(known.server.name);
      this.#leaving.add(known);
      this.#await(known.leave().finally(() => this.#leaving.delete(known)));
    }
    // In the order of the files: it decides whose short names are found.
    const kept = new Map(this.#servers);
    this.#servers.clear();
    for (const server of servers) {
      const known = kept.get(server.name) ?? new KnownServer(server, this.#world);
      this.#servers.set(server.name, known);
      known.recall();
    }
  }

  /** The two tools that read resources are there as long as a server has any. */
  #showResources(): void {
    const { registry } = this.#world;
    const wanted = [...this.#servers.values()].some(({ hasResources }) => hasResources);
    if (wanted === this.#resources) return;
    this.#resources = wanted;
    const tools = wanted
      ? resourceTools({
          servers: () =>
            [...this.#servers.values()].filter((each) => each.hasResources).map((each) => each.server.name),
          of: (name) => this.#find(name).resources,
        })
      : [];
    this.#tell.change(() => registry.replace(tools, resourceOwner));
  }

  #find(name: string): KnownServer {
    const server = this.#servers.get(name);
    if (server !== undefined) return server;
    const near = suggest(name, this.#servers.keys());
    const hint =
      near === undefined ? `there are ${[...this.#servers.keys()].join(", ") || "none"}` : `did you mean ${near}?`;
    throw refuseMcp("unknown_server", `there is no MCP server ${JSON.stringify(name)}; ${hint}`, {
      parameter: "server",
    });
  }

  #owners(): ReadonlyMap<string, string> {
    return new Map(
      [...this.#servers.values()].flatMap((known) => {
        const { tools, refused } = known.status();
        return [...tools, ...refused.map(({ name }) => name)].map((name) => [name, known.server.place.file] as const);
      }),
    );
  }

  #await(work: Promise<unknown>): void {
    const ended = work.catch(() => undefined).finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }

  /** Of the files, and of what other processes of the workspace approve. */
  #stampNow(): string {
    const files = configFiles.map((name) => join(this.#options.dir, name));
    const pins = join(this.#stateDir, "mcp", "pins");
    return [...files, ...namesIn(pins).map((name) => join(pins, name))].map(stampOf).join(" ");
  }

  /** Programs that an earlier process may have left running have files. */
  #hasLeftovers(): boolean {
    return namesIn(join(this.#stateDir, "mcp", "children")).length > 0;
  }
}

function isSame(a: McpServer, b: McpServer | undefined): boolean {
  if (b === undefined) return false;
  const { place: _a, ...one } = a;
  const { place: _b, ...other } = b;
  return JSON.stringify(one) === JSON.stringify(other);
}

function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir).toSorted();
  } catch {
    return [];
  }
}

function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? "-" : `${found.mtimeNs}:${found.size}:${found.ino}`;
}

/** Makes it once; where that fails, the next one who asks tries again. */
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
