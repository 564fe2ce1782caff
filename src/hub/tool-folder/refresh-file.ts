import { readFile } from "node:fs/promises";
import { nodeCrypto } from "../../base/index.ts";
import { type Problem, hasErrors } from "../../text/index.ts";
import { type LoadedFile, type ToolFileDeps, loadToolFile } from "./load-tool-file.ts";
import { type ScannedFile, fileStamp } from "./scan-folder.ts";

/** State of one file. */
export interface FileState extends Omit<LoadedFile, "modules"> {
  readonly file: string;
  readonly stamp: string;
  /** Hash of the content. */
  readonly content: string;
  /** The tools come from a version without errors; the problems are those of the present version. */
  readonly isGood: boolean;
  /** Stamps of other files that the tools depend on. */
  readonly modules: ReadonlyMap<string, string | undefined>;
}

/**
 * The state of a file after checking it. An unchanged file keeps its tool objects; an invalid edit keeps the last good
 * tools.
 */
async function refreshFile(file: ScannedFile, known: FileState | undefined, world: ToolFileDeps): Promise<FileState> {
  if (known?.retry === false && (await isUnchanged(file, known))) return known;
  const content = await contentOf(file.path);
  if (known?.retry === false && known.content === content && (await sameModules(known))) {
    return { ...known, stamp: file.stamp };
  }
  const loaded = file.outside ? outsideLinkProblem(file.name) : await loadToolFile(file, world);
  const modules = new Map(
    await Promise.all(loaded.modules.map(async (path) => [path, await fileStamp(path)] as const)),
  );
  const { problems, source, dependencies, retry } = loaded;
  return {
    file: file.name,
    stamp: file.stamp,
    content,
    problems,
    source,
    modules,
    // The last good tools may still be in use.
    dependencies: [...new Set([...dependencies, ...(known?.dependencies ?? [])])],
    retry,
    ...toolsFor(loaded, known, content),
  };
}

/** The same for all files of a folder, in their order. */
export async function refreshFiles(
  files: readonly ScannedFile[],
  known: ReadonlyMap<string, FileState>,
  world: ToolFileDeps,
): Promise<ReadonlyMap<string, FileState>> {
  return new Map(
    await Promise.all(
      files.map(async (file) => [file.name, await refreshFile(file, known.get(file.name), world)] as const),
    ),
  );
}

/** True if these are exactly the known files, each of them unchanged. */
export async function areUnchanged(
  files: readonly ScannedFile[],
  known: ReadonlyMap<string, FileState>,
): Promise<boolean> {
  if (files.length !== known.size) return false;
  const same = await Promise.all(
    files.map(async (file) => {
      const state = known.get(file.name);
      return state !== undefined && (await isUnchanged(file, state));
    }),
  );
  return !same.includes(false);
}

/** True if everything that the file's tools depend on is unchanged, by its stamps. */
async function isUnchanged({ stamp }: ScannedFile, known: FileState): Promise<boolean> {
  return known.stamp === stamp && (await sameModules(known));
}

function toolsFor(
  { tools, problems }: LoadedFile,
  known: FileState | undefined,
  content: string,
): Pick<FileState, "tools" | "isGood"> {
  if (!hasErrors(problems)) return { tools, isGood: true };
  if (known?.isGood === true) return { tools: known.tools, isGood: true };
  // Loaded again and still the same: not an update.
  const same = known?.content === content && JSON.stringify(known.problems) === JSON.stringify(problems);
  return { tools: same ? known.tools : tools, isGood: false };
}

async function sameModules({ modules }: FileState): Promise<boolean> {
  for (const [path, stamp] of modules) if ((await fileStamp(path)) !== stamp) return false;
  return true;
}

/** The content of most files as it is: a hash function takes a while to load, and would be used only for this. */
async function contentOf(path: string): Promise<string> {
  const bytes = await readFile(path).catch(() => Buffer.alloc(0));
  if (bytes.length <= maxRetained) return bytes.toString("latin1");
  return `sha256 ${nodeCrypto().createHash("sha256").update(bytes).digest("hex")}`;
}

const maxRetained = 64 * 1024;

function outsideLinkProblem(file: string): LoadedFile {
  const message = "the file is a link that leads out of the workspace";
  const problem: Problem = { severity: "error", code: "outside_workspace", message, file, line: 1, column: 1 };
  return { tools: [], problems: [problem], source: "", modules: [], dependencies: [], retry: false };
}
