import { join } from "node:path";
import {
  type FolderEvent,
  type ReloadMode,
  type SkillFolder,
  type ToolFileWorld,
  type McpSource,
  type ToolFolder,
  createToolFolder,
  hasMcpConfig,
  loadSkills,
} from "../hub/index.ts";
import type { StreamingDoor } from "../net/index.ts";
import type { Problem } from "../text/index.ts";
import type { ToolRegistry } from "../tool/index.ts";
import { exists } from "./find-workspace.ts";
import { openMcp } from "./open-mcp.ts";
import type { ReadSecrets } from "./read-secrets.ts";
import type { WorkspaceConfig } from "./workspace-config.ts";

/** What {@link openSources} takes. */
export interface SourcesSetting extends Required<Pick<ToolFileWorld, "executors">>, Pick<ToolFileWorld, "onSlowLoad"> {
  /** The workspace. */
  readonly dir: string;
  readonly config: WorkspaceConfig;
  readonly registry: ToolRegistry;
  readonly mode: ReloadMode;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly secrets: ReadSecrets;
  readonly door: StreamingDoor;
  readonly onEvent: (event: FolderEvent) => void;
  /** What MCP servers and the way to them say; may hold secrets. */
  readonly onServerLog: (message: string) => void;
  /** Told what the files that name servers hold of keys and passwords, before anybody could say them. */
  readonly onServerSecrets: (values: readonly string[]) => void;
}

/** Where the tools of a workspace come from, besides those that are built in. */
export interface Sources {
  readonly folder: ToolFolder;
  /** Undefined where the workspace has no skills. */
  readonly skills: SkillFolder | undefined;
  /** Undefined where the workspace names no MCP servers. Closed by itself, after the calls that use its servers. */
  readonly mcp: McpSource | undefined;
  /** Loads all for the first time and starts looking for changes. */
  load(): Promise<void>;
  /** Looks at all of them now. */
  reload(): Promise<void>;
  /** The file that a tool came from, relative to the workspace. */
  fileOf(tool: string): string | undefined;
  problems(): readonly Problem[];
  /** Stops looking for changes. */
  close(): Promise<void>;
}

/** The sources of a workspace, not loaded yet. */
export async function openSources(setting: SourcesSetting): Promise<Sources> {
  const folder = createToolFolder({
    ...worldOf(setting),
    dir: join(setting.dir, setting.config.engine.toolsDirectory),
  });
  // A folder or a file that appears later is found by who looks for changes.
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
      // One after the other, so that who registers what is the same every time.
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

function worldOf({ config, ...setting }: SourcesSetting) {
  const { registry, executors, mode, onEvent, onSlowLoad } = setting;
  return {
    root: setting.dir,
    registry,
    executors,
    mode,
    onEvent,
    http: setting.door,
    secretNames: Object.keys(config.secrets),
    ...(onSlowLoad !== undefined && { onSlowLoad }),
  };
}

async function skillsOf(setting: SourcesSetting, looks: boolean): Promise<SkillFolder | undefined> {
  const { directory, code, trustAllowedTools, limits } = setting.config.skills;
  const dir = join(setting.dir, directory);
  if (!looks && !(await exists(dir))) return undefined;
  const { createSkillFolder } = await loadSkills();
  return createSkillFolder({
    ...worldOf(setting),
    dir,
    trustAllowedTools,
    limits,
    ...(code !== undefined && { code }),
  });
}

async function serversOf(setting: SourcesSetting, connectUnknown: boolean): Promise<McpSource> {
  const { source } = await openMcp({
    ...setting,
    log: setting.onServerLog,
    onSecrets: setting.onServerSecrets,
    connectUnknown,
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
