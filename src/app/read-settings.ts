import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { hasErrors } from "../text/index.ts";
import { checkDirectories } from "./check-directories.ts";
import { exists, workspaceFile } from "./find-workspace.ts";
import { type ParsedWorkspace, defaultConfig, parseWorkspace } from "./parse-workspace.ts";

/** The settings of a workspace, and what is wrong with their file. */
export interface Settings extends ParsedWorkspace {
  /** The text of the file; undefined where there is none. */
  readonly source: string | undefined;
}

/** Reads `windlass.yaml` without anything else of the workspace; what is wrong with it is in `problems`. */
export async function readSettings(dir: string): Promise<Settings> {
  const path = join(dir, workspaceFile);
  if (!(await exists(path))) return { config: defaultConfig, problems: [], source: undefined };
  const source = await readFile(path, "utf8");
  const parsed = parseWorkspace(source, workspaceFile);
  if (hasErrors(parsed.problems)) return { ...parsed, source };
  const problems = [...parsed.problems, ...(await checkDirectories(dir, source))];
  return { config: hasErrors(problems) ? defaultConfig : parsed.config, problems, source };
}
