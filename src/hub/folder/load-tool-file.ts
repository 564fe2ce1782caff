import { systemClock } from "../../base/index.ts";
import { type Problem, hasErrors } from "../../text/index.ts";
import { type AnyTool, type ToolFileOptions, describeError, parseToolFile } from "../../tool/index.ts";
import { loadCodeFile } from "./load-code-file.ts";
import { importsIn, moduleTexts } from "./module-texts.ts";
import { offerOwnPackage } from "./own-package.ts";
import { fileProblem, readText } from "./read-text.ts";
import { withRevision } from "./with-revision.ts";

/** A file to load. */
export interface ToolFileLocation {
  readonly path: string;
  /** Named in problems. */
  readonly name: string;
  readonly kind: "yaml" | "code";
}

/** What surrounds tool files; the workspace must be known. */
export interface ToolFileWorld extends Omit<ToolFileOptions, "file" | "path"> {
  readonly root: string;
  /** Told the name of a file that is still loading after 2 s. */
  readonly onSlowLoad?: (file: string) => void;
}

/** What a file gave. */
export interface LoadedFile {
  readonly tools: readonly AnyTool[];
  readonly problems: readonly Problem[];
  /** The text, for code frames. */
  readonly source: string;
  /** Other files whose change makes this one load anew. */
  readonly modules: readonly string[];
  /** What went wrong may lie outside the file: loading it again may help though it did not change. */
  readonly retry: boolean;
}

/** Code that takes longer to start has its reader wonder. */
const slowMs = 2_000;

/** Loads the tools of one file, YAML or code. Never throws: what is wrong is in `problems`. */
export async function loadToolFile(file: ToolFileLocation, world: ToolFileWorld): Promise<LoadedFile> {
  const text = await readText(file);
  if (text.problem !== undefined) return failed(text.problem);
  const { clock = systemClock, onSlowLoad } = world;
  const slow = onSlowLoad && clock.after(slowMs, () => onSlowLoad(file.name));
  try {
    offerOwnPackage();
    return await revised({ ...file, source: text.source }, world);
  } catch (error) {
    // Nothing below throws by design; a bug in one file must still not take the others down.
    return failed(fileProblem(file.name, "load_failed", `the file could not be loaded: ${describeError(error)}`));
  } finally {
    slow?.cancel();
  }
}

/** The tools of a file know the version of the file, and of the code behind it, that they were made of. */
async function revised(file: ToolFileLocation & { source: string }, world: ToolFileWorld): Promise<LoadedFile> {
  const loaded = await loadText(file, world);
  if (loaded.tools.length === 0) return loaded;
  const { source, path } = file;
  const modules = file.kind === "code" ? importsIn(source, path) : loaded.modules;
  const texts = modules.length === 0 ? [] : await moduleTexts(modules, world.root);
  return { ...loaded, tools: withRevision(loaded.tools, [source, ...texts]) };
}

async function loadText(file: ToolFileLocation & { source: string }, world: ToolFileWorld): Promise<LoadedFile> {
  const { source, name, path } = file;
  if (file.kind === "code") return await loadCodeFile(file, { ...world, clock: world.clock ?? systemClock });
  const { tool, problems, modules } = await parseToolFile(source, { ...world, file: name, path });
  const retry = modules.length > 0 && hasErrors(problems);
  return { tools: tool === undefined ? [] : [tool], problems, source, modules, retry };
}

function failed(problem: Problem): LoadedFile {
  return { tools: [], problems: [problem], source: "", modules: [], retry: false };
}
