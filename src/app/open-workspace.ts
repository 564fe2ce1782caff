import { type SqliteStore, type Tracing, loadTracing } from "../adapters/index.ts";
import type { Agent, AgentRuns } from "../agent/index.ts";
import { FailureError, systemClock } from "../base/index.ts";
import type { ChainLibrary, ChainRuns, Plan } from "../chain/index.ts";
import {
  type Approver,
  type Closable,
  Engine,
  type EngineOptions,
  type LogEntry,
  type Preapproved,
  parkingApprover,
} from "../engine/index.ts";
import { type Hub, type ReloadMode, type ResultShelf, unservedContracts } from "../hub/index.ts";
import type { Models } from "../model/index.ts";
import { type StreamingDoor, createDoor } from "../net/index.ts";
import type { ApprovalStore } from "../store/index.ts";
import { type Problem, type Redactor, createRedactor, hasErrors } from "../text/index.ts";
import { type ToolOffer, ToolRegistry } from "../tool/index.ts";
import type { ChainFolder } from "./chain-folder.ts";
import { findWorkspace, workspaceFile } from "./find-workspace.ts";
import { type Chains, type ChainsOptions, createChains } from "./create-chains.ts";
import { HeldEvents } from "./held-events.ts";
import { LazyAgents } from "./lazy-agents.ts";
import type { LoadChainOptions } from "./load-chain.ts";
import type { WorkspaceAgentOptions } from "./open-agents.ts";
import { type Journal, memoryJournal, openJournal } from "./open-journal.ts";
import type { OpenedHub } from "./open-hub.ts";
import { type Sources, openSources } from "./open-sources.ts";
import type { OpenedServices } from "./open-services.ts";
import { type ReadSecrets, keysIn, readSecrets } from "./read-secrets.ts";
import { type Settings, readSettings } from "./read-settings.ts";
import { throwPlaces } from "./throw-places.ts";
import { unmatchedGuards } from "./unmatched-guards.ts";
import { unmatchedRules } from "./unmatched-rules.ts";
import { whyUnloaded } from "./unloaded-tools.ts";
import { whyMissing } from "./unseen-servers.ts";
import type { WorkspaceConfig } from "./workspace-config.ts";

/** How a workspace is opened. */
export interface WorkspaceOptions {
  /** Where records and approvals are kept: in `.windlass/journal.db`, or only in memory. */
  readonly store?: "sqlite" | "memory";
  /** Look for changed tools and notes while it is open, as `windlass.yaml` says; true where absent. */
  readonly reload?: boolean;
  /** Asks a person; parked for `windlass approve` where absent. */
  readonly approver?: (parked: Approver) => Approver;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly onLog?: (entry: LogEntry) => void;
  /** Told when the database fails and no caller waits for it, such as for records; a process warning where absent. */
  readonly onStoreError?: (failure: FailureError) => void;
  /** Told the name of a file of tools that is still loading after 2 s. */
  readonly onSlowLoad?: (file: string) => void;
}

/** A folder of tools and settings, ready to make calls. */
export interface Workspace {
  readonly dir: string;
  /** Whether the folder has a `windlass.yaml`. */
  readonly configured: boolean;
  readonly config: WorkspaceConfig;
  readonly engine: Engine;
  readonly approvals: ApprovalStore;
  /** The database; undefined with the `memory` store. */
  readonly store: SqliteStore | undefined;
  /** Where its tools come from: its folders of tools and of skills. */
  readonly sources: Sources;
  /** Finds tools by name and by capability, and chooses where there are several. */
  readonly hub: Hub;
  /** Large results, for `viewOf` and `read_result`. */
  readonly shelf: ResultShelf;
  /** The chains of the folder and the built-in ones. Those that can run are tools too, of the source `chains`. */
  readonly chains: ChainLibrary;
  readonly chainFolder: ChainFolder;
  /** Runs of chains: in the database, or in memory with the `memory` store. */
  readonly runs: ChainRuns;
  /** The models of the settings, by their names. */
  readonly models: Models;
  /** Runs of agents, kept beside those of chains. Loaded when first asked for, and never before. */
  agents(): Promise<AgentRuns>;
  /** An agent with the tools and models of the workspace, as `agent:` says where the options do not. */
  agent(options?: WorkspaceAgentOptions): Promise<Agent>;
  /** What makes spans of its calls and runs; undefined where the settings ask for none. */
  readonly tracing: Tracing | undefined;
  /** Values of the environment variables that chains may read, for `runChain`; `runs` knows them. */
  readonly env: Readonly<Record<string, string>>;
  /** Secrets that `windlass.yaml` names and that have no value. */
  readonly missingSecrets: ReadSecrets["missing"];
  /**
   * The plan of a chain, by its name or by the path of a file. Throws with everything that is wrong with it, or with
   * what could have been meant.
   */
  loadChain(nameOrFile: string, options?: LoadChainOptions): Promise<Plan>;
  /** What is wrong with files of the workspace that did not stop it. */
  problems(): readonly Problem[];
  /** Finishes what is under way, then lets go of files, timers and connections. */
  close(): Promise<void>;
}

