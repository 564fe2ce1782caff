import type { Dirent } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { isSkippedFile, readDirectory, readText } from "../hub/index.ts";
import { isRecord } from "../schema/index.ts";
import { type Problem, parseYaml, suggest } from "../text/index.ts";
import { workspaceFile } from "./find-workspace.ts";
import type { WorkspaceConfig } from "./workspace-config.ts";

/** The content of a file, as far as its text shows it. */
type FileKind = "tool" | "chain" | "skill" | "capability";

/** Folders of a workspace by the kind of their files. */
type Folders = Readonly<Record<FileKind, string>>;

const defaultFolders: Folders = { tool: "tools", chain: "chains", skill: "skills", capability: "capabilities" };

/**
 * Files and folders that look like a part of the workspace and are not loaded, because of their name or their folder;
 * each with the name or the folder that it needs.
 */
export async function findIgnoredFiles(dir: string, config: WorkspaceConfig): Promise<Problem[]> {
  const { engine, chains, skills, capabilities } = config;
  const folders: Folders = {
    tool: engine.toolsDirectory,
    chain: chains.directory,
    skill: skills.directory,
    capability: capabilities.directory,
  };
  const top = await readDirectory(dir);
  const found = [
    ...top.flatMap((entry) => settingsUnderOtherName(entry)),
    ...(await ignoredIn("tool", dir, folders)),
    ...(await ignoredIn("chain", dir, folders)),
    ...(await Promise.all(top.map((entry) => misnamedFolder(entry, dir, folders)))).flat(),
  ];
  return found.toSorted((a, b) => (a.file < b.file ? -1 : 1));
}

const yamlFile = /\.ya?ml$/i;
const codeFile = /\.(?:ts|mts|js|mjs)$/;

/** `x.yaml.txt`: the extension that editors add to an unknown one. */
const addedExtension = /(\.ya?ml)\.(?:txt|text|json|md)$/i;

/** Other files that may contain a tool or a chain. */
const otherText = /\.(?:txt|text|json|jsonc|json5|md|cjs|cts|jsx|tsx)$/i;

/** Files in the folder of tools or of chains that are not loaded from it. */
async function ignoredIn(folderOf: "tool" | "chain", dir: string, folders: Folders): Promise<Problem[]> {
  const folder = folders[folderOf];
  const isLoaded = (name: string): boolean => yamlFile.test(name) || (folderOf === "tool" && codeFile.test(name));
  const problems: Problem[] = [];
  for (const name of await filesIn(join(dir, folder))) {
    if (isLoaded(name) || !(codeFile.test(name) || otherText.test(name) || !/\.[^/]*$/.test(name))) continue;
    const file = `${folder}/${name}`;
    const kind = await kindOf(join(dir, file));
    if (kind !== undefined) problems.push(ignored(file, name, { kind, folders }));
    else if (addedExtension.test(name)) problems.push(ignored(file, name, { kind: folderOf, folders }));
  }
  return problems;
}

function ignored(file: string, name: string, { kind, folders }: { kind: FileKind; folders: Folders }): Problem {
  const isCode = /\.[cm]?[jt]sx?$/.test(name);
  const stem = name.replace(addedExtension, "$1").replace(otherText, "");
  const better = isCode ? name.replace(/\.[cm]?([jt]s)x?$/, ".$1") : yamlFile.test(stem) ? stem : `${stem}.yaml`;
  const needs = kind === "tool" ? ".yaml, .yml, .ts, .mts, .js and .mjs files" : ".yaml and .yml files";
  const [folder, as] = [folders[kind], `${folders[kind]}/${better}`];
  const message = `the file is ignored; ${kind}s are ${needs} in ${folder}/`;
  const hint = file.startsWith(`${folder}/`) ? `rename it to ${as}` : `move it to ${as}`;
  return { severity: "warning", code: "ignored_file", message, hint, file, line: 1, column: 1 };
}

