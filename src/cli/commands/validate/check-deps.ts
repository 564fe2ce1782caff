import { join } from "node:path";
import {
  ChainFolder,
  type WorkspaceConfig,
  type WorkspaceTrust,
  pathExists,
  withUncheckedTools,
} from "../../../app/index.ts";
import { builtinChains, builtinDefinitions, builtinToolNames } from "../../../builtin/index.ts";
import { ChainLibrary } from "../../../chain/index.ts";
import { Hub, ResultStore, hasMcpConfig, hubOffers, hubToolNames } from "../../../hub/index.ts";
import type { Problem } from "../../../text/index.ts";
import { type AnyTool, ToolRegistry } from "../../../tool/index.ts";
import type { CheckedInto, OtherSources } from "./check-sources.ts";

/** The workspace that is being checked. */
export interface CheckContext {
  readonly dir: string;
  readonly config: WorkspaceConfig;
  readonly trust: WorkspaceTrust;
  /** Called with the name of a file that is slow to load. */
  readonly onSlowLoad: (file: string) => void;
}

/** The chains that chain files may call, and everything else that planning them requires. */
export interface ChainCheckDeps {
  readonly library: ChainLibrary;
  readonly folder: ChainFolder;
  readonly hub: Hub;
  /** Problems of the tool files that were loaded for it. */
  readonly toolProblems: readonly Problem[];
  /** Problems of skills, `mcp.json` and contracts. */
  readonly sourceProblems: readonly Problem[];
  /** Warnings about contracts that do not match their tools. */
  readonly unmatched: () => readonly Problem[];
  /** MCP servers named in files. */
  readonly servers: readonly string[];
  /** True if a server that was never connected may have a tool of this name. */
  readonly mayBeServed: (name: string) => boolean;
  /** All loaded tools. */
  readonly tools: () => readonly AnyTool[];
  /** Loads the built-in tools if a text names a built-in tool or chain. */
  readonly provideFor: (texts: readonly string[]) => Promise<void>;
}

/** Loads everything that chains of a workspace may call; `loaded` are the tools of its folder, if already loaded. */
export async function loadChainCheckDeps(setting: CheckContext, loaded?: LoadedTools): Promise<ChainCheckDeps> {
  const { dir, config } = setting;
  const { env, chains, secrets } = config;
  const registry = new ToolRegistry();
  const own = loaded ?? (await loadTools(join(dir, config.engine.toolsDirectory), setting));
  registry.replace(own.tools, {});
  const hub = new Hub({ registry, keywords: config.capabilities.keywords, declared: config.capabilities.declared });
  const others = await otherSources(setting, { registry, hub, chains: () => library.names() });
  const library = new ChainLibrary({
    tools: withUncheckedTools(
      {
        resolve: (name) => hub.resolve(name),
        names: () => new Set([...hub.names(), ...builtinToolNames, ...hubToolNames]),
        whyMissing: (name) => others.whyMissing?.(name) ?? hub.whyMissing(name),
        fileError: (name) => own.fileError(name) ?? others.fileError?.(name),
        get version() {
          return hub.version;
        },
      },
      setting.trust,
    ),
    env,
    secrets: Object.keys(secrets),
    maxParallel: chains.maxParallel,
    taint: chains.taint,
    trusted: chains.trustedTools,
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
    const offers = [...builtinDefinitions(), ...hubOffers({ registry, resultStore: new ResultStore() })];
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
    toolProblems: own.problems,
    sourceProblems: others.problems(),
    unmatched: others.unmatched,
    servers: others.servers,
  };
}

/** Loads skills, MCP servers and contracts; without any, their modules are not loaded. */
async function otherSources(setting: CheckContext, into: CheckedInto): Promise<OtherSources> {
  const { dir, config } = setting;
  const folders = [config.skills.directory, config.capabilities.directory].map((name) => join(dir, name));
  const isThere = hasMcpConfig(dir) || (await Promise.all(folders.map(pathExists))).includes(true);
  if (!isThere) return { problems: () => [], unmatched: () => [], servers: [] };
  const { loadOtherSources } = await import("./check-sources.ts");
  return loadOtherSources(setting, into);
}

/** Tools of a folder, with their problems. */
export interface LoadedTools {
  readonly tools: readonly AnyTool[];
  readonly problems: readonly Problem[];
  /** The first error of the file that defines a tool of this name. */
  readonly fileError: (name: string) => Problem | undefined;
}

/** Loads the tools of a folder. If it does not exist, the modules that tools need are not loaded either. */
export async function loadTools(dir: string, setting: CheckContext): Promise<LoadedTools> {
  if (!(await pathExists(dir))) return { tools: [], problems: [], fileError: () => undefined };
  const { loadToolFolder } = await import("./check-tools.ts");
  return loadToolFolder(dir, setting);
}

/** Name of something built in: a tool, or a chain that may call one. */
const namesBuiltin = new RegExp(
  ["capability:", ...builtinToolNames, ...hubToolNames, ...builtinChains().map(({ name }) => name)].join("|"),
);
