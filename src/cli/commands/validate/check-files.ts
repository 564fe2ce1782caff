import { stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import {
  type Settings,
  type TrustOptions,
  type Workspace,
  pathExists,
  findIgnoredFiles,
  findWorkspace,
  listsTools,
  openTrust,
  planFile,
  readSettings,
  triggerProblems,
  unloadedTool,
  unmatchedSettings,
  withUnloadedTools,
  workspaceFile,
} from "../../../app/index.ts";
import { isInsideFolder } from "../../../base/index.ts";
import type { Plan } from "../../../chain/index.ts";
import { builtinToolNames } from "../../../builtin/index.ts";
import { hubToolNames, isMcpConfig, readText, scanFolder } from "../../../hub/index.ts";
import { isRecord } from "../../../schema/index.ts";
import { type Problem, hasErrors, onePerCause, parseYaml } from "../../../text/index.ts";
import { type AnyTool, ToolRegistry } from "../../../tool/index.ts";
import { type ChainCheckDeps, type CheckContext, loadChainCheckDeps, loadTools } from "./check-deps.ts";
import { UsageError } from "../../program/usage-error.ts";

/** Result of a check. Files of problems are absolute. */
export interface Checked {
  readonly problems: readonly Problem[];
  /** Names of the valid tools. */
  readonly tools: readonly string[];
  /** Names of the valid chains. */
  readonly chains: readonly string[];
  /** Steps that let untrusted content decide a target, each in a sentence. */
  readonly allowed?: readonly string[];
  /** Number of checked files; undefined if a folder was checked. */
  readonly files?: number;
}

/** Checks `windlass.yaml` and every tool and chain of the workspace of a folder. Calls and writes nothing. */
export async function checkWorkspace(from: string, options: CheckOptions): Promise<Checked> {
  const dir = await findWorkspace(from);
  const settings = await readSettings(dir);
  const setting = await contextOf(dir, settings, options);
  const tools = await loadTools(join(dir, setting.config.engine.toolsDirectory), setting);
  const world = await loadChainCheckDeps(setting, tools);
  const chains = checkChainFolder(world, dir);
  const ignored = await findIgnoredFiles(dir, setting.config);
  const own = [...settings.problems, ...ignored, ...tools.problems, ...world.sourceProblems];
  const problems = eachOnce([...absolute(own, dir), ...chains.problems]);
  // Aliases and capabilities are only known for loaded tools.
  if (listsTools(settings.config)) await world.provideFor(["capability:"]);
  const known = (): readonly Pick<AnyTool, "name" | "aliases">[] => {
    const loaded = [...tools.tools, ...world.tools()];
    const otherNames = new Set(loaded.flatMap(({ aliases }) => aliases));
    const names = [...builtinToolNames, ...hubToolNames, ...world.library.names()];
    return [...loaded, ...names.filter((name) => !otherNames.has(name)).map((name) => ({ name, aliases: [] }))];
  };
  // A tool that a rule names may be in a broken file.
  const unmatched = hasErrors(problems)
    ? []
    : [
        ...unmatchedSettings(settings, { ...world, tools: known, servers: () => world.servers }),
        ...world.unmatched(),
        ...triggerProblems(settings, world.library),
      ];
  const names = tools.tools.map(({ name }) => name);
  return { ...chains, problems: [...problems, ...absolute(unmatched, dir)], tools: names };
}

/** Options of a check. */
export interface CheckOptions extends Pick<CheckContext, "onSlowLoad"> {
  readonly trust: TrustOptions;
  /** Called with each workspace and its parts that are not trusted. */
  readonly onUntrusted: (workspace: Pick<Workspace, "dir" | "untrusted">) => void;
}

async function contextOf(
  dir: string,
  settings: Settings,
  { onSlowLoad, onUntrusted, ...options }: CheckOptions,
): Promise<CheckContext> {
  const trust = await openTrust({ dir, settings, env: process.env }, options.trust);
  onUntrusted({ dir, untrusted: trust.untrusted });
  return { dir, config: trust.config, trust, onSlowLoad };
}

/** Checks files of any kind in a workspace, and folders. */
export async function checkFiles(files: readonly string[], options: CheckOptions): Promise<Checked> {
  const checks: Checked[] = [];
  const worlds = new Map<string, Promise<ChainCheckDeps>>();
  for (const file of new Set(files.map((name) => resolve(name)))) {
    checks.push(await checkPath(file, options, worlds));
  }
  return {
    problems: eachOnce(checks.flatMap(({ problems }) => problems)),
    tools: checks.flatMap(({ tools }) => tools),
    chains: checks.flatMap(({ chains }) => chains),
    allowed: checks.flatMap(({ allowed = [] }) => allowed),
    files: checks.length,
  };
}

/**
 * Reports a tool file that failed to load only once, even if several chains need it, and not in addition to its own
 * problems.
 */
function eachOnce(problems: readonly Problem[]): readonly Problem[] {
  const report = new Set(problems.flatMap(({ code, file }) => (code === unloadedTool ? [] : [file])));
  return onePerCause(problems).filter(
    ({ code, file }) => code !== unloadedTool || (report.has(file) ? false : report.add(file)),
  );
}

/** A workspace, with its dependencies loaded once for all files. */
interface CheckedWorkspace extends CheckContext {
  readonly options: CheckOptions;
  readonly world: () => Promise<ChainCheckDeps>;
}

/** Checks a file or a folder. `worlds` are the dependencies of the chains of a workspace, loaded once for all of its files. */
async function checkPath(
  path: string,
  options: CheckOptions,
  worlds: Map<string, Promise<ChainCheckDeps>>,
): Promise<Checked> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) throw new UsageError(`file not found: ${JSON.stringify(path)}`);
  const dir = await workspaceOf(path, found.isDirectory());
  if (basename(path) === workspaceFile) return await checkSettings(path, options);
  const setting = await contextOf(dir, await readSettings(dir), options);
  const world = (): Promise<ChainCheckDeps> => {
    const known = worlds.get(dir) ?? loadChainCheckDeps(setting);
    worlds.set(dir, known);
    return known;
  };
  const checkedWorkspace: CheckedWorkspace = { ...setting, options, world };
  if (isMcpConfig(path)) return await checkServers(path, setting);
  if (isOfOtherSource(path, setting)) return await checkSource(path, checkedWorkspace);
  return found.isDirectory() ? await checkFolder(path, checkedWorkspace) : await checkFile(path, checkedWorkspace);
}

