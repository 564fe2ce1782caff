import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { realPlace } from "../base/index.ts";
import { isMap } from "../schema/index.ts";
import { type ParsedYaml, type Problem, parseYaml, suggest } from "../text/index.ts";
import { workspaceFile } from "./find-workspace.ts";

/** What settings name folders, and what is loaded from them. */
const folders = [
  { group: "engine", key: "tools_directory", what: "tools" },
  { group: "chains", key: "directory", what: "chains" },
  { group: "skills", key: "directory", what: "skills" },
] as const;

/** What is wrong with the folders that the settings name: one is not there, or a link leads out of the workspace. */
export async function checkDirectories(dir: string, source: string): Promise<Problem[]> {
  const yaml = parseYaml(source, { file: workspaceFile });
  const found = await Promise.all(folders.map((folder) => checkDirectory(dir, folder, yaml)));
  return found.flat();
}

async function checkDirectory(
  dir: string,
  { group, key, what }: (typeof folders)[number],
  { value, locate }: ParsedYaml,
): Promise<Problem[]> {
  const settings = isMap(value) ? value[group] : undefined;
  const stated = isMap(settings) ? settings[key] : undefined;
  // A folder that nobody named need not be there; where it leads is looked at when it is loaded.
  if (typeof stated !== "string") return [];
  const at = { file: workspaceFile, ...locate([group, key]) };
  const folder = join(dir, stated);
  if ((await realPlace(folder, dir)).kind === "outside") {
    const message = `"${stated}" is a link that leads outside the workspace`;
    return [{ severity: "error", code: "outside_workspace", message, ...at }];
  }
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() === true) return [];
  const near = suggest(stated, await foldersIn(dir));
  const hint = near === undefined ? "make the folder, or correct its name" : `did you mean "${near}"?`;
  const message = `there is no folder "${stated}"; no ${what} are loaded`;
  return [{ severity: "warning", code: "no_folder", message, hint, ...at }];
}

async function foldersIn(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith(".")).map(({ name }) => name);
}
