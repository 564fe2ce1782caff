import { stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { type WorkspaceConfig, findWorkspace, readSettings, unmatchedRules, workspaceFile } from "../app/index.ts";
import { builtinTools } from "../builtin/index.ts";
import { type ToolFileWorld, createToolFolder, loadToolFile } from "../hub/index.ts";
import type { Door } from "../net/index.ts";
import { type Problem, hasErrors } from "../text/index.ts";
import { type AnyTool, type ToolLookup, ToolRegistry } from "../tool/index.ts";
import { UsageError } from "./usage-error.ts";

/** What a check found. Files of problems are absolute. */
export interface Checked {
  readonly problems: readonly Problem[];
  /** Names of the tools that can be used. */
  readonly tools: readonly string[];
  /** How many files were looked at; undefined where a folder was. */
  readonly files?: number;
}

/** Checks `windlass.yaml` and every tool of the workspace that a folder belongs to. Nothing is called or written. */
export async function checkWorkspace(from: string, onSlowLoad: SlowLoad): Promise<Checked> {
  const dir = await findWorkspace(from);
  const settings = await readSettings(dir);
  const { config } = settings;
  const folder = await checkFolder(join(dir, config.engine.toolsDirectory), { dir, config, onSlowLoad });
  const problems = [...absolute(settings.problems, dir), ...folder.problems];
  // A tool that a rule names may be in a file that is broken.
  const unmatched = hasErrors(problems) ? [] : unmatchedRules(settings, () => [...makeBuiltins(), ...folder.loaded]);
  return { problems: [...problems, ...absolute(unmatched, dir)], tools: folder.tools };
}

/** Told the name of a file that takes long to load. */
type SlowLoad = (file: string) => void;

/** Checks files of any kind that a workspace has; folders of tools too. */
export async function checkFiles(files: readonly string[], onSlowLoad: SlowLoad): Promise<Checked> {
  const checks: Checked[] = [];
  for (const file of new Set(files.map((name) => resolve(name)))) checks.push(await checkPath(file, onSlowLoad));
  return {
    problems: checks.flatMap(({ problems }) => problems),
    tools: checks.flatMap(({ tools }) => tools),
    files: checks.length,
  };
}

async function checkPath(path: string, onSlowLoad: SlowLoad): Promise<Checked> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) throw new UsageError(`there is no file ${JSON.stringify(path)}`);
  const dir = await findWorkspace(found.isDirectory() ? path : dirname(path));
  const { config, problems } = await readSettings(dir);
  if (basename(path) === workspaceFile) return { problems: absolute(problems, dir), tools: [] };
  const setting = { dir, config, onSlowLoad };
  return found.isDirectory() ? await checkFolder(path, setting) : await checkFile(path, setting);
}

interface Setting {
  readonly dir: string;
  readonly config: WorkspaceConfig;
  readonly onSlowLoad: SlowLoad;
}

async function checkFolder(
  folder: string,
  setting: Setting,
): Promise<Checked & { readonly loaded: readonly AnyTool[] }> {
  const registry = new ToolRegistry();
  const tools = createToolFolder({ ...worldOf(setting), dir: folder, registry });
  await tools.load();
  await tools.close();
  const loaded = registry.list().map(({ tool }) => tool);
  const names = loaded.map(({ name }) => name);
  return { problems: absolute(tools.problems(), setting.dir), tools: names, loaded };
}

async function checkFile(path: string, setting: Setting): Promise<Checked> {
  const kind = /\.ya?ml$/i.test(path) ? "yaml" : /\.(?:ts|mts|js|mjs)$/.test(path) ? "code" : undefined;
  if (kind === undefined) {
    throw new UsageError(
      `${JSON.stringify(path)} is no file of a workspace`,
      `tools are .yaml, .yml, .ts, .mts, .js or .mjs files; settings are in ${workspaceFile}`,
    );
  }
  const { tools, problems } = await loadToolFile({ path, name: path, kind }, worldOf(setting));
  const names = tools.map(({ name }) => name);
  const empty = tools.length === 0 && problems.length === 0;
  return { problems: empty ? [noTool(path)] : problems, tools: names };
}

function noTool(file: string): Problem {
  return {
    severity: "warning",
    code: "no_tool",
    message: "the module exports no tool",
    hint: "export what defineTool() gives, or name the module in the `entry` of a YAML tool",
    file,
    line: 1,
    column: 1,
  };
}

function worldOf({ dir, config, onSlowLoad }: Setting): ToolFileWorld {
  return { root: dir, executors: builtinExecutors(), secretNames: Object.keys(config.secrets), onSlowLoad };
}

function makeBuiltins(): readonly AnyTool[] {
  return builtinTools({ door: shutDoor });
}

/** The built-in tools, made when a file names one: most files do not. */
function builtinExecutors(): ToolLookup {
  let made: ToolRegistry | undefined;
  const registry = (): ToolRegistry => {
    if (made === undefined) {
      made = new ToolRegistry();
      for (const tool of makeBuiltins()) made.register(tool);
    }
    return made;
  };
  return { get: (name) => registry().get(name), names: () => registry().names() };
}

/** Checking calls nothing, so nothing goes out. */
const shutDoor: Door = {
  request: () => Promise.reject(new Error("a check sends no requests")),
  close: () => Promise.resolve(),
};

function absolute(problems: readonly Problem[], dir: string): Problem[] {
  return problems.map((problem) => ({ ...problem, file: resolve(dir, problem.file) }));
}

/** A path as programs read it: relative to here, with `/` on every system. */
export function portablePath(path: string): string {
  return relative(process.cwd(), path).split(sep).join("/");
}
