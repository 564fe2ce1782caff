import { stat } from "node:fs/promises";
import { relative, resolve, sep } from "node:path";
import { fail, isBelow } from "../base/index.ts";
import { ChainError, type ChainFiles, type ChainLibrary, type Plan } from "../chain/index.ts";
import type { Resolver } from "../engine/index.ts";
import { readText } from "../hub/index.ts";
import { type Problem, hasErrors, suggest } from "../text/index.ts";
import { nameIn } from "./chain-file.ts";
import type { ChainFolder } from "./chain-folder.ts";
import { namedTools } from "./named-tools.ts";
import { planFile } from "./plan-file.ts";
import { withUnloadedTools } from "./unloaded-tools.ts";

/** Where chains are looked for. */
export interface ChainPlaces {
  /** The workspace. */
  readonly dir: string;
  readonly library: ChainLibrary;
  readonly folder: ChainFolder;
  readonly tools: Resolver;
  /** What is wrong with the files of tools. */
  readonly toolProblems: () => readonly Problem[];
  /** Gets where plans of other files than those of the folder were read from: from the workspace, if they are in it. */
  readonly files?: WeakMap<Plan, string>;
}

/** How a chain is loaded. */
export interface LoadChainOptions {
  /** Given the names of everything that the chain, or a chain that it calls, calls: before it is planned with what there is. */
  readonly beforePlan?: (names: ReadonlySet<string>) => Promise<void>;
}

/**
 * The plan of a chain of the workspace, by name, or of any file of a chain, by its path from here or from the
 * workspace. Throws with everything that is wrong with it, or with what could have been meant.
 */
export async function loadChain(
  nameOrFile: string,
  places: ChainPlaces,
  options: LoadChainOptions = {},
): Promise<Plan> {
  const { library, dir } = places;
  if (library.has(nameOrFile)) {
    await prepare(library.sourceOf(nameOrFile), places, options);
    return planOf(nameOrFile, places);
  }
  const path = await findFile(nameOrFile, dir);
  if (path === undefined) throw await notFound(nameOrFile, places);
  const file = isBelow(path, dir) ? relative(dir, path).split(sep).join("/") : path;
  if (codeFile.test(file)) throw notAChain(`${JSON.stringify(file)} is code, not a chain; chains are YAML files`);
  const read = await readText({ path, name: file });
  if (read.problem !== undefined) throw new ChainError([read.problem], undefined);
  const source = { text: read.source, file };
  await prepare(source, places, options);
  return planText(source, places);
}

/** A chain, before it is planned. */
type ChainText = Parameters<typeof namedTools>[0];

async function prepare(
  source: ChainText | undefined,
  { library, folder }: ChainPlaces,
  { beforePlan }: LoadChainOptions,
): Promise<void> {
  if (beforePlan === undefined || source === undefined) return;
  await beforePlan(namedTools(source, library));
  folder.refresh();
}

/** The plan of a file, which may be one of the library. */
function planText({ text, file }: { readonly text: string; readonly file: string }, places: ChainPlaces): Plan {
  const known = nameOf(file, text, places);
  if (known !== undefined) return planOf(known, places);
  if (isToolText(text)) {
    const name = nameIn(text, file) ?? "NAME";
    throw notAChain(`${JSON.stringify(file)} is a tool, not a chain; windlass call ${name} calls it`);
  }
  const { plan, problems } = planFile({ text, file }, places.library.context);
  if (plan !== undefined && !hasErrors(problems)) {
    places.files?.set(plan, file);
    return plan;
  }
  throw new ChainError(withUnloadedTools(problems, places.toolProblems()), text);
}

/** The plan of a chain of the library. */
function planOf(name: string, { library, toolProblems }: ChainPlaces): Plan {
  try {
    return library.plan(name);
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    const problems = withUnloadedTools(error.problems, toolProblems());
    if (problems.length === error.problems.length) throw error;
    const source = library.sourceOf(name);
    throw new ChainError(problems, source !== undefined && "text" in source ? source.text : undefined);
  }
}

const codeFile = /\.[cm]?[jt]s$/i;

/** The text of a YAML tool: those have an `entry`, and chains have `steps`. */
function isToolText(text: string): boolean {
  return /^entry[ \t]*:/m.test(text) && !/^steps[ \t]*:/m.test(text);
}

function notAChain(message: string): Error {
  return fail(message, { code: "tool_not_found", reason: "not_a_chain" });
}

/** What runs remember of chains that come from a file, and how such a file is found again. */
export function chainFiles(places: ChainPlaces): ChainFiles {
  const { dir, folder, files } = places;
  return {
    fileOf: (plan) => files?.get(plan),
    load: async (file) => {
      const path = resolve(dir, file);
      if (!(await isFile(path))) return undefined;
      folder.refresh();
      return loadChain(path, places);
    },
  };
}

/** The chain that the library has from this very text, planned already or to be planned once. */
function nameOf(file: string, text: string, { library, folder }: ChainPlaces): string | undefined {
  return library.names().find((name) => {
    const source = folder.fileOf(name) === file ? library.sourceOf(name) : undefined;
    return source !== undefined && "text" in source && source.text === text;
  });
}

async function findFile(name: string, dir: string): Promise<string | undefined> {
  for (const path of new Set([resolve(name), resolve(dir, name)])) if (await isFile(path)) return path;
  return undefined;
}

async function isFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true;
}

async function notFound(name: string, { dir, library, folder, tools }: ChainPlaces): Promise<Error> {
  const shown = JSON.stringify(name);
  if (/[/\\]|\.ya?ml$/i.test(name)) {
    return fail(`there is no file ${shown}; give the path of a chain, or its name`, {
      code: "file_invalid",
      reason: "no_file",
    });
  }
  if (tools.resolve(name) !== undefined)
    return notAChain(`${shown} is a tool, not a chain; windlass call ${name} calls it`);
  const names = library.names();
  const ofFile = names.find((chain) => fileStem(folder.fileOf(chain)) === name);
  const near = ofFile ?? (await fileBeside(name, dir)) ?? suggest(name, names);
  const hint = near === undefined ? "windlass chains lists the names" : `did you mean ${JSON.stringify(near)}?`;
  return fail(`there is no chain named ${shown}; ${hint}`, { code: "tool_not_found", reason: "unknown_chain" });
}

/** The file of that name with an ending, for people who left it out. */
async function fileBeside(name: string, dir: string): Promise<string | undefined> {
  for (const file of [`${name}.yaml`, `${name}.yml`]) if ((await findFile(file, dir)) !== undefined) return file;
  return undefined;
}

/** `chains/deep/hello.yaml` is found as `hello` by people who think of the file. */
function fileStem(file: string | undefined): string | undefined {
  return file === undefined ? undefined : /([^/]+)\.ya?ml$/i.exec(file)?.[1];
}
