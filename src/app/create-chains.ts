import { join } from "node:path";
import { builtinChains } from "../builtin/index.ts";
import { ChainLibrary, ChainRuns, type ChainRunsDeps, type Plan, type RunObserver } from "../chain/index.ts";
import type { Engine } from "../engine/index.ts";
import { FolderEventEmitter, type Hub } from "../hub/index.ts";
import { type Problem, hasErrors } from "../text/index.ts";
import type { RunService } from "../run/index.ts";
import type { ToolRegistry } from "../tool/index.ts";
import { findIgnoredFiles } from "./ignored-files.ts";
import { ChainFolder, type ChainFolderOptions } from "./chain-folder.ts";
import { type ChainLookup, type LoadChainOptions, chainFiles, loadChain } from "./load-chain.ts";
import type { WorkspaceTrust } from "./open-trust.ts";
import type { Opening } from "./opening.ts";
import { withUncheckedTools } from "./unloaded-tools.ts";

/** Options of {@link createChains}. */
export interface CreateChainsOptions extends Pick<Opening, "dir" | "config" | "mode" | "env"> {
  readonly engine: Engine;
  readonly registry: ToolRegistry;
  /** The tools that chains are planned with. */
  readonly tools: Hub;
  readonly trust: Pick<WorkspaceTrust, "untrusted" | "chainEnv" | "refusesChain">;
  /** Problems of the sources of tools. */
  readonly toolProblems: () => readonly Problem[];
  /** Sees all runs. */
  readonly observer: RunObserver | undefined;
  /** Stores and executes the runs. */
  readonly service: RunService;
  readonly cancelSubRuns: NonNullable<ChainRunsDeps["cancelSubRuns"]>;
}

/** The chains of a workspace, with their runs. */
export interface Chains {
  readonly library: ChainLibrary;
  readonly folder: ChainFolder;
  readonly runs: ChainRuns;
  /** Values of the variables that the workspace allows. */
  readonly env: Readonly<Record<string, string>>;
  readonly tools: ChainTools;
  loadChain(nameOrFile: string, options?: LoadChainOptions): Promise<Plan>;
  problems(): readonly Problem[];
}

/** Creates the chains of a workspace, to be loaded after its tools. Runnable ones are registered as tools. */
export function createChains(options: CreateChainsOptions): Chains {
  const { dir, config, engine, registry, mode, toolProblems } = options;
  const env = pick(options.trust.chainEnv(options.env), config.env);
  const library = new ChainLibrary({
    tools: withUncheckedTools(options.tools.present, options.trust),
    env: config.env,
    secrets: Object.keys(config.secrets),
    maxParallel: config.chains.maxParallel,
    taint: config.chains.taint,
    trusted: config.chains.trustedTools,
  });
  const tools = new ChainTools({
    library,
    registry,
    engine,
    env,
    dir: join(dir, config.chains.directory),
    root: dir,
    builtins: builtinChains(),
    refuses: (chain, isFirst) => options.trust.refusesChain(chain, isFirst ? "name" : "name-and-secrets"),
    mode,
  });
  const { folder } = tools;
  const lookup: ChainLookup = {
    dir,
    library,
    folder,
    tools: options.tools,
    toolProblems,
    ignoredFiles: () => findIgnoredFiles(dir, config),
    refuses: (chain) => options.trust.refusesChain(chain, "secrets-with-prompt"),
    files: new WeakMap(),
  };
  const runs = new ChainRuns({
    engine,
    service: options.service,
    chains: library,
    files: chainFiles(lookup),
    env,
    observer: options.observer,
    cancelSubRuns: options.cancelSubRuns,
  });
  return {
    library,
    folder,
    runs,
    env,
    tools,
    loadChain: (nameOrFile, how) => {
      folder.refresh();
      return loadChain(nameOrFile, lookup, how);
    },
    problems: () => [...folder.problems(), ...hiddenChains({ library, folder, registry })],
  };
}

function pick(env: CreateChainsOptions["env"], names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = Object.hasOwn(env, name) ? env[name] : undefined;
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Chains that are hidden from calls by name because a tool has the same name. */
function hiddenChains({ library, folder, registry }: Pick<Chains, "library" | "folder"> & { registry: ToolRegistry }) {
  return library.names().flatMap((name): Problem[] => {
    const file = folder.fileOf(name);
    const hides = file === undefined || hasErrors(library.problems(name)) ? undefined : registry.resolve(name);
    if (file === undefined || hides === undefined || hides.source === "chains") return [];
    const message = `a tool is also named "${name}": a call uses the tool, a step or a run uses the chain`;
    return [
      {
        severity: "warning",
        code: "hidden_chain",
        message,
        hint: "rename the chain",
        file,
        ...folder.positionOf(name),
      },
    ];
  });
}

/** Options of {@link ChainTools}. */
interface ChainToolsOptions extends Omit<ChainFolderOptions, "toolsVersion" | "onChanging" | "onChange"> {
  readonly registry: ToolRegistry;
  readonly engine: Engine;
  /** Values of the variables that the chains may read. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * The chains of a library as tools. Registration has to plan all of them, but a process that runs one chain needs no
 * other: so the initial ones are registered when a tool is requested that may be one of them.
 */
class ChainTools {
  readonly folder: ChainFolder;
  readonly #options: ChainToolsOptions;
  #state: "empty" | "loaded" | "registered" = "empty";
  #ownChanges = 0;
  readonly #events: FolderEventEmitter;

  constructor(options: ChainToolsOptions) {
    this.#options = options;
    this.folder = new ChainFolder({
      ...options,
      toolsVersion: () => this.toolsVersion,
      onChanging: () => this.registerLoaded(),
      onChange: () => this.update(),
    });
    this.#events = new FolderEventEmitter({ source: "chains", onEvent: (event) => options.engine.emit(event) });
  }

  /** The version of the tools that are not chains, with which chains are planned. */
  get toolsVersion(): number {
    return this.#options.registry.version - this.#ownChanges;
  }

  /** The chains of the library may have changed. */
  update(): void {
    if (this.#state === "registered") this.#register("look");
    else this.#options.registry.registerLazily(() => this.registerLoaded());
    if (this.#state === "empty") this.#state = "loaded";
  }

  /** Registers the loaded chains unless that has happened: change events need a known state before the change. */
  registerLoaded(): void {
    if (this.#state !== "loaded") return;
    this.#state = "registered";
    this.#register("load");
  }

  #register(why: "load" | "look"): void {
    const { library, registry, env } = this.#options;
    const { folder } = this;
    const before = registry.version;
    const change = this.#events.change(registry, () => library.registerIn(registry, env));
    this.#ownChanges += registry.version - before;
    this.#events.reportErrors(folder.problems());
    const files = [...change.added, ...change.updated, ...change.removed].flatMap((name): [string, string][] => {
      const file = folder.fileOf(name);
      return file === undefined ? [] : [[name, file]];
    });
    this.#events.reportTools(change, { why, owners: new Map(files) });
  }
}
