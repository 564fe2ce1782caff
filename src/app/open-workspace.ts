import { type Tracing, loadTelemetryExport, loadTracing } from "../adapters/index.ts";
import { EventBus, systemClock, windlassVersion } from "../base/index.ts";
import { type Closable, Engine, type LogEntry, storedApprover } from "../engine/index.ts";
import { type ToolFolderEvent, unservedContracts } from "../hub/index.ts";
import { createHttpClient } from "../net/index.ts";
import { DurableCalls, RevealedChanges } from "../run/index.ts";
import { type Problem, hasErrors, onePerCause } from "../text/index.ts";
import { createRedactor, rememberSecrets } from "../secrets/index.ts";
import type { ToolRegistry } from "../tool/index.ts";
import { ApiTokens } from "./api-tokens.ts";
import { controlPaths } from "./control-paths.ts";
import { findWorkspace } from "./find-workspace.ts";
import { type Chains, createChains } from "./create-chains.ts";
import { LazyAgents } from "./lazy-agents.ts";
import { type WorkspaceJournal, memoryJournal, openJournal, openRunService, readJournal } from "./open-journal.ts";
import type { OpenedHub } from "./open-hub.ts";
import { openOutbox } from "./outbox.ts";
import { type Opening, reloadMode } from "./opening.ts";
import { type Sources, builtinRegistry, openSources } from "./open-sources.ts";
import { readModelKeys, readSecrets } from "./read-secrets.ts";
import { type Settings, readSettings } from "./read-settings.ts";
import { createThrowLocator } from "./locate-throw.ts";
import { openTrust } from "./open-trust.ts";
import type { Triggers } from "../trigger/index.ts";
import { openTriggers, triggerProblems } from "./open-triggers.ts";
import { unmatchedPermissionRules } from "./unmatched-permission-rules.ts";
import { unmatchedSettings } from "./unmatched-settings.ts";
import { explainUntrusted, whyNotChecked } from "./unloaded-tools.ts";
import { explainMissingTool } from "./never-connected-servers.ts";
import { type Workspace, WorkspaceError, type WorkspaceOptions } from "./workspace.ts";
import type { WorkspaceConfig } from "./workspace-config.ts";

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
  const { dir, settings, config, env, http, mode, trust } = opening;
  // Starting the thread of the database takes about as long as importing the other parts.
  const [journal, modules] = await Promise.all([journalOf(opening), importParts()]);
  const { registry, services, sources, hub, events } = await openParts(opening, journal, modules);
  const engine = createWorkspaceEngine(opening, { journal, registry, sources, hub });
  const tracing = await traced(engine, config.telemetry, env);
  const toolProblems = (): Problem[] => [...sources.problems(), ...hub.contracts.problems()];
  const service = openRunService(journal, { engine, config });
  const calls = new DurableCalls({ engine, service });
  const [{ models }, { resultStore }] = [services, hub];
  const agents = new LazyAgents({ engine, service, config, models, resultStore, observer: tracing?.agents });
  service.registerLazily("agent", () => agents.open());
  const cancelSubRuns = (runId: string, by: string | undefined): Promise<void> => agents.cancelSubRuns(runId, by);
  const of = { tools: hub.resolver, trust, toolProblems, observer: tracing?.chains, cancelSubRuns };
  const chains = createChains({ dir, config, engine, registry, service, mode, env, ...of });
  const loaded = { toolProblems, chains, registry, hub, sources };
  // After the engine: its running calls use them.
  const used = [
    ...(sources.mcp === undefined ? [] : [sources.mcp]),
    services,
    journal,
    http,
    ...(tracing ? [tracing] : []),
  ];
  const closed = [sources, hub.contracts, chains.folder, chains.runs, agents, engine, ...used];
  try {
    await load(loaded, { events, engine, onEvent: options.onEvent });
    checkGuards(settings, loaded);
  } catch (error) {
    await closeAll(closed).catch(() => undefined);
    throw error;
  }

  return {
    ...settingsOf(opening),
    engine: services.withModels(engine),
    sources,
    hub: hub.resolver,
    resultStore,
    chains: chains.library,
    chainFolder: chains.folder,
    runs: chains.runs,
    calls,
    models,
    agents: async () => (await agents.open()).runs,
    agent: async (how) => (await agents.open()).agent(how),
    tracing,
    env: chains.env,
    loadChain: (...request) => chains.loadChain(...request),
    approvals: service.approvalService,
    triggers: openWorkspaceTriggers(opening, journal, chains),
    outbox: openOutbox(opening, { engine, journal, service }),
    changes: new RevealedChanges(journal.changes, { journal: service.journal, redactor: engine.redactor }),
    ...accessOf(journal),
    store: journal.store,
    problems: () => problemsWith(settings, loaded),
    close: () => closeAll(closed),
  };
}

