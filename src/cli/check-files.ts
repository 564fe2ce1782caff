import { stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import {
  exists,
  findWorkspace,
  listsTools,
  planFile,
  readSettings,
  unloadedTool,
  unmatchedRules,
  withUnloadedTools,
  workspaceFile,
} from "../app/index.ts";
import { isBelow } from "../base/index.ts";
import { builtinToolNames } from "../builtin/index.ts";
import { hubToolNames, isMcpConfig, readText, scanFolder } from "../hub/index.ts";
import { isMap } from "../schema/index.ts";
import { type Problem, hasErrors, parseYaml } from "../text/index.ts";
import { type AnyTool, ToolRegistry } from "../tool/index.ts";
import { type ChainWorld, type Setting, chainWorld, loadTools } from "./check-world.ts";
import { isChainText } from "./is-chain-text.ts";
import { UsageError } from "./usage-error.ts";

/** What a check found. Files of problems are absolute. */
export interface Checked {
  readonly problems: readonly Problem[];
  /** Names of the tools that can be used. */
  readonly tools: readonly string[];
  /** Names of the chains that can be used. */
  readonly chains: readonly string[];
  /** How many files were looked at; undefined where a folder was. */
  readonly files?: number;
}

/** Checks `windlass.yaml` and every tool and chain of the workspace that a folder belongs to. Nothing is called or written. */
export async function checkWorkspace(from: string, onSlowLoad: SlowLoad): Promise<Checked> {
  const dir = await findWorkspace(from);
  const settings = await readSettings(dir);
  const setting = { dir, config: settings.config, onSlowLoad };
  const tools = await checkToolFolder(join(dir, setting.config.engine.toolsDirectory), setting);
  const world = await chainWorld(setting, tools.loaded);
  const chains = checkChainFolder(world, dir);
  const others = absolute(world.sourceProblems, dir);
  const problems = [...absolute(settings.problems, dir), ...tools.problems, ...others, ...chains.problems];
  // Other names, and what serves a capability, are known of tools that are loaded.
  if (listsTools(settings.config)) await world.provideFor(["capability:"]);
  const known = (): readonly Pick<AnyTool, "name" | "aliases">[] => {
    const loaded = [...tools.loaded, ...world.tools()];
    const otherNames = new Set(loaded.flatMap(({ aliases }) => aliases));
    const names = [...builtinToolNames, ...hubToolNames, ...world.library.names()];
    return [...loaded, ...names.filter((name) => !otherNames.has(name)).map((name) => ({ name, aliases: [] }))];
  };
  // A tool that a rule names may be in a file that is broken.
  const unmatched = hasErrors(problems)
    ? []
    : [...unmatchedRules(settings, { ...world, tools: known, servers: () => world.servers }), ...world.unmatched()];
  return { problems: [...problems, ...absolute(unmatched, dir)], tools: tools.tools, chains: chains.chains };
}

/** Told the name of a file that takes long to load. */
type SlowLoad = (file: string) => void;

/** Checks files of any kind that a workspace has; folders too. */
export async function checkFiles(files: readonly string[], onSlowLoad: SlowLoad): Promise<Checked> {
  const checks: Checked[] = [];
  const worlds = new Map<string, Promise<ChainWorld>>();
  for (const file of new Set(files.map((name) => resolve(name)))) {
    checks.push(await checkPath(file, { onSlowLoad, worlds }));
  }
  return {
    problems: eachOnce(checks.flatMap(({ problems }) => problems)),
    tools: checks.flatMap(({ tools }) => tools),
    chains: checks.flatMap(({ chains }) => chains),
    files: checks.length,
  };
}

/** A file of tools that was not loaded is told about once, whoever needs it, and not beside what is wrong with it. */
function eachOnce(problems: readonly Problem[]): readonly Problem[] {
  const told = new Set(problems.flatMap(({ code, file }) => (code === unloadedTool ? [] : [file])));
  return problems.filter(({ code, file }) => code !== unloadedTool || (told.has(file) ? false : told.add(file)));
}

interface Shared {
  readonly onSlowLoad: SlowLoad;
  /** What the chains of a workspace may call, loaded once for all of its files. */
  readonly worlds: Map<string, Promise<ChainWorld>>;
}

/** A workspace, with what is loaded of it once for all files. */
interface Place extends Setting {
  readonly world: () => Promise<ChainWorld>;
}

async function checkPath(path: string, { onSlowLoad, worlds }: Shared): Promise<Checked> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) throw new UsageError(`there is no file ${JSON.stringify(path)}`);
  const dir = await workspaceOf(path, found.isDirectory());
  if (basename(path) === workspaceFile) return await checkSettings(path, onSlowLoad);
  const { config } = await readSettings(dir);
  const setting = { dir, config, onSlowLoad };
  const world = (): Promise<ChainWorld> => {
    const known = worlds.get(dir) ?? chainWorld(setting);
    worlds.set(dir, known);
    return known;
  };
  const place: Place = { ...setting, world };
  if (isMcpConfig(path)) return await checkServers(path, setting);
  if (isOfOtherSource(path, setting)) return await checkSource(path, place);
  return found.isDirectory() ? await checkFolder(path, place) : await checkFile(path, place);
}