/** Settings refer to tools and chains, so they are checked against the whole workspace. */
async function checkSettings(path: string, options: CheckOptions): Promise<Checked> {
  const { problems } = await checkWorkspace(dirname(path), options);
  return { ...nothing, problems: problems.filter(({ file }) => file === path) };
}

/** Checks an MCP configuration file. It belongs to the workspace of its folder, even if that has no settings. */
async function checkServers(path: string, setting: CheckContext): Promise<Checked> {
  const dir = dirname(path);
  const { loadServers } = await import("./check-sources.ts");
  const mcp = await loadServers({ ...setting, dir }, new ToolRegistry());
  return { ...nothing, problems: absolute(mcp.problems(), dir).filter(({ file }) => file === path) };
}

/** True if the file belongs to the skills, or to the contracts of capabilities. */
function isOfOtherSource(
  path: string,
  { dir, config: { engine, chains, skills, capabilities } }: CheckContext,
): boolean {
  const isIn = (folder: string): boolean => isInsideFolder(path, join(dir, folder));
  if (isIn(engine.toolsDirectory) || isIn(chains.directory)) return false;
  return isIn(skills.directory) || isIn(capabilities.directory);
}

/**
 * Skills and contracts are loaded as the workspace loads them: code next to skills runs only if the settings allow it.
 */
async function checkSource(path: string, { dir, world }: CheckedWorkspace): Promise<Checked> {
  const { sourceProblems, toolProblems, unmatched } = await world();
  const found = hasErrors(toolProblems) ? sourceProblems : [...sourceProblems, ...unmatched()];
  return { ...nothing, problems: absolute(found, dir).filter(({ file }) => isInsideFolder(file, path)) };
}

/**
 * The workspace to check something against: the nearest one with settings above it. A file outside of any workspace is
 * checked against the current one, as in `run FILE`; such a folder is a workspace of its own, unless it is inside the
 * current folder.
 */
