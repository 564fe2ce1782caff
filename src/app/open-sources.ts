import { join } from "node:path";
import {
  type ToolFolderEvent,
  type SkillFolder,
  type ToolFileDeps,
  type McpSource,
  type ToolFolder,
  createToolFolder,
  hasMcpConfig,
  loadSkills,
} from "../hub/index.ts";
import type { Problem } from "../text/index.ts";
import { ToolRegistry, builtinOwner } from "../tool/index.ts";
import { pathExists } from "./find-workspace.ts";
import { openMcp } from "./open-mcp.ts";
import type { OpenedServices } from "./open-services.ts";
import type { Opening } from "./opening.ts";
import { toolFileNames } from "./tool-file-names.ts";
import type { WorkspaceTrust } from "./open-trust.ts";

/** Options of {@link openSources}. */
export interface OpenSourcesOptions
  extends Pick<ToolFileDeps, "onSlowLoad">, Pick<Opening, "dir" | "config" | "mode" | "env" | "secrets" | "http"> {
  readonly registry: ToolRegistry;
  readonly services: Pick<OpenedServices, "tools" | "prompts">;
  readonly trust: Pick<WorkspaceTrust, "refuses" | "refusesServer" | "withheldModels">;
  readonly onEvent: (event: ToolFolderEvent) => void;
  /** Receives the log of MCP servers and connections; may contain secrets. */
  readonly onServerLog: (message: string) => void;
  /** Called with the keys and passwords in the files that configure servers, before any server can log them. */
  readonly onServerSecrets: (values: readonly string[]) => void;
}

/** The sources of a workspace's tools, besides the built-in ones. */
export interface Sources {
  readonly folder: ToolFolder;
  /** Undefined if the workspace has no skills. */
  readonly skills: SkillFolder | undefined;
  /** Undefined if the workspace configures no MCP servers. Closed separately, after the calls that use its servers. */
  readonly mcp: McpSource | undefined;
  /** Loads all for the first time and starts watching for changes. */
  load(): Promise<void>;
  /** Checks all of them now. */
  reload(): Promise<void>;
  /** The file that a tool came from, relative to the workspace. */
  fileOf(tool: string): string | undefined;
  problems(): readonly Problem[];
  /** Stops watching for changes. */
  close(): Promise<void>;
}

/** The sources of a workspace, not loaded yet. */
export async function openSources(setting: OpenSourcesOptions): Promise<Sources> {
  const folder = createToolFolder({
    ...sourceDepsOf(setting),
    dir: join(setting.dir, setting.config.engine.toolsDirectory),
  });
  // A folder or a file that appears later is found only if changes are watched.
  const looks = setting.mode.autoReload === true || setting.mode.watch === true;
  const skills = await skillsOf(setting, looks);
  const mcp = looks || hasMcpConfig(setting.dir) ? await serversOf(setting, looks) : undefined;
  const folders = skills === undefined ? [folder] : [folder, skills];
  const all = mcp === undefined ? folders : [...folders, mcp];
  return {
    folder,
    skills,
    mcp,
    async load() {
      // Sequentially, so that the order of registration is deterministic.
      for (const source of all) await source.load();
    },
    async reload() {
      for (const source of all) await source.reload();
    },
    fileOf: (tool) => firstOf(all, (source) => source.fileOf(tool)),
    problems: () => all.flatMap((source) => source.problems()),
    async close() {
      await Promise.all(folders.map((source) => source.close()));
    },
  };
}

function sourceDepsOf({ config, ...setting }: OpenSourcesOptions) {
  const { registry, services, mode, onEvent, onSlowLoad, trust } = setting;
  return {
    root: setting.dir,
    registry,
    executors: builtinRegistry(services),
    mode,
    onEvent,
    http: setting.http,
    prompts: services.prompts,
    ...toolFileNames(config, trust),
    refuses: trust.refuses,
    ...(onSlowLoad !== undefined && { onSlowLoad }),
  };
}

/** A registry of the built-in tools. */
export function builtinRegistry({ tools }: Pick<OpenedServices, "tools">): ToolRegistry {
  const registry = new ToolRegistry();
  registry.offer(tools, { owner: builtinOwner });
  return registry;
}

async function skillsOf(setting: OpenSourcesOptions, looks: boolean): Promise<SkillFolder | undefined> {
  const { directory, code, trustAllowedTools, ...limits } = setting.config.skills;
  const dir = join(setting.dir, directory);
  if (!looks && !(await pathExists(dir))) return undefined;
  const { createSkillFolder } = await loadSkills();
  return createSkillFolder({
    ...sourceDepsOf(setting),
    dir,
    trustAllowedTools,
    limits,
    hardLinks: setting.config.files.hardLinks,
    ...(code !== undefined && { code }),
  });
}

async function serversOf(setting: OpenSourcesOptions, connectUnknown: boolean): Promise<McpSource> {
  const { source } = await openMcp({
    ...setting,
    log: setting.onServerLog,
    onSecrets: setting.onServerSecrets,
    connectUnknown,
    refuses: setting.trust.refusesServer,
  });
  return source;
}

function firstOf<S, T>(items: readonly S[], look: (item: S) => T | undefined): T | undefined {
  for (const item of items) {
    const found = look(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