/** A workspace whose `windlass.yaml` cannot be used. */
export class WorkspaceError extends FailureError {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    const first = problems.find(({ severity }) => severity === "error");
    const where = first === undefined ? workspaceFile : `${first.file}:${first.line}:${first.column}`;
    const hint = first?.hint === undefined ? "" : `; ${first.hint}`;
    super(`${where}: ${first?.message ?? "cannot be used"}${hint}`, { code: "file_invalid" });
    this.name = "WorkspaceError";
    this.problems = problems;
  }
}

/**
 * Opens a workspace: the folder's settings, its tools and the built-in ones, its secrets and its database.
 *
 * @example
 * ```ts
 * const workspace = await openWorkspace("my-project");
 * const result = await workspace.engine.call("calculator", { expression: "2*(3+4)" });
 * await workspace.close();
 * ```
 */
export async function openWorkspace(from = ".", options: WorkspaceOptions = {}): Promise<Workspace> {
  const opening = await readWorkspace(from, options);
  const { dir, settings, config, env, secrets, door, mode } = opening;
  const events = new HeldEvents();
  const parts = await openParts(opening, { events, journal: () => journal, engine: () => engine });
  const { registry, services, sources, hub, redactor } = parts;
  const journal = await loadMeanwhile(journalOf(opening, redactor), [sources, hub.contracts]);

  const engine = new Engine({
    ...engineOptions(config),
    ...keptIn(journal, options),
    ...secretsOf(secrets),
    placeOf: throwPlaces(dir),
    preapproved: (subject, context) => preapproverOf(sources, subject, context),
    registry,
    resolver: hub.resolver,
    redactor,
  });
  const tracing = await traced(engine, config.telemetry);
  const toolProblems = (): Problem[] => [...sources.problems(), ...hub.contracts.problems()];
  const endCalledBy: ChainsOptions["endCalledBy"] = (runId, by) => agents.endCalledBy(runId, by);
  const of = { tools: hub.resolver, toolProblems, observer: tracing?.chains, endCalledBy };
  const chains = createChains({ dir, config, engine, registry, journal, mode, env, ...of });
  events.release((event) => {
    if (event.type === "reload_started") chains.tools.registerLoaded();
    engine.emit(event);
    if (event.type === "reload_completed") chains.folder.refresh();
  });
  await chains.folder.load();
  const { models } = services;
  const { timezone } = config.services;
  const agentParts = { config: config.agent, models, shelf: hub.shelf, observer: tracing?.agents, timezone };
  const agents = new LazyAgents({ engine, journal, ...agentParts });
  // After the engine: calls under way use them.
  const used = [...parts.servers, services, journal, door, ...(tracing === undefined ? [] : [tracing])];
  const closed = [sources, hub.contracts, chains.folder, chains.runs, agents, engine, ...used];
  const loaded: Loaded = { toolProblems, chains, registry, hub, sources };
  await checkGuards(settings, loaded, closed);

  return {
    dir,
    configured: settings.source !== undefined,
    config,
    engine,
    sources,
    hub: hub.resolver,
    shelf: hub.shelf,
    chains: chains.library,
    chainFolder: chains.folder,
    runs: chains.runs,
    models,
    agents: async () => (await agents.open()).runs,
    agent: async (how) => (await agents.open()).agent(how),
    tracing,
    env: chains.env,
    loadChain: (...asked) => chains.loadChain(...asked),
    approvals: journal.approvals,
    store: journal.store,
    missingSecrets: secrets.missing,
    problems: () => problemsWith(settings, loaded),
    close: () => closeAll(closed),
  };
}