/** `windlass.yml`, `windlass.yaml.txt`, `windlass.json`. */
function settingsUnderOtherName(entry: Dirent): Problem[] {
  const { name } = entry;
  const isOther = name !== workspaceFile && /^\.?windlass\.(?:ya?ml|json)(?:\.txt)?$/i.test(name);
  if (!isOther || !entry.isFile()) return [];
  const message = `the file is ignored; the settings of a workspace are in ${workspaceFile}`;
  const hint = `rename it to ${workspaceFile}`;
  return [{ severity: "warning", code: "ignored_file", message, hint, file: name, line: 1, column: 1 }];
}

/** A folder with tools or chains whose name is nearly that of a folder of the workspace, such as `chain` or `Tools`. */
async function misnamedFolder(entry: Dirent, dir: string, folders: Folders): Promise<Problem[]> {
  const { name } = entry;
  if (!entry.isDirectory() || isSkippedFile(name)) return [];
  for (const kind of Object.keys(folders) as FileKind[]) {
    const folder = folders[kind];
    const isNear = suggest(name, [folder, defaultFolders[kind]]) !== undefined;
    if (!isNear || Object.values(folders).some((known) => known.split("/")[0] === name)) continue;
    if (await isSameFolder(join(dir, name), join(dir, folder))) return [];
    if (!(await contains(kind, join(dir, name)))) continue;
    const message = `the folder is ignored; ${kind === "capability" ? "capabilities" : `${kind}s`} are in ${folder}/`;
    const hint = `move its files to ${folder}/`;
    return [{ severity: "warning", code: "ignored_folder", message, hint, file: name, line: 1, column: 1 }];
  }
  return [];
}

/** True on file systems that ignore case, and for a link. */
async function isSameFolder(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map((path) => stat(path, { bigint: true }).catch(() => undefined)));
  return a !== undefined && a.ino === b?.ino && a.dev === b.dev;
}

async function contains(kind: FileKind, folder: string): Promise<boolean> {
  for (const name of await filesIn(folder)) {
    if (kind === "skill" ? name.endsWith("/SKILL.md") : yamlFile.test(name) || codeFile.test(name)) {
      if (kind === "skill" || kind === "capability" || (await kindOf(join(folder, name))) === kind) return true;
    }
  }
  return false;
}

/** Limits for folders of data: more files are not examined. */
const [maxDepth, maxFiles] = [8, 1_000];

/** Paths of the files of a folder and its folders, relative to it. Hidden files and drafts are omitted. */
async function filesIn(folder: string): Promise<readonly string[]> {
  const files: string[] = [];
  const visit = async (within: string, depth: number): Promise<void> => {
    for (const entry of await readDirectory(join(folder, within))) {
      if (isSkippedFile(entry.name) || files.length === maxFiles) continue;
      if (entry.isFile()) files.push(`${within}${entry.name}`);
      else if (entry.isDirectory() && depth < maxDepth) await visit(`${within}${entry.name}/`, depth + 1);
    }
  };
  await visit("", 0);
  return files;
}

const maxBytes = 256 * 1024;

/** The kind of a file by its text; undefined if it is neither a tool nor a chain. */
async function kindOf(path: string): Promise<"tool" | "chain" | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || found.size > maxBytes) return undefined;
  const read = await readText({ path, name: path });
  if (read.problem !== undefined) return undefined;
  const text = read.source;
  if (/\.[cm]?[jt]sx?$/.test(path)) return /\bdefineTool\s*[(<]/.test(text) ? "tool" : undefined;
  if (!/\b(?:steps|entry)["']?\s*:/.test(text)) return undefined;
  const { value } = parseYaml(text, { file: path, maxBytes });
  // A text that is not valid YAML is searched for the key.
  const has = (key: string): boolean =>
    isRecord(value) ? Object.hasOwn(value, key) : new RegExp(`^["']?${key}["']?[ \\t]*:`, "m").test(text);
  return has("steps") ? "chain" : has("entry") ? "tool" : undefined;
}
