import { stat } from "node:fs/promises";
import { relative, resolve, sep } from "node:path";
import { fail, isBelow } from "../base/index.ts";
import { ChainError, type ChainLibrary, type Plan } from "../chain/index.ts";
import { readText } from "../hub/index.ts";
import { hasErrors, suggest } from "../text/index.ts";
import type { ToolRegistry } from "../tool/index.ts";
import type { ChainFolder } from "./chain-folder.ts";
import { planFile } from "./plan-file.ts";

/** Where chains are looked for. */
export interface ChainPlaces {
  /** The workspace. */
  readonly dir: string;
  readonly library: ChainLibrary;
  readonly folder: ChainFolder;
  readonly tools: ToolRegistry;
}

/**
 * The plan of a chain of the workspace, by name, or of any file of a chain, by its path from here or from the
 * workspace. Throws with everything that is wrong with it, or with what could have been meant.
 */
export async function loadChain(nameOrFile: string, places: ChainPlaces): Promise<Plan> {
  const { library } = places;
  if (library.has(nameOrFile)) return library.plan(nameOrFile);
  const path = await findFile(nameOrFile, places.dir);
  if (path === undefined) throw notFound(nameOrFile, places);
  const file = isBelow(path, places.dir) ? relative(places.dir, path).split(sep).join("/") : path;
  const read = await readText({ path, name: file });
  if (read.problem !== undefined) throw new ChainError([read.problem], undefined);
  const known = nameOf(file, read.source, places);
  if (known !== undefined) return library.plan(known);
  const { plan, problems } = planFile({ text: read.source, file }, library.context);
  if (plan !== undefined && !hasErrors(problems)) return plan;
  throw new ChainError(problems, read.source);
}

/** The chain that the library has from this very text, planned already or to be planned once. */
function nameOf(file: string, text: string, { library, folder }: ChainPlaces): string | undefined {
  return library.names().find((name) => {
    const source = folder.fileOf(name) === file ? library.sourceOf(name) : undefined;
    return source !== undefined && "text" in source && source.text === text;
  });
}

async function findFile(name: string, dir: string): Promise<string | undefined> {
  for (const path of new Set([resolve(name), resolve(dir, name)])) {
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile() === true) return path;
  }
  return undefined;
}

function notFound(name: string, { library, folder, tools }: ChainPlaces): Error {
  const shown = JSON.stringify(name);
  if (/[/\\]|\.ya?ml$/i.test(name)) {
    return fail(`there is no file ${shown}; give the path of a chain, or its name`, {
      code: "file_invalid",
      reason: "no_file",
    });
  }
  if (tools.has(name)) {
    return fail(`${shown} is a tool, not a chain; windlass call ${name} calls it`, {
      code: "tool_not_found",
      reason: "not_a_chain",
    });
  }
  const names = library.names();
  const ofFile = names.find((chain) => fileStem(folder.fileOf(chain)) === name);
  const near = ofFile ?? suggest(name, names);
  const hint = near === undefined ? "windlass chains lists the names" : `did you mean ${JSON.stringify(near)}?`;
  return fail(`there is no chain named ${shown}; ${hint}`, { code: "tool_not_found", reason: "unknown_chain" });
}

/** `chains/deep/hello.yaml` is found as `hello` by people who think of the file. */
function fileStem(file: string | undefined): string | undefined {
  return file === undefined ? undefined : /([^/]+)\.ya?ml$/i.exec(file)?.[1];
}
