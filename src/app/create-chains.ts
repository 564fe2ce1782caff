import { join } from "node:path";
import { currentOwner } from "../adapters/index.ts";
import { builtinChains } from "../builtin/index.ts";
import { ChainLibrary, ChainRuns, type ChainRunsParts, type Plan, type RunObserver } from "../chain/index.ts";
import type { Engine } from "../engine/index.ts";
import type { Hub, ReloadMode } from "../hub/index.ts";
import { type Problem, hasErrors } from "../text/index.ts";
import type { ToolRegistry } from "../tool/index.ts";
import { ChainFolder } from "./chain-folder.ts";
import { ChainTools } from "./chain-tools.ts";
import { type ChainPlaces, type LoadChainOptions, chainFiles, loadChain } from "./load-chain.ts";
import type { Journal } from "./open-journal.ts";
import type { WorkspaceConfig } from "./workspace-config.ts";

/** What {@link createChains} takes. */
export interface ChainsOptions {
  /** The workspace. */
  readonly dir: string;
  readonly config: WorkspaceConfig;
  readonly engine: Engine;
  readonly registry: ToolRegistry;
  readonly journal: Journal;
  readonly mode: ReloadMode;
  /** What chains are planned with. */
  readonly tools: Hub;
  /** What is wrong with where tools come from. */
  readonly toolProblems: () => readonly Problem[];
  /** Sees all runs. */
  readonly observer: RunObserver | undefined;
  readonly endCalledBy: NonNullable<ChainRunsParts["endCalledBy"]>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The chains of a workspace and everything that is done with them. */
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

/** The chains of a workspace, to be loaded once its tools are. Those that can run are registered as tools. */
export function createChains(options: ChainsOptions): Chains {
  const { dir, config, engine, registry, journal, mode, toolProblems } = options;
  const env = pick(options.env, config.env);
  const library = new ChainLibrary({
    tools: options.tools.present,
    env: config.env,
    secrets: Object.keys(config.secrets),
    maxParallel: config.chains.maxParallel,
    taint: config.chains.taint,
    trusted: config.chains.trusted,
  });
  const tools = new ChainTools({ library, registry, engine, env, fileOf: (chain) => folder.fileOf(chain) });
  const folder = new ChainFolder({
    dir: join(dir, config.chains.directory),
    root: dir,
    library,
    builtins: builtinChains(),
    toolsVersion: () => tools.toolsVersion,
    onChanging: () => tools.registerLoaded(),
    onChange: () => tools.update(),
    mode,
  });
  const places: ChainPlaces = { dir, library, folder, tools: options.tools, toolProblems, files: new WeakMap() };
  const runs = new ChainRuns({
    engine,
    journal: journal.runs,
    approvals: journal.approvals,
    chains: library,
    files: chainFiles(places),
    owner: currentOwner(),
    env,
    observer: options.observer,
    endCalledBy: options.endCalledBy,
  });
  return {
    library,
    folder,
    runs,
    env,
    tools,
    loadChain: (nameOrFile, how) => {
      folder.refresh();
      return loadChain(nameOrFile, places, how);
    },
    problems: () => [...folder.problems(), ...hiddenChains({ library, folder, registry })],
  };
}

function pick(env: ChainsOptions["env"], names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = Object.hasOwn(env, name) ? env[name] : undefined;
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Chains that a tool of the same name hides from whoever calls by name. */
function hiddenChains({ library, folder, registry }: Pick<Chains, "library" | "folder"> & { registry: ToolRegistry }) {
  return library.names().flatMap((name): Problem[] => {
    const file = folder.fileOf(name);
    const hides = file === undefined || hasErrors(library.problems(name)) ? undefined : registry.resolve(name);
    if (file === undefined || hides === undefined || hides.source === "chains") return [];
    const message = `a tool is called "${name}" too: a call gets the tool, a step or a run gets the chain`;
    return [
      { severity: "warning", code: "hidden_chain", message, hint: "rename the chain", file, ...folder.placeOf(name) },
    ];
  });
}
