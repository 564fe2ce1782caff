import { join } from "node:path";
import { ChainFolder, type WorkspaceConfig, exists } from "../app/index.ts";
import { builtinChains, builtinToolNames, loadBuiltinOffers } from "../builtin/index.ts";
import { ChainLibrary } from "../chain/index.ts";
import type { Problem } from "../text/index.ts";
import { type AnyTool, type ToolOffer, ToolRegistry } from "../tool/index.ts";

/** The workspace that is being checked. */
export interface Setting {
  readonly dir: string;
  readonly config: WorkspaceConfig;
  /** Told the name of a file that takes long to load. */
  readonly onSlowLoad: (file: string) => void;
}

/** The built-in tools, which send nothing. */
export function offerBuiltins(): Promise<readonly ToolOffer[]> {
  return loadBuiltinOffers({
    door: { request: () => Promise.reject(new Error("a check sends no requests")), close: () => Promise.resolve() },
  });
}

/** The chains that files of chains may call, and everything else that their plans need to know. */
export interface ChainWorld {
  readonly library: ChainLibrary;
  readonly folder: ChainFolder;
  /** What is wrong with the files of tools that were loaded for it. */
  readonly toolProblems: readonly Problem[];
  /** Sees to it that the built-in tools are there, if a text names something that is built in. */
  readonly provideFor: (texts: readonly string[]) => Promise<void>;
}

/** Loads what chains of a workspace may call; `loaded` has the tools of its folder where they are loaded already. */
export async function chainWorld(setting: Setting, loaded?: readonly AnyTool[]): Promise<ChainWorld> {
  const { dir, config } = setting;
  const { env, chains, secrets } = config;
  const registry = new ToolRegistry();
  const own = loaded === undefined ? await loadTools(join(dir, config.engine.toolsDirectory), setting) : undefined;
  registry.replace(loaded ?? own?.tools ?? [], {});
  const library = new ChainLibrary({
    tools: {
      resolve: (name) => registry.resolve(name),
      names: () => new Set([...registry.names(), ...builtinToolNames]),
      get version() {
        return registry.version;
      },
    },
    env,
    secrets: Object.keys(secrets),
    maxParallel: chains.maxParallel,
  });
  const folder = new ChainFolder({
    dir: join(dir, chains.directory),
    root: dir,
    library,
    builtins: builtinChains(),
    toolsVersion: () => registry.version,
    onChange: () => undefined,
  });
  await folder.reload();
  const provideFor = async (texts: readonly string[]): Promise<void> => {
    if (!texts.some((text) => namesBuiltin.test(text))) return;
    const missing = (await offerBuiltins()).filter(({ name }) => !registry.has(name));
    registry.offer(missing, { owner: "builtin" });
  };
  await provideFor(folder.texts());
  return { library, folder, provideFor, toolProblems: own?.problems ?? [] };
}

/** What a folder of tools gives. */
export interface LoadedTools {
  readonly tools: readonly AnyTool[];
  readonly problems: readonly Problem[];
}

/** Loads the tools of a folder, which need not be there; then nothing of what tools need is loaded either. */
export async function loadTools(dir: string, setting: Setting): Promise<LoadedTools> {
  if (!(await exists(dir))) return { tools: [], problems: [] };
  const { loadToolFolder } = await import("./check-tools.ts");
  return loadToolFolder(dir, setting);
}

/** Something that is built in, by its name: a tool, or a chain that may call one. */
const namesBuiltin = new RegExp([...builtinToolNames, ...builtinChains().map(({ name }) => name)].join("|"));