/** The settings, which speak of tools and chains: what they say is held against all that there is. */
async function checkSettings(path: string, onSlowLoad: SlowLoad): Promise<Checked> {
  const { problems } = await checkWorkspace(dirname(path), onSlowLoad);
  return { ...nothing, problems: problems.filter(({ file }) => file === path) };
}

/** A file of MCP servers. It is about the workspace that it lies in, also where that has no settings. */
async function checkServers(path: string, setting: Setting): Promise<Checked> {
  const dir = dirname(path);
  const { loadServers } = await import("./check-sources.ts");
  const mcp = await loadServers({ ...setting, dir }, new ToolRegistry());
  return { ...nothing, problems: absolute(mcp.problems(), dir).filter(({ file }) => file === path) };
}

/** Does something belong to the skills, or to the contracts of capabilities? */
function isOfOtherSource(path: string, { dir, config: { engine, chains, skills, capabilities } }: Setting): boolean {
  const isIn = (folder: string): boolean => isBelow(path, join(dir, folder));
  if (isIn(engine.toolsDirectory) || isIn(chains.directory)) return false;
  return isIn(skills.directory) || isIn(capabilities.directory);
}

/** They are loaded as the workspace loads them: code beside skills runs only where it says so. */
async function checkSource(path: string, { dir, world }: Place): Promise<Checked> {
  const { sourceProblems, toolProblems, unmatched } = await world();
  const found = hasErrors(toolProblems) ? sourceProblems : [...sourceProblems, ...unmatched()];
  return { ...nothing, problems: absolute(found, dir).filter(({ file }) => isBelow(file, path)) };
}

/**
 * The workspace that something is judged by: the nearest with settings above it. A file that lies in none is judged by
 * the workspace here, as `run FILE` does; a folder that lies in none is one of its own, unless it lies here.
 */
async function workspaceOf(path: string, isFolder: boolean): Promise<string> {
  const nearest = await findWorkspace(isFolder ? path : dirname(path));
  if (await exists(join(nearest, workspaceFile))) return nearest;
  const here = await findWorkspace(".");
  return !isFolder || isBelow(path, here) ? here : nearest;
}

const nothing: Checked = { problems: [], tools: [], chains: [] };

/** The workspace itself, its chains, or any folder of tools and chains. */
async function checkFolder(folder: string, place: Place): Promise<Checked> {
  if (folder === place.dir) return await checkWorkspace(folder, place.onSlowLoad);
  if (isBelow(folder, chainsOf(place))) {
    const checked = checkChainFolder(await place.world(), place.dir);
    return {
      ...checked,
      problems: checked.problems.filter(({ code, file }) => code === unloadedTool || isBelow(file, folder)),
    };
  }
  const chains = await chainFilesIn(folder, place);
  const tools = await checkToolFolder(folder, place);
  const files = new Set(chains.map(({ file }) => file));
  const checks = await Promise.all(chains.map((source) => checkChain(source, place)));
  return {
    problems: eachOnce([
      ...tools.problems.filter(({ file }) => !files.has(file)),
      ...checks.flatMap(({ problems }) => problems),
    ]),
    tools: tools.tools,
    chains: checks.flatMap((check) => check.chains),
  };
}

