import { join } from "node:path";
import { openMcp, readSecrets, explainMissingTool, toolFileNames } from "../../../app/index.ts";
import { builtinDefinitions } from "../../../builtin/index.ts";
import {
  type Hub,
  type MappedTools,
  type McpSource,
  type SkillFolder,
  hasMcpConfig,
  hubToolNames,
  loadContracts,
  loadSkills,
  unservedContracts,
} from "../../../hub/index.ts";
import { createHttpClient } from "../../../net/index.ts";
import type { Problem } from "../../../text/index.ts";
import { ToolRegistry } from "../../../tool/index.ts";
import { type CheckContext } from "./check-deps.ts";

/** Sources other than tools and chains. */
export interface OtherSources {
  /** Problems of the files, once the chains are loaded: files may name them. */
  readonly problems: () => readonly Problem[];
  /** Warnings about contracts that do not match their tools; not meaningful if some tools failed to load. */
  readonly unmatched: () => readonly Problem[];
  /** MCP servers named in files. */
  readonly servers: readonly string[];
  /** True if the workspace describes capabilities, which built-in tools may serve. */
  readonly describes?: boolean;
  /** Explains where a missing tool may come from. */
  readonly whyMissing?: (tool: string) => string | undefined;
  /** The first error of the file that defines a tool of this name. */
  readonly fileError?: (tool: string) => Problem | undefined;
}

/** Registry and hub for the checked tools. */
export interface CheckedInto {
  readonly registry: ToolRegistry;
  readonly hub: Hub;
  /** Names of the chains, known once they are loaded. */
  readonly chains: () => Iterable<string>;
}

/**
 * Registers the tools of skills and MCP servers, and reads the contracts of capabilities. Connects to no server: tools
 * of servers are known from earlier connections, or not at all.
 */
export async function loadOtherSources(setting: CheckContext, into: CheckedInto): Promise<OtherSources> {
  const { dir, config } = setting;
  const { registry, hub } = into;
  const contracts = await loadContracts(join(dir, config.capabilities.directory), dir);
  hub.setContracts(contracts.contracts);
  const skills = await loadSkillFolder(setting, into);
  const mcp = hasMcpConfig(dir) ? await loadServers(setting, registry) : undefined;
  const why = (tool: string): string | undefined => explainMissingTool(mcp, tool);
  const [all, mayBeServed] = [await withBuiltins(registry, why), (name: string) => why(name) !== undefined];
  const unmatched = (): readonly Problem[] => [...contracts.unmatched(all), ...unservedContracts(hub, mayBeServed)];
  return {
    problems: () => [...skills.problems(), ...(mcp?.problems() ?? []), ...contracts.problems],
    unmatched,
    servers: mcp?.status().map(({ name }) => name) ?? [],
    describes: contracts.contracts.length > 0,
    whyMissing: why,
    fileError: (tool) => skills.fileError(tool),
  };
}

/**
 * The tools that contracts may refer to, including built-in ones that are not registered because no chain needs them.
 */
async function withBuiltins(registry: ToolRegistry, why: OtherSources["whyMissing"]): Promise<MappedTools> {
  const builtins = await builtinTools();
  return {
    resolve: (name) => registry.resolve(name) ?? builtins.resolve(name),
    names: () => [...registry.names(), ...builtins.names()],
    whyMissing: why,
  };
}

async function builtinTools(): Promise<ToolRegistry> {
  const registry = new ToolRegistry();
  registry.offer(builtinDefinitions());
  return registry;
}

async function loadSkillFolder(
  { dir, config, trust, onSlowLoad }: CheckContext,
  { registry, chains }: CheckedInto,
): Promise<SkillFolder> {
  const { createSkillFolder } = await loadSkills();
  const executors = await builtinTools();
  const { directory, code, trustAllowedTools } = config.skills;
  const named = (): ReadonlySet<string> => new Set([...hubToolNames, ...chains()]);
  const folder = createSkillFolder({
    dir: join(dir, directory),
    root: dir,
    registry,
    executors,
    trustAllowedTools,
    allowable: {
      resolve: (name) =>
        registry.resolve(name) ?? executors.resolve(name) ?? (named().has(name) ? { tool: { name } } : undefined),
      names: () => [...registry.names(), ...executors.names(), ...named()],
    },
    ...(code !== undefined && { code }),
    ...toolFileNames(config, trust),
    refuses: trust.refuses,
    onSlowLoad,
  });
  await folder.load();
  await folder.close();
  return folder;
}

/** Registers the known tools of MCP servers. */
export async function loadServers({ dir, config, trust }: CheckContext, registry: ToolRegistry): Promise<McpSource> {
  const { env } = process;
  const secrets = trust.secrets(await readSecrets(config.secrets, dir, env), "services");
  const refuses = trust.refusesServer;
  const http = createHttpClient();
  const { source } = await openMcp({
    dir,
    config,
    env,
    secrets,
    http,
    declared: config.capabilities.declared,
    registry,
    refuses,
    log: () => undefined,
  });
  await source.load();
  await source.close();
  await http.close();
  return source;
}
