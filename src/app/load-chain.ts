import { stat } from "node:fs/promises";
import { relative, resolve, sep } from "node:path";
import { type FailureError, fail, isInsideFolder, cliCommand } from "../base/index.ts";
import {
  ChainError,
  type ChainFileLookup,
  type ChainLibrary,
  type Plan,
  type ChainLibrarySource,
  parseChain,
  isChainError,
} from "../chain/index.ts";
import type { Resolver } from "../engine/index.ts";
import { readText } from "../hub/index.ts";
import { type Problem, hasErrors, suggest } from "../text/index.ts";
import { chainNameIn } from "./chain-file.ts";
import type { ChainFolder } from "./chain-folder.ts";
import { planFile } from "./plan-file.ts";
import type { ChainText } from "./read-sent-secrets.ts";
import { withUnloadedTools } from "./unloaded-tools.ts";

/** Dependencies for finding chains. */
export interface ChainLookup {
  /** The workspace. */
  readonly dir: string;
  readonly library: ChainLibrary;
  readonly folder: ChainFolder;
  readonly tools: Resolver;
  /** Problems in the files of tools. */
  readonly toolProblems: () => readonly Problem[];
  /** Files that look like chains and are not loaded. */
  readonly ignoredFiles?: () => Promise<readonly Problem[]>;
  /** Returns why a chain in another folder is not run; undefined if it may be. */
  readonly refuses?: (chain: ChainText) => Promise<FailureError | undefined>;
  /** Receives the file of each plan that was read outside the folder, relative to the workspace if it is inside. */
  readonly files?: WeakMap<Plan, string>;
}

/** Options for loading a chain. */
export interface LoadChainOptions {
  /** Called before planning with all names that the chain calls, directly or through other chains. */
  readonly beforePlan?: (names: ReadonlySet<string>) => Promise<void>;
}

/**
 * Returns the plan of a chain of the workspace, by name, or of any chain file, by its path from here or from the
 * workspace. Throws with all its problems, or with a suggestion.
 */
export async function loadChain(
  nameOrFile: string,
  lookup: ChainLookup,
  options: LoadChainOptions = {},
): Promise<Plan> {
  const { library, dir } = lookup;
  if (library.has(nameOrFile)) {
    await prepare(library.sourceOf(nameOrFile), lookup, options);
    return planOf(nameOrFile, lookup);
  }
  const path = await findFile(nameOrFile, dir);
  if (path === undefined) throw await chainNotFoundFailure(nameOrFile, lookup);
  const file = isInsideFolder(path, dir) ? relative(dir, path).split(sep).join("/") : path;
  if (codeFile.test(file)) throw notAChain(`${JSON.stringify(file)} is code, not a chain; chains are YAML files`);
  const read = await readText({ path, name: file });
  if (read.problem !== undefined) throw new ChainError([read.problem], undefined);
  const source = { text: read.source, file };
  const refusal = await lookup.refuses?.(source);
  if (refusal !== undefined) throw refusal;
  await prepare(source, lookup, options);
  return planText(source, lookup);
}

async function prepare(
  source: Source | undefined,
  { library, folder }: ChainLookup,
  { beforePlan }: LoadChainOptions,
): Promise<void> {
  if (beforePlan === undefined || source === undefined) return;
  await beforePlan(namedTools(source, library));
  folder.refresh();
}

/** Plans a file, which may belong to the library. */
function planText({ text, file }: ChainText, lookup: ChainLookup): Plan {
  // The name of the library's chain with exactly this text, which is planned only once.
  const known = lookup.library.names().find((name) => {
    const source = lookup.folder.fileOf(name) === file ? lookup.library.sourceOf(name) : undefined;
    return source !== undefined && "text" in source && source.text === text;
  });
  if (known !== undefined) return planOf(known, lookup);
  // Tools have an `entry`, and chains have `steps`.
  if (/^entry[ \t]*:/m.test(text) && !/^steps[ \t]*:/m.test(text)) {
    const name = chainNameIn(text, file) ?? "NAME";
    throw notAChain(`${JSON.stringify(file)} is a tool, not a chain; ${cliCommand(`call ${name}`)} calls it`);
  }
  const { plan, problems } = planFile({ text, file }, lookup.library.context);
  if (plan !== undefined && !hasErrors(problems)) {
    lookup.files?.set(plan, file);
    return plan;
  }
  throw new ChainError(withUnloadedTools(problems, lookup.toolProblems()), text);
}

