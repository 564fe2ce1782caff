import { readFile } from "node:fs/promises";
import { nodeCrypto } from "../../base/index.ts";
import { type Problem, hasErrors } from "../../text/index.ts";
import type { AnyTool } from "../../tool/index.ts";
import { type LoadedFile, type ToolFileWorld, loadToolFile } from "./load-tool-file.ts";
import { type ScannedFile, stampOf } from "./scan-folder.ts";

/** What is known of one file. */
export interface FileState {
  readonly file: string;
  readonly stamp: string;
  /** Tells one content from another. */
  readonly content: string;
  /** Those of the last version that worked. */
  readonly tools: readonly AnyTool[];
  /** The tools come from a version without errors. */
  readonly isGood: boolean;
  /** Of the present version. */
  readonly problems: readonly Problem[];
  readonly source: string;
  /** Stamps of other files that decide what the tools do. */
  readonly modules: ReadonlyMap<string, string | undefined>;
  /** Load again at the next occasion, changed or not. */
  readonly retry: boolean;
}

/**
 * What is known of a file after looking at it again. An unchanged file keeps its very tools; an edit that does not work
 * keeps the tools that did.
 */
async function refreshFile(file: ScannedFile, known: FileState | undefined, world: ToolFileWorld): Promise<FileState> {
  if (known?.retry === false && (await isUnchanged(file, known))) return known;
  const content = await contentOf(file.path);
  if (known?.retry === false && known.content === content && (await sameModules(known))) {
    return { ...known, stamp: file.stamp };
  }
  const loaded = file.outside ? outside(file.name) : await loadToolFile(file, world);
  const modules = new Map(await Promise.all(loaded.modules.map(async (path) => [path, await stampOf(path)] as const)));
  const { problems, source, retry } = loaded;
  return {
    file: file.name,
    stamp: file.stamp,
    content,
    problems,
    source,
    modules,
    retry,
    ...toolsFor(loaded, known, content),
  };
}

/** The same for all files of a folder, in their order. */
export async function refreshFiles(
  files: readonly ScannedFile[],
  known: ReadonlyMap<string, FileState>,
  world: ToolFileWorld,
): Promise<ReadonlyMap<string, FileState>> {
  return new Map(
    await Promise.all(
      files.map(async (file) => [file.name, await refreshFile(file, known.get(file.name), world)] as const),
    ),
  );
}

/** Are these the very files that are known, each of them unchanged? */
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

/** Is everything that decides about the file's tools as it was, by its stamps? */
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
  for (const [path, stamp] of modules) if ((await stampOf(path)) !== stamp) return false;
  return true;
}

/** The bytes of most files as they are: what makes a hash takes a while to load, and is then only used for this. */
async function contentOf(path: string): Promise<string> {
  const bytes = await readFile(path).catch(() => Buffer.alloc(0));
  if (bytes.length <= mostKept) return bytes.toString("latin1");
  return `sha256 ${nodeCrypto().createHash("sha256").update(bytes).digest("hex")}`;
}

const mostKept = 64 * 1024;

function outside(file: string): LoadedFile {
  const message = "the file is a link that leads out of the workspace";
  const problem: Problem = { severity: "error", code: "outside_workspace", message, file, line: 1, column: 1 };
  return { tools: [], problems: [problem], source: "", modules: [], retry: false };
}
