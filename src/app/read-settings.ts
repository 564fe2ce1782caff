import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type WorkspaceConfig, defaultConfig, exists, parseWorkspace, workspaceFile } from "../app/index.ts";
import type { Problem } from "../text/index.ts";

/** The settings of a workspace, and what is wrong with their file. */
export interface Settings {
  readonly config: WorkspaceConfig;
  readonly problems: readonly Problem[];
  /** Whether there is a file at all. */
  readonly configured: boolean;
}

/** Reads `windlass.yaml` without anything else of the workspace; what is wrong with it is in `problems`. */
export async function readSettings(dir: string): Promise<Settings> {
  const path = join(dir, workspaceFile);
  if (!(await exists(path))) return { config: defaultConfig, problems: [], configured: false };
  return { ...parseWorkspace(await readFile(path, "utf8"), workspaceFile), configured: true };
}