function accessOf({
  tokens,
  audit,
  idempotencyKeys,
}: WorkspaceJournal): Pick<Workspace, "tokens" | "audit" | "idempotencyKeys"> {
  return { tokens: new ApiTokens(tokens, systemClock, audit), audit, idempotencyKeys };
}

function openWorkspaceTriggers(
  { dir, config, trust, secrets, redactor, options }: Opening,
  { triggers: store }: WorkspaceJournal,
  chains: Chains,
): Triggers {
  return openTriggers({
    dir,
    config,
    trust,
    redactor,
    store,
    library: chains.library,
    runs: chains.runs,
    secret: (name) => secrets.values[name],
    plan: (chain) => chains.loadChain(chain),
    ...(options.clock !== undefined && { clock: options.clock }),
  });
}

function settingsOf(
  opening: Opening,
): Pick<Workspace, "dir" | "configured" | "config" | "missingSecrets" | "untrusted"> {
  const { dir, settings, config, callSecrets, trust } = opening;
  const configured = settings.source !== undefined;
  return { dir, configured, config, missingSecrets: callSecrets.missing, untrusted: trust.untrusted };
}

interface Listening {
  readonly events: EventBus<ToolFolderEvent>;
  readonly engine: Engine;
  readonly onEvent: WorkspaceOptions["onEvent"] | undefined;
}

/**
 * Loads the tools, then the chains. Chains that use a changed tool are registered before, and planned after, its event
 * reaches the listeners.
 */
async function load({ sources, hub, chains }: Loaded, { events, engine, onEvent }: Listening): Promise<void> {
  if (onEvent !== undefined) engine.subscribe(onEvent);
  events.subscribe((event) => {
    if (event.type === "reload_started") chains.tools.registerLoaded();
    engine.emit(event);
    if (event.type === "reload_completed") chains.folder.refresh();
  });
  await Promise.all([sources.load(), hub.contracts.load()]);
  await chains.folder.load();
  if (onEvent !== undefined) chains.tools.registerLoaded();
}

/** Traces its calls if the settings or the environment enable it; otherwise the tracing code is not loaded. */
async function traced(
  engine: Engine,
  telemetry: WorkspaceConfig["telemetry"],
  env: Opening["env"],
): Promise<Tracing | undefined> {
  if (collectorVariables.some((name) => env[name])) {
    const { exportTelemetry } = await loadTelemetryExport();
    const { captureContent } = telemetry;
    const tracing = exportTelemetry(engine, { env, version: windlassVersion(), captureContent });
    if (tracing !== undefined) return tracing;
  }
  if (!telemetry.enabled) return undefined;
  const { traceEngine } = await loadTracing();
  return traceEngine(engine, telemetry);
}

/** Variables of OpenTelemetry that name a collector. */
const collectorVariables = [
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
  "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
];

/** Reads the settings of a workspace, its trust and its secrets; opens and loads nothing. Throws if the settings have errors. */
export async function readWorkspace(from: string, options: WorkspaceOptions): Promise<Opening> {
  const dir = await findWorkspace(from);
  const settings = await readSettings(dir);
  if (hasErrors(settings.problems)) throw new WorkspaceError(settings.problems);
  const env = options.env ?? process.env;
  const trust = await openTrust({ dir, settings, env }, options);
  const { config } = trust;
  const found = await readSecrets(config.secrets, dir, env);
  // Redacted even if nothing may use them.
  const known = [...Object.values(found.values), ...readModelKeys(env)];
  rememberSecrets(known);
  const redactor = createRedactor(known);
  const holdsSecret = (text: string): boolean => redactor.knownText(text) !== text;
  const http = createHttpClient({ allow: config.network.allow, holdsSecret, refuses: trust.refusesAddress });
  const { store = "sqlite", reload = true } = options;
  const stays = reload !== false;
  const [secrets, callSecrets] = [trust.secrets(found, "services"), trust.secrets(found, "calls")];
  const [mode, stores] = [reloadMode(config, reload), store === "sqlite" && trust.usesData];
  return { dir, settings, config, env, trust, secrets, callSecrets, redactor, http, mode, stores, stays, options };
}

/** Imported when a workspace is opened, since a check of files needs none of them. */
async function importParts() {
  const [{ openServices }, { openHub }] = await Promise.all([import("./open-services.ts"), import("./open-hub.ts")]);
  return { openServices, openHub };
}