/** Traces its calls, where the settings say so; nothing of that is loaded otherwise. */
async function traced(engine: Engine, telemetry: WorkspaceConfig["telemetry"]): Promise<Tracing | undefined> {
  if (!telemetry.enabled) return undefined;
  const { traceEngine } = await loadTracing();
  return traceEngine(engine, telemetry);
}

/** What is known of a workspace before anything of it is loaded. */
interface Opening {
  readonly dir: string;
  readonly settings: Settings;
  readonly config: WorkspaceConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly secrets: ReadSecrets;
  readonly door: StreamingDoor;
  readonly mode: ReloadMode;
  /** Kept in files. */
  readonly kept: boolean;
  /** Stays open and looks for changes. */
  readonly stays: boolean;
  readonly options: WorkspaceOptions;
}

async function readWorkspace(from: string, options: WorkspaceOptions): Promise<Opening> {
  const dir = await findWorkspace(from);
  const settings = await readSettings(dir);
  const { config } = settings;
  if (hasErrors(settings.problems)) throw new WorkspaceError(settings.problems);
  const env = options.env ?? process.env;
  const secrets = await readSecrets(config.secrets, dir, env);
  const door = createDoor({ allow: config.network.allow });
  const [kept, stays] = [options.store !== "memory", options.reload ?? true];
  return { dir, settings, config, env, secrets, door, mode: reloadMode(config, stays), kept, stays, options };
}

/** What comes later than its parts and is needed by them once something is called. */
interface Later {
  readonly events: HeldEvents;
  readonly journal: () => Journal;
  readonly engine: () => Engine;
}

/** The tools of a workspace and where they come from, not loaded yet. */
async function openParts(opening: Opening, { events, journal, engine }: Later) {
  const { options, secrets, env } = opening;
  const services = await servicesOf(opening, journal);
  const [builtins, registry] = [registryOf(services.tools), registryOf(services.tools)];
  const redactor = createRedactor([...Object.values(secrets.values), ...keysIn(env)]);
  const sources = await openSources({
    ...opening,
    registry,
    executors: builtins,
    onEvent: (event) => events.tell(event),
    onServerLog: (message) => options.onLog?.(ofServers(redactor.text(message))),
    onServerSecrets: (values) => redactor.add(values),
    ...(options.onSlowLoad !== undefined && { onSlowLoad: options.onSlowLoad }),
  });
  const servers = sources.mcp === undefined ? [] : [sources.mcp];
  const { openHub } = await import("./open-hub.ts");
  const hub = openHub({
    ...opening,
    services,
    registry,
    redactor,
    engine,
    whyMissing: (tool) => whyUnloaded(sources.problems(), tool) ?? whyMissing(sources.mcp, tool),
    onEvent: (event) => events.tell(event),
  });
  return { services, registry, sources, servers, redactor, hub };
}

function journalOf({ dir, config, kept, options }: Opening, redactor: Redactor): Promise<Journal> {
  if (!kept) return Promise.resolve(memoryJournal(redactor));
  return openJournal(dir, { retention: config.retention, redactor, onError: options.onStoreError });
}

/** What is loaded from files. */
type Loadable = Closable & { load(): Promise<void> };

/** A line in the log that belongs to no call. */
function ofServers(message: string): LogEntry {
  return { at: systemClock.now(), callId: "", tool: "mcp", message };
}

/** What is behind the built-in tools. Loaded apart from all else, since a check of files needs none of it. */
async function servicesOf(opening: Opening, journal: () => Journal): Promise<OpenedServices> {
  const { openServices } = await import("./open-services.ts");
  return openServices({
    ...opening,
    secret: (name) => opening.secrets.values[name],
    whyNoSecret: (name) => opening.secrets.missing.find((secret) => secret.name === name)?.why,
    // No tool is called before the journal is open.
    records: () => journal().records,
  });
}

function registryOf(builtins: readonly ToolOffer[]): ToolRegistry {
  const registry = new ToolRegistry();
  registry.offer(builtins, { owner: "builtin" });
  return registry;
}

