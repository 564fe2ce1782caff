import { join } from "node:path";
import { ChainFolder, type WorkspaceConfig, exists } from "../app/index.ts";
import { builtinChains, builtinToolNames, loadBuiltinOffers } from "../builtin/index.ts";
import { ChainLibrary } from "../chain/index.ts";
import { Hub, ResultShelf, hasMcpConfig, hubOffers, hubToolNames } from "../hub/index.ts";
import type { Problem } from "../text/index.ts";
import { type AnyTool, type ToolOffer, ToolRegistry } from "../tool/index.ts";
import type { CheckedInto, OtherSources } from "./check-sources.ts";

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
  readonly hub: Hub;
  /** What is wrong with the files of tools that were loaded for it. */
  readonly toolProblems: readonly Problem[];
  /** What is wrong with skills, with `mcp.json` and with contracts. */
  readonly sourceProblems: readonly Problem[];
  /** What contracts say of tools that is not so. */
  readonly unmatched: () => readonly Problem[];
  /** The MCP servers that files name. */
  readonly servers: readonly string[];
  /** May a server that was never connected to have a tool of this name? */
  readonly mayBeServed: (name: string) => boolean;
  /** All tools that are loaded. */
  readonly tools: () => readonly AnyTool[];
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
  const { keywords, declared } = config.capabilities;
  const hub = new Hub({ registry, keywords, declared });
  const others = await otherSources(setting, { registry, hub });
  const library = new ChainLibrary({
    tools: {
      resolve: (name) => hub.resolve(name),
      names: () => new Set([...hub.names(), ...builtinToolNames, ...hubToolNames]),
      whyMissing: (name) => others.whyMissing?.(name) ?? hub.whyMissing(name),
      get version() {
        return hub.version;
      },
    },
    env,
    secrets: Object.keys(secrets),
    maxParallel: chains.maxParallel,
    taint: chains.taint,
    trusted: chains.trusted,
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
    const offers = [...(await offerBuiltins()), ...hubOffers({ registry, shelf: new ResultShelf() })];
    const missing = offers.filter(({ name }) => !registry.has(name));
    registry.offer(missing, { owner: "builtin" });
  };
  await provideFor([...folder.texts(), ...(others.describes === true ? ["capability:"] : [])]);
  return {
    library,
    folder,
    hub,
    provideFor,
    mayBeServed: (name) => others.whyMissing?.(name) !== undefined,
    tools: () => registry.list().map(({ tool }) => tool),
    toolProblems: own?.problems ?? [],
    sourceProblems: others.problems,
    unmatched: others.unmatched,
    servers: others.servers,
  };
}

/** Skills, MCP servers and contracts; where there are none, nothing of what they need is loaded. */
async function otherSources(setting: Setting, into: CheckedInto): Promise<OtherSources> {
  const { dir, config } = setting;
  const folders = [config.skills.directory, config.capabilities.directory].map((name) => join(dir, name));
  const isThere = hasMcpConfig(dir) || (await Promise.all(folders.map(exists))).includes(true);
  if (!isThere) return { problems: [], unmatched: () => [], servers: [] };
  const { loadOtherSources } = await import("./check-sources.ts");
  return loadOtherSources(setting, into);
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
const namesBuiltin = new RegExp(
  ["capability:", ...builtinToolNames, ...hubToolNames, ...builtinChains().map(({ name }) => name)].join("|"),
);
