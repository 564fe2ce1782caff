import { join } from "node:path";
import { openMcp, readSecrets, whyMissing } from "../app/index.ts";
import {
  type Hub,
  type MappedTools,
  type McpSource,
  hasMcpConfig,
  loadContracts,
  loadSkills,
  unservedContracts,
} from "../hub/index.ts";
import { createDoor } from "../net/index.ts";
import type { Problem } from "../text/index.ts";
import { ToolRegistry } from "../tool/index.ts";
import { type Setting, offerBuiltins } from "./check-world.ts";

/** What is known besides tools and chains. */
export interface OtherSources {
  /** What is wrong with the files. */
  readonly problems: readonly Problem[];
  /** Warnings about contracts that say of tools what is not so; of no use where some tools could not be loaded. */
  readonly unmatched: () => readonly Problem[];
  /** The MCP servers that files name. */
  readonly servers: readonly string[];
  /** Whether the workspace describes capabilities, which tools that are built in may serve. */
  readonly describes?: boolean;
  /** Where a tool may be that there is not. */
  readonly whyMissing?: (tool: string) => string | undefined;
}

/** What tools are registered in, and chosen by. */
export interface CheckedInto {
  readonly registry: ToolRegistry;
  readonly hub: Hub;
}

/**
 * Registers what skills and MCP servers offer, and reads the contracts of capabilities. Nobody is connected to: of a
 * server its tools are known from before, or not at all.
 */
export async function loadOtherSources(setting: Setting, { registry, hub }: CheckedInto): Promise<OtherSources> {
  const { dir, config } = setting;
  const contracts = await loadContracts(join(dir, config.capabilities.directory), dir);
  hub.setContracts(contracts.contracts);
  const skills = await skillProblems(setting, registry);
  const mcp = hasMcpConfig(dir) ? await loadServers(setting, registry) : undefined;
  const why = (tool: string): string | undefined => whyMissing(mcp, tool);
  const [all, mayBeServed] = [await withBuiltins(registry, why), (name: string) => why(name) !== undefined];
  const unmatched = (): readonly Problem[] => [...contracts.unmatched(all), ...unservedContracts({ hub, mayBeServed })];
  return {
    problems: [...skills, ...(mcp?.problems() ?? []), ...contracts.problems],
    unmatched,
    servers: mcp?.status().map(({ name }) => name) ?? [],
    describes: contracts.contracts.length > 0,
    whyMissing: why,
  };
}

/** What contracts may be about: what is built in is not registered where no chain needs it. */
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
  registry.offer(await offerBuiltins());
  return registry;
}

async function skillProblems({ dir, config, onSlowLoad }: Setting, registry: ToolRegistry) {
  const { createSkillFolder } = await loadSkills();
  const executors = await builtinTools();
  const { directory, code, trustAllowedTools } = config.skills;
  const folder = createSkillFolder({
    dir: join(dir, directory),
    root: dir,
    registry,
    executors,
    trustAllowedTools,
    ...(code !== undefined && { code }),
    secretNames: Object.keys(config.secrets),
    onSlowLoad,
  });
  await folder.load();
  await folder.close();
  return folder.problems();
}

/** Registers what is known of the tools of MCP servers. */
export async function loadServers({ dir, config }: Setting, registry: ToolRegistry): Promise<McpSource> {
  const { env } = process;
  const secrets = await readSecrets(config.secrets, dir, env);
  const door = createDoor();
  const { declared } = config.capabilities;
  const { source } = await openMcp({ dir, config, env, secrets, door, declared, registry, log: () => undefined });
  await source.load();
  await source.close();
  await door.close();
  return source;
}