async function workspaceOf(path: string, isFolder: boolean): Promise<string> {
  const nearest = await findWorkspace(isFolder ? path : dirname(path));
  if (await pathExists(join(nearest, workspaceFile))) return nearest;
  const here = await findWorkspace(".");
  return !isFolder || isInsideFolder(path, here) ? here : nearest;
}

const nothing: Checked = { problems: [], tools: [], chains: [] };

/** Checks the workspace itself, its chains, or any folder of tools and chains. */
async function checkFolder(folder: string, checkedWorkspace: CheckedWorkspace): Promise<Checked> {
  if (folder === checkedWorkspace.dir) return await checkWorkspace(folder, checkedWorkspace.options);
  if (isInsideFolder(folder, chainsOf(checkedWorkspace))) {
    const checked = checkChainFolder(await checkedWorkspace.world(), checkedWorkspace.dir);
    const own = checked.problems.filter(({ code, file }) => code === unloadedTool || isInsideFolder(file, folder));
    return { ...checked, problems: eachOnce([...(await ignoredIn(folder, checkedWorkspace)), ...own]) };
  }
  // A chain in the folder of tools is an error, which the loader of tools reports.
  const isToolFolder = isInsideFolder(folder, toolsOf(checkedWorkspace));
  const chains = isToolFolder ? [] : await chainFilesIn(folder, checkedWorkspace);
  const tools = await checkToolFolder(folder, checkedWorkspace);
  const files = new Set(chains.map(({ file }) => file));
  const checks = await Promise.all(chains.map((source) => checkChain(source, checkedWorkspace)));
  return {
    problems: eachOnce([
      ...(await ignoredIn(folder, checkedWorkspace)),
      ...tools.problems.filter(({ file }) => !files.has(file)),
      ...checks.flatMap(({ problems }) => problems),
    ]),
    tools: tools.tools,
    chains: checks.flatMap((check) => check.chains),
  };
}

async function chainFilesIn(folder: string, { dir }: CheckContext): Promise<SourceFile[]> {
  const { files } = await scanFolder(folder, dir);
  const read = files.map(async ({ kind, path }): Promise<SourceFile[]> => {
    const text = kind === "yaml" ? await readText({ path, name: path }) : undefined;
    if (text?.problem !== undefined || text === undefined) return [];
    return isChainText(text.source) ? [{ text: text.source, file: path }] : [];
  });
  return (await Promise.all(read)).flat();
}

interface SourceFile {
  readonly text: string;
  readonly file: string;
}

function chainsOf({ dir, config }: CheckContext): string {
  return join(dir, config.chains.directory);
}

function toolsOf({ dir, config }: CheckContext): string {
  return join(dir, config.engine.toolsDirectory);
}

/** Files of a folder that the workspace ignores. */
async function ignoredIn(folder: string, { dir, config }: CheckContext): Promise<Problem[]> {
  const found = absolute(await findIgnoredFiles(dir, config), dir);
  return found.filter(({ file }) => isInsideFolder(file, folder));
}

function checkChainFolder({ library, folder, toolProblems }: ChainCheckDeps, dir: string): Checked {
  const problems = absolute(withUnloadedTools(folder.problems(), toolProblems), dir);
  const own = library.names().filter((name) => folder.fileOf(name) !== undefined);
  const chains = own.filter((name) => !hasErrors(library.problems(name)));
  return { ...nothing, problems, chains, allowed: chains.flatMap((name) => allowedIn(library.plan(name))) };
}

async function checkToolFolder(folder: string, setting: CheckContext): Promise<Checked> {
  const { tools, problems } = await loadTools(folder, setting);
  return { ...nothing, problems: absolute(problems, setting.dir), tools: tools.map(({ name }) => name) };
}

async function checkFile(path: string, checkedWorkspace: CheckedWorkspace): Promise<Checked> {
  const kind = kindOf(path);
  const text = kind === "yaml" ? await readText({ path, name: path }) : undefined;
  const source = text?.problem === undefined ? text?.source : undefined;
  const stray = source === undefined ? undefined : noFileOfOurs(source, path);
  if (stray !== undefined) return { ...nothing, problems: [stray] };
  if (source !== undefined && isChainFile({ text: source, file: path }, checkedWorkspace)) {
    return await checkChain({ text: source, file: path }, checkedWorkspace);
  }
  const { loadToolsIn } = await import("./check-tools.ts");
  // Paths in a tool from elsewhere are relative to its file.
  const dir = isInsideFolder(path, checkedWorkspace.dir) ? checkedWorkspace.dir : dirname(path);
  const { tools, problems } = await loadToolsIn(path, kind, { ...checkedWorkspace, dir });
  return { ...nothing, problems: absolute(problems, dir), tools: tools.map(({ name }) => name) };
}