/**
 * Loads the tools while the database is opened: its thread takes about as long to start as they take to be read.
 * Where one of the two fails, nothing stays open.
 */
async function loadMeanwhile(opening: Promise<Journal>, parts: readonly Loadable[]): Promise<Journal> {
  try {
    const [journal] = await Promise.all([opening, ...parts.map((part) => part.load())]);
    return journal;
  } catch (error) {
    // Not waited for: what is being loaded may never be done.
    for (const part of parts) void part.close();
    void opening.then((journal) => journal.close()).catch(() => undefined);
    throw error;
  }
}

/** Closes one after the other; one that fails does not keep the others open. */
async function closeAll(parts: readonly Closable[]): Promise<void> {
  const failures: unknown[] = [];
  for (const part of parts) await part.close().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** What an engine takes from where its records and approvals are kept, and from who opened the workspace. */
function keptIn({ records, approvals, cache }: Journal, { approver, onLog }: WorkspaceOptions): EngineOptions {
  const parked = parkingApprover(approvals, systemClock);
  return {
    records,
    ...(cache !== undefined && { cache }),
    approver: approver?.(parked) ?? parked,
    ...(onLog !== undefined && { onLog }),
  };
}

function engineOptions({ engine, concurrency, permissions }: WorkspaceConfig): EngineOptions {
  const { strictValidation, enabledTools, disabledTools, timeoutMs, maxRetries } = engine;
  const limits = { timeoutMs, maxRetries };
  return { concurrency, permissions, strictValidation, enabledTools, disabledTools, limits };
}

/** A skill that is in use in the conversation, and asked for the tool beforehand; none where skills are not trusted. */
function preapproverOf({ skills }: Sources, ...[subject, context]: Parameters<Preapproved>): string | undefined {
  const skill = skills?.sessions.preapproverOf(context, subject);
  return skill === undefined ? undefined : `skill ${skill}`;
}

function secretsOf({ values, missing }: ReadSecrets): Pick<EngineOptions, "secrets" | "missingSecrets"> {
  return { secrets: values, missingSecrets: Object.fromEntries(missing.map(({ name, why }) => [name, why])) };
}

function reloadMode(config: WorkspaceConfig, reload: boolean) {
  const { autoReload, watchForChanges, reloadIntervalMs } = config.engine;
  return { autoReload: reload && autoReload, watch: reload && watchForChanges, intervalMs: reloadIntervalMs };
}

interface Loaded {
  readonly toolProblems: () => readonly Problem[];
  readonly chains: Chains;
  readonly registry: ToolRegistry;
  readonly hub: OpenedHub;
  readonly sources: Pick<Sources, "mcp">;
}

/** Closes it again where rules guard nothing because a word in them is misspelt: who opened it would take it for guarded. */
async function checkGuards(settings: Settings, loaded: Loaded, opened: readonly Closable[]): Promise<void> {
  const { chains, registry } = loaded;
  const names = (): string[] => [...registry.names(), ...chains.library.names()];
  const slips = unmatchedGuards(settings, { names }).filter(({ severity }) => severity === "error");
  if (slips.length === 0) return;
  await closeAll(opened);
  throw new WorkspaceError(slips);
}

/** What is wrong with the settings, with the files of tools and chains, and with what the settings say about them. */
function problemsWith(settings: Settings, loaded: Loaded): readonly Problem[] {
  const { toolProblems, chains, registry, hub, sources } = loaded;
  const problems = [...settings.problems, ...toolProblems(), ...chains.problems()];
  // A tool that a rule names may be in a file that is broken.
  if (hasErrors(problems)) return problems;
  const known = (): { name: string; aliases: readonly string[] }[] => [
    ...registry.list().map(({ tool }) => tool),
    ...chains.library.names().map((name) => ({ name, aliases: [] })),
  ];
  const servers = (): readonly string[] => sources.mcp?.status().map(({ name }) => name) ?? [];
  const mayBeServed = (name: string): boolean => whyMissing(sources.mcp, name) !== undefined;
  const rules = unmatchedRules(settings, { tools: known, hub: hub.resolver, servers, mayBeServed });
  const unserved = unservedContracts({ hub: hub.resolver, mayBeServed });
  return [...problems, ...rules, ...hub.contracts.unmatched(), ...unserved];
}
