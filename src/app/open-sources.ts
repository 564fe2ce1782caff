import { join } from "node:path";
import {
  type FolderEvent,
  type ReloadMode,
  type SkillFolder,
  type ToolFileWorld,
  type ToolFolder,
  createToolFolder,
  loadSkills,
} from "../hub/index.ts";
import type { Problem } from "../text/index.ts";
import type { ToolRegistry } from "../tool/index.ts";
import { exists } from "./find-workspace.ts";
import type { WorkspaceConfig } from "./workspace-config.ts";

/** What {@link openSources} takes. */
export interface SourcesSetting extends Omit<ToolFileWorld, "root" | "signal"> {
  /** The workspace. */
  readonly dir: string;
  readonly config: WorkspaceConfig;
  readonly registry: ToolRegistry;
  readonly mode: ReloadMode;
  readonly onEvent: (event: FolderEvent) => void;
}

/** Where the tools of a workspace come from, besides those that are built in. */
export interface Sources {
  readonly folder: ToolFolder;
  /** Undefined where the workspace has no skills. */
  readonly skills: SkillFolder | undefined;
  /** Loads all for the first time and starts looking for changes. */
  load(): Promise<void>;
  /** Looks at all of them now. */
  reload(): Promise<void>;
  /** The file that a tool came from, relative to the workspace. */
  fileOf(tool: string): string | undefined;
  problems(): readonly Problem[];
  close(): Promise<void>;
}

/** The sources of a workspace, not loaded yet. */
export async function openSources({ config, mode, ...setting }: SourcesSetting): Promise<Sources> {
  const world = { ...setting, root: setting.dir, mode };
  const folder = createToolFolder({ ...world, dir: join(setting.dir, config.engine.toolsDirectory) });
  const skills = await skillsOf(join(setting.dir, config.skills.directory), { config, world });
  const all = skills === undefined ? [folder] : [folder, skills];
  return {
    folder,
    skills,
    async load() {
      // One after the other: the second may replace nothing of the first, but its warnings speak of it.
      for (const source of all) await source.load();
    },
    async reload() {
      for (const source of all) await source.reload();
    },
    fileOf: (tool) => folder.fileOf(tool) ?? skills?.fileOf(tool),
    problems: () => all.flatMap((source) => source.problems()),
    async close() {
      await Promise.all(all.map((source) => source.close()));
    },
  };
}

type World = Omit<SourcesSetting, "config"> & { readonly root: string };

/** A folder that appears later is found by who looks for changes. */
async function skillsOf(
  dir: string,
  { config, world }: { readonly config: WorkspaceConfig; readonly world: World },
): Promise<SkillFolder | undefined> {
  const looks = world.mode.autoReload === true || world.mode.watch === true;
  if (!looks && !(await exists(dir))) return undefined;
  const { createSkillFolder } = await loadSkills();
  const { code, trustAllowedTools, limits } = config.skills;
  return createSkillFolder({ ...world, dir, code, trustAllowedTools, limits });
}
