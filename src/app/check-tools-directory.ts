import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { realPlace } from "../base/index.ts";
import { isMap } from "../schema/index.ts";
import { type Problem, parseYaml, suggest } from "../text/index.ts";
import { workspaceFile } from "./find-workspace.ts";

/** What is wrong with the folder that `tools_directory` names: it is not there, or a link leads out of the workspace. */
export async function checkToolsDirectory(dir: string, source: string): Promise<Problem[]> {
  const { value, locate } = parseYaml(source, { file: workspaceFile });
  const engine = isMap(value) ? value["engine"] : undefined;
  const stated = isMap(engine) ? engine["tools_directory"] : undefined;
  // A folder that nobody named need not be there; where it leads is looked at when it is loaded.
  if (typeof stated !== "string") return [];
  const at = { file: workspaceFile, ...locate(["engine", "tools_directory"]) };
  const folder = join(dir, stated);
  if ((await realPlace(folder, dir)).kind === "outside") {
    const message = `"${stated}" is a link that leads outside the workspace`;
    return [{ severity: "error", code: "outside_workspace", message, ...at }];
  }
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() === true) return [];
  const near = suggest(stated, await foldersIn(dir));
  const hint = near === undefined ? "make the folder, or correct its name" : `did you mean "${near}"?`;
  const message = `there is no folder "${stated}"; no tools are loaded`;
  return [{ severity: "warning", code: "no_folder", message, hint, ...at }];
}

async function foldersIn(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith(".")).map(({ name }) => name);
}
