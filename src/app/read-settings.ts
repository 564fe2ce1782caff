import { readFile, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { hasErrors, type ParsedYaml, type Problem, parseYaml, suggestHint } from "../text/index.ts";
import { pathExists, workspaceFile } from "./find-workspace.ts";
import { type ParsedWorkspace, defaultConfig, parseWorkspace } from "./parse-workspace.ts";
import { type SettingText, settingTexts } from "./setting-texts.ts";
import { resolveRealPath } from "../base/index.ts";

/** The settings of a workspace, and the problems of their file. */
export interface Settings extends ParsedWorkspace {
  /** The text of the file; undefined if there is none. */
  readonly source: string | undefined;
}

/** Reads `windlass.yaml` and nothing else of the workspace; errors are in `problems`. */
export async function readSettings(dir: string): Promise<Settings> {
  const path = join(dir, workspaceFile);
  if (!(await pathExists(path))) return { config: defaultConfig(), problems: [], source: undefined };
  const source = await readFile(path, "utf8");
  const parsed = parseWorkspace(source, workspaceFile);
  if (hasErrors(parsed.problems)) return { ...parsed, source };
  const problems = [...parsed.problems, ...(await checkDirectories(dir, source))];
  return { config: hasErrors(problems) ? defaultConfig() : parsed.config, problems, source };
}

/** Problems of the folders that the settings name: one is missing, or a link leads out of the workspace. */
async function checkDirectories(dir: string, source: string): Promise<Problem[]> {
  const { value, locate } = parseYaml(source, { file: workspaceFile });
  const found = await Promise.all(settingTexts(value).map((folder) => checkDirectory(dir, folder, locate)));
  return found.flat();
}

async function checkDirectory(
  dir: string,
  { setting: { contents }, text: stated, path }: SettingText,
  locate: ParsedYaml["locate"],
): Promise<Problem[]> {
  // A default folder need not exist; where it leads is checked when it is loaded.
  if (contents === undefined) return [];
  const at = { file: workspaceFile, ...locate(path) };
  const folder = join(dir, stated);
  if (contents.use === "loaded" && (await resolveRealPath(folder, dir)).kind === "outside") {
    const message = `"${stated}" is a link that leads outside the workspace`;
    return [{ severity: "error", code: "outside_workspace", message, ...at }];
  }
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() === true) return [];
  const hint = suggestHint(stated, await foldersIn(dir)) ?? "make the folder, or correct its name";
  const message = `there is no folder "${stated}"; no ${contents.name} are ${contents.use}`;
  return [{ severity: "warning", code: "no_folder", message, hint, ...at }];
}

async function foldersIn(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith(".")).map(({ name }) => name);
}