/** The tools of a workspace and their sources, not loaded yet. */
async function openParts(
  opening: Opening,
  journal: WorkspaceJournal,
  { openServices, openHub }: Awaited<ReturnType<typeof importParts>>,
) {
  const { dir, config, options, redactor, secrets } = opening;
  const events = new EventBus<ToolFolderEvent>(() => undefined);
  const onEvent = (event: ToolFolderEvent): void => events.emit(event);
  // Tool files may use built-in tools, and those must not write tool files: the sources are added once they are open.
  const controlled: Sources[] = [];
  const services = openServices({
    ...opening,
    secret: (name) => secrets.values[name],
    whyNoSecret: (name) => secrets.missing.find((secret) => secret.name === name)?.why,
    records: () => journal.records,
    triggers: () => journal.triggers,
    controlPaths: () => controlled.flatMap((sources) => controlPaths(dir, config, sources)),
  });
  const registry = builtinRegistry(services);
  const sources = await openSources({
    ...opening,
    registry,
    services,
    onEvent,
    onServerLog: (message) => options.onLog?.(ofServers(redactor.line(message))),
    onServerSecrets: (values) => redactor.add(values),
    ...(options.onSlowLoad !== undefined && { onSlowLoad: options.onSlowLoad }),
  });
  controlled.push(sources);
  const hub = openHub({
    ...opening,
    services,
    registry,
    whyMissing: (tool) =>
      whyNotChecked(sources.problems(), tool) ??
      explainMissingTool(sources.mcp, tool) ??
      explainUntrusted(opening.trust),
    fileError: (tool) => sources.folder.fileError(tool) ?? sources.skills?.fileError(tool),
    onEvent,
  });
  return { services, registry, sources, hub, events };
}

interface EngineParts {
  readonly journal: WorkspaceJournal;
  readonly registry: ToolRegistry;
  readonly sources: Sources;
  readonly hub: OpenedHub;
}

function createWorkspaceEngine(opening: Opening, { journal, registry, sources, hub }: EngineParts): Engine {
  const { config, callSecrets, dir, redactor, options } = opening;
  const { strictValidation, enabledTools, disabledTools, timeoutMs, maxRetries } = config.engine;
  const { records, cache, approvals } = journal;
  return new Engine({
    concurrency: config.concurrency,
    permissions: config.permissions,
    strictValidation,
    enabledTools,
    disabledTools,
    limits: { timeoutMs, maxRetries },
    trustedHosts: config.network.trustedHosts,
    records,
    ...(cache !== undefined && { cache }),
    approver: storedApprover(approvals, systemClock, options.requestApproval),
    ...(options.onLog !== undefined && { onLog: options.onLog }),
    secrets: callSecrets.values,
    missingSecrets: Object.fromEntries(callSecrets.missing.map(({ name, why }) => [name, why])),
    locateThrow: createThrowLocator(dir),
    findPreapproval: (subject, context) => {
      const skill = sources.skills?.sessions.findPreapproval(context, subject);
      return skill === undefined ? undefined : `skill ${skill}`;
    },
    registry,
    resolver: hub.resolver,
    redactor,
  });
}

function journalOf({ dir, config, stores, options, trust, redactor }: Opening): Promise<WorkspaceJournal> {
  const how = { retention: config.retention, redactor, onError: options.onStoreError };
  if (options.store === "read-only" && trust.usesData) return readJournal(dir, how);
  return stores ? openJournal(dir, how) : Promise.resolve(memoryJournal(redactor));
}

/** A line in the log that belongs to no call. */
function ofServers(message: string): LogEntry {
  return { at: systemClock.now(), callId: "", tool: "mcp", message };
}

/** Closes one after the other; one that fails does not keep the others open. */
async function closeAll(parts: readonly Closable[]): Promise<void> {
  const failures: unknown[] = [];
  for (const part of parts) await part.close().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

interface Loaded {
  readonly toolProblems: () => readonly Problem[];
  readonly chains: Chains;
  readonly registry: ToolRegistry;
  readonly hub: OpenedHub;
  readonly sources: Sources;
}

/** Throws if a permission rule matches nothing because of a misspelled word: the caller would rely on it. */
function checkGuards(settings: Settings, { chains, registry }: Loaded): void {
  const names = (): string[] => [...registry.names(), ...chains.library.names()];
  const slips = unmatchedPermissionRules(settings, names).filter(({ severity }) => severity === "error");
  if (slips.length > 0) throw new WorkspaceError(slips);
}

/** Problems of the settings, of the files of tools and chains, and of names in the settings that match nothing. */
function problemsWith(settings: Settings, loaded: Loaded): readonly Problem[] {
  const { toolProblems, chains, registry, hub, sources } = loaded;
  const problems = onePerCause([
    ...settings.problems,
    ...toolProblems(),
    ...chains.problems(),
    ...triggerProblems(settings, chains.library),
  ]);
  // A tool that a rule names may be in a file that is broken.
  if (hasErrors(problems)) return problems;
  const known = (): { name: string; aliases: readonly string[] }[] => [
    ...registry.list().map(({ tool }) => tool),
    ...chains.library.names().map((name) => ({ name, aliases: [] })),
  ];
  const servers = (): readonly string[] => sources.mcp?.status().map(({ name }) => name) ?? [];
  const mayBeServed = (name: string): boolean => explainMissingTool(sources.mcp, name) !== undefined;
  const rules = unmatchedSettings(settings, { tools: known, hub: hub.resolver, servers, mayBeServed });
  const unserved = unservedContracts(hub.resolver, mayBeServed);
  return [...problems, ...rules, ...hub.contracts.unmatched(), ...unserved];
}