async function chainFilesIn(folder: string, { dir }: Setting): Promise<SourceFile[]> {
  const { files } = await scanFolder(folder, dir);
  const read = files.map(async ({ kind, path }): Promise<SourceFile[]> => {
    const text = kind === "yaml" ? await readText({ path, name: path }) : undefined;
    if (text?.problem !== undefined || text === undefined) return [];
    return isChainText(text.source, false) ? [{ text: text.source, file: path }] : [];
  });
  return (await Promise.all(read)).flat();
}

interface SourceFile {
  readonly text: string;
  readonly file: string;
}

function chainsOf({ dir, config }: Setting): string {
  return join(dir, config.chains.directory);
}

function checkChainFolder({ library, folder, toolProblems }: ChainWorld, dir: string): Checked {
  const problems = absolute(withUnloadedTools(folder.problems(), toolProblems), dir);
  const own = library.names().filter((name) => folder.fileOf(name) !== undefined);
  return { ...nothing, problems, chains: own.filter((name) => !hasErrors(library.problems(name))) };
}

async function checkToolFolder(
  folder: string,
  setting: Setting,
): Promise<Checked & { readonly loaded: readonly AnyTool[] }> {
  const { tools, problems } = await loadTools(folder, setting);
  const names = tools.map(({ name }) => name);
  return { ...nothing, problems: absolute(problems, setting.dir), tools: names, loaded: tools };
}

async function checkFile(path: string, place: Place): Promise<Checked> {
  const kind = kindOf(path);
  const text = kind === "yaml" ? await readText({ path, name: path }) : undefined;
  const source = text?.problem === undefined ? text?.source : undefined;
  const stray = source === undefined ? undefined : noFileOfOurs(source, path);
  if (stray !== undefined) return { ...nothing, problems: [stray] };
  if (source !== undefined && isChainText(source, isBelow(path, chainsOf(place)))) {
    return await checkChain({ text: source, file: path }, place);
  }
  const { loadToolsIn } = await import("./check-tools.ts");
  // What a tool from elsewhere names beside it lies beside it.
  const dir = isBelow(path, place.dir) ? place.dir : dirname(path);
  const { tools, problems } = await loadToolsIn(path, kind, { ...place, dir });
  return { ...nothing, problems, tools: tools.map(({ name }) => name) };
}

function kindOf(path: string): "yaml" | "code" {
  if (/\.ya?ml$/i.test(path)) return "yaml";
  if (/\.(?:ts|mts|js|mjs)$/.test(path)) return "code";
  throw new UsageError(
    `${JSON.stringify(path)} is no file of a workspace`,
    `chains are .yaml or .yml files, tools too, or .ts, .mts, .js or .mjs; settings are in ${workspaceFile} and mcp.json`,
  );
}

/** All files of a workspace are maps; what is none is told as that, whatever it was meant to be. */
function noFileOfOurs(text: string, file: string): Problem | undefined {
  // Nearly always a line tells, and a whole parse comes later.
  if (/^[\w"'][^\n]*:(?:\s|$)/m.test(text)) return undefined;
  const { value, problems } = parseYaml(text, { file, maxBytes: 1024 * 1024 });
  if (isMap(value) || hasErrors(problems)) return undefined;
  const what = value === null || value === undefined ? "is empty" : Array.isArray(value) ? "is a list" : "is one value";
  const message = `the file ${what}: it is neither a tool, a chain nor a workspace file`;
  const hint = "a tool begins with name, description and entry, a chain with name and steps";
  return { severity: "error", code: "unknown_file", message, hint, file, line: 1, column: 1 };
}

async function checkChain(source: SourceFile, place: Place): Promise<Checked> {
  const { library, provideFor, toolProblems, sourceProblems } = await place.world();
  await provideFor([source.text]);
  const { plan, problems: found } = planFile(source, library.context);
  const problems = withUnloadedTools(found, absolute([...toolProblems, ...sourceProblems], place.dir));
  return { ...nothing, problems, chains: plan === undefined ? [] : [plan.name] };
}

function absolute(problems: readonly Problem[], dir: string): Problem[] {
  return problems.map((problem) => ({ ...problem, file: resolve(dir, problem.file) }));
}

/** A path as programs read it: relative to here, with `/` on every system. */
export function portablePath(path: string): string {
  return relative(process.cwd(), path).split(sep).join("/");
}