function kindOf(path: string): "yaml" | "code" {
  if (/\.ya?ml$/i.test(path)) return "yaml";
  if (/\.(?:ts|mts|js|mjs)$/.test(path)) return "code";
  throw new UsageError(
    `${JSON.stringify(path)} is not a file of a workspace`,
    `chains are .yaml or .yml files; tools are .yaml, .yml, .ts, .mts, .js or .mjs files; settings are in ${workspaceFile} and mcp.json`,
  );
}

/** All files of a workspace are maps; anything else is reported as such. */
function noFileOfOurs(text: string, file: string): Problem | undefined {
  // Nearly always one line is enough to decide; the full parse comes later.
  if (/^[\w"'][^\n]*:(?:\s|$)/m.test(text)) return undefined;
  const { value, problems } = parseYaml(text, { file, maxBytes: 1024 * 1024 });
  if (isRecord(value) || hasErrors(problems)) return undefined;
  const reason =
    value === null || value === undefined ? "is empty" : Array.isArray(value) ? "is a list" : "is a single value";
  const message = `the file ${reason}: it is neither a tool, a chain nor a workspace file`;
  const hint = "a tool has name, description and entry; a chain has name and steps";
  return { severity: "error", code: "unknown_file", message, hint, file, line: 1, column: 1 };
}

async function checkChain(source: SourceFile, checkedWorkspace: CheckedWorkspace): Promise<Checked> {
  const { library, provideFor, toolProblems, sourceProblems } = await checkedWorkspace.world();
  await provideFor([source.text]);
  const { plan, problems: found } = planFile(source, library.context);
  const { dir } = checkedWorkspace;
  const problems = withUnloadedTools(absolute(found, dir), absolute([...toolProblems, ...sourceProblems], dir));
  return plan === undefined
    ? { ...nothing, problems }
    : { ...nothing, problems, chains: [plan.name], allowed: allowedIn(plan) };
}

/** The steps of a chain that let untrusted content decide a target. */
function allowedIn({ name, spec }: Plan): string[] {
  return spec.steps.flatMap(({ id, untrusted = {} }) => {
    const kinds = Object.keys(untrusted);
    return kinds.length === 0 ? [] : [`${name}: untrusted content may decide the ${kinds.join(" and ")} of step ${id}`];
  });
}

function absolute(problems: readonly Problem[], dir: string): Problem[] {
  return problems.map(({ cause, ...problem }) => ({
    ...problem,
    file: resolve(dir, problem.file),
    ...(cause !== undefined && { cause: resolve(dir, cause) }),
  }));
}

/** A path for JSON output: relative to the current folder, with `/` on every system. */
export function portablePath(path: string): string {
  return relative(process.cwd(), path).split(sep).join("/");
}

/** A problem for JSON output. */
export function portableProblem({ file, cause, ...problem }: Problem): Problem {
  return { ...problem, file: portablePath(file), ...(cause !== undefined && { cause: portablePath(cause) }) };
}

/** True if this is a chain. In the folders of chains and of tools, the folder decides. */
function isChainFile({ text, file }: SourceFile, context: CheckContext): boolean {
  if (isInsideFolder(file, chainsOf(context))) return true;
  return !isInsideFolder(file, toolsOf(context)) && isChainText(text);
}

const chainKey = /^(?:steps|"steps"|'steps')[ \t]*:/m;
const toolKey = /^(?:entry|parameters|"entry"|'entry')[ \t]*:/m;

/**
 * True if this is the text of a chain rather than of a tool: a chain has `steps`. Decided by a text match if possible,
 * since the full parse comes later.
 */
function isChainText(text: string): boolean {
  if (chainKey.test(text)) return true;
  if (toolKey.test(text)) return false;
  const { value } = parseYaml(text, { file: "", maxBytes: 1024 * 1024 });
  return isRecord(value) && Object.hasOwn(value, "steps");
}