/** Plans a chain of the library. */
function planOf(name: string, { library, toolProblems }: ChainLookup): Plan {
  try {
    return library.plan(name);
  } catch (error) {
    if (!isChainError(error)) throw error;
    const problems = withUnloadedTools(error.problems, toolProblems());
    if (problems.length === error.problems.length) throw error;
    const source = library.sourceOf(name);
    throw new ChainError(problems, source !== undefined && "text" in source ? source.text : undefined);
  }
}

const codeFile = /\.[cm]?[jt]s$/i;

function notAChain(message: string): Error {
  return fail(message, { code: "tool_not_found", reason: "not_a_chain" });
}

/** The file references that runs store for chains that come from a file, and how such a file is found again. */
export function chainFiles(lookup: ChainLookup): ChainFileLookup {
  const { dir, folder, files } = lookup;
  return {
    fileOf: (plan) => files?.get(plan),
    load: async (file) => {
      const path = resolve(dir, file);
      if (!(await isFile(path))) return undefined;
      folder.refresh();
      return loadChain(path, lookup);
    },
  };
}

async function findFile(name: string, dir: string): Promise<string | undefined> {
  for (const path of new Set([resolve(name), resolve(dir, name)])) if (await isFile(path)) return path;
  return undefined;
}

async function isFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true;
}

async function chainNotFoundFailure(name: string, lookup: ChainLookup): Promise<Error> {
  const { dir, library, folder, tools } = lookup;
  const shown = JSON.stringify(name);
  if (/[/\\]|\.ya?ml$/i.test(name)) {
    return fail(`there is no file ${shown}; give the path of a chain, or its name`, {
      code: "file_invalid",
      reason: "no_file",
    });
  }
  if (tools.resolve(name) !== undefined)
    return notAChain(`${shown} is a tool, not a chain; ${cliCommand(`call ${name}`)} calls it`);
  const names = library.names();
  const ofFile = names.find((chain) => fileStem(folder.fileOf(chain)) === name);
  const ignored = await ignoredFileOf(name, lookup);
  if (ignored !== undefined) {
    const message = `there is no chain named ${shown}; ${ignored.file} is ignored, ${ignored.hint}`;
    return fail(message, { code: "tool_not_found", reason: "unknown_chain" });
  }
  const near = ofFile ?? (await findFileWithExtension(name, dir)) ?? suggest(name, names);
  const hint = near === undefined ? `${cliCommand("chains")} lists the names` : `did you mean ${JSON.stringify(near)}?`;
  return fail(`there is no chain named ${shown}; ${hint}`, { code: "tool_not_found", reason: "unknown_chain" });
}

/** The file of a chain that is not loaded: it has the chain's name in its own name or in its text. */
async function ignoredFileOf(name: string, { dir, ignoredFiles }: ChainLookup): Promise<Problem | undefined> {
  const ignored = (await ignoredFiles?.()) ?? [];
  const ofFile = ignored.find(({ file }) => /([^/]+?)(?:\.\w+)+$/.exec(file)?.[1] === name);
  if (ofFile !== undefined) return ofFile;
  for (const problem of ignored) {
    if (problem.code !== "ignored_file") continue;
    const read = await readText({ path: resolve(dir, problem.file), name: problem.file });
    if (read.problem === undefined && chainNameIn(read.source, problem.file) === name) return problem;
  }
  return undefined;
}

/** The file of that name with an extension, if the user omitted it. */
async function findFileWithExtension(name: string, dir: string): Promise<string | undefined> {
  for (const file of [`${name}.yaml`, `${name}.yml`]) if ((await findFile(file, dir)) !== undefined) return file;
  return undefined;
}

/** Lets users name `chains/deep/hello.yaml` as `hello`. */
function fileStem(file: string | undefined): string | undefined {
  return file === undefined ? undefined : /([^/]+)\.ya?ml$/i.exec(file)?.[1];
}

/** A chain of a library, or in a separate file. */
type Source = ChainLibrarySource | ChainText;

/** Names of the tools and chains that a chain calls, directly or through other chains, whether they exist or not. */
function namedTools(source: Source, library: ChainLibrary): ReadonlySet<string> {
  const names = new Set(namesIn(source));
  // The loop also visits names added during the iteration.
  for (const name of names) {
    const chain = library.sourceOf(name);
    if (chain !== undefined) for (const inner of namesIn(chain)) names.add(inner);
  }
  return names;
}

function namesIn(source: Source): readonly string[] {
  const spec = "spec" in source ? source.spec : parseChain(source.text, { file: source.file }).spec;
  const steps = spec?.steps ?? [];
  return steps.flatMap(({ tool, error_handling: onFailure, compensate }) => [
    ...(tool === undefined ? [] : [tool]),
    ...(onFailure?.fallback ?? []).map((entry) => entry.tool),
    ...(compensate === undefined ? [] : [compensate.tool]),
  ]);
}
