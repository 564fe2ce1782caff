import { isRecord } from "../../../schema/index.ts";
import { cutText, dataRule, estimateTokens, fenceData, showUnsafe } from "../../../text/index.ts";
import { type Flow, all } from "../../flow/flow.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import { cutToTokens } from "../gathered.ts";
import { ownCall } from "../own-call.ts";
import { type Glob, readGlob } from "./glob.ts";
import type { ProjectOptions } from "./project-options.ts";

/** A file that the model is shown. */
interface ShownFile {
  readonly path: string;
  readonly text: string;
  /** Only its beginning is shown. */
  readonly cut: boolean;
}

/** A file that it is not shown, and why. */
interface LeftOut {
  readonly path: string;
  readonly why: string;
}

const place = { part: "files", round: 1 };
const listTool = "list_dir";
const readTool = "read_file";
const mostEntries = 2000;
const deepest = 12;
const mostFiles = 100;
/** Less of a file than this says nothing. */
const leastTokens = 50;
const mostListed = 40;

/**
 * The files of a project as a text for the model: within the budget, in the order of the patterns, and with a list of
 * those that were left out. Undefined where the project names no files.
 */
export function* readProjectFiles(run: AgentRun, options: ProjectOptions): Flow<string | undefined> {
  if (options.files.length === 0) return undefined;
  const paths = yield* findFiles(run, options);
  const shown: ShownFile[] = [];
  const leftOut: LeftOut[] = paths.slice(mostFiles).map((path) => ({ path, why: "there are too many" }));
  let left = options.budget;
  const wanted = paths.slice(0, mostFiles);
  const { maxParallel } = run.spec;
  for (let from = 0; from < wanted.length; from += maxParallel) {
    const some = wanted.slice(from, from + maxParallel);
    if (left < leastTokens) {
      leftOut.push(...some.map((path) => ({ path, why: noRoom })));
      continue;
    }
    const most = left;
    for (const file of yield* all(some.map((path, index) => readOne(run, { path, number: from + index + 1, most })))) {
      const taken = "why" in file ? file : fit(file, left);
      if ("why" in taken) leftOut.push(taken);
      else {
        shown.push(taken);
        left -= estimateTokens(taken.text);
      }
    }
  }
  noteLeftOut(run, shown, leftOut);
  return filesText(shown, leftOut);
}

const noRoom = "there was no room for it";

function fit(file: ShownFile, left: number): ShownFile | LeftOut {
  if (left < leastTokens) return { path: file.path, why: noRoom };
  const text = cutToTokens(file.text, left);
  return { ...file, text, cut: file.cut || text !== file.text };
}

function* findFiles(run: AgentRun, { folder, files }: ProjectOptions): Flow<readonly string[]> {
  const args = { path: folder, depth: deepest, max_entries: mostEntries };
  const result = yield* ownCall(run, { place, name: "list", tool: listTool, args });
  if (!result.success) {
    run.note(`the files of the project could not be listed: ${result.error.message}`);
    return [];
  }
  const { entries, truncated } = isRecord(result.output) ? result.output : {};
  if (truncated === true)
    run.note(`the folder of the project has more than ${mostEntries} entries; the rest was not seen`);
  const paths = (Array.isArray(entries) ? entries : []).flatMap((entry: unknown) =>
    isRecord(entry) && entry["type"] === "file" && typeof entry["path"] === "string" ? [entry["path"]] : [],
  );
  return choose(run, paths, { folder, files });
}

/** Those that match, in the order of the patterns. */
function choose(
  run: AgentRun,
  paths: readonly string[],
  { folder, files }: Pick<ProjectOptions, "folder" | "files">,
): string[] {
  const read = (pattern: string): Glob[] => {
    const glob = readGlob(pattern);
    if (glob === undefined) run.note(`the pattern ${JSON.stringify(pattern)} of the project cannot be used`);
    return glob === undefined ? [] : [glob];
  };
  const out = files.filter((pattern) => pattern.startsWith("!")).flatMap((pattern) => read(pattern.slice(1)));
  const globs = files.filter((pattern) => !pattern.startsWith("!")).flatMap(read);
  const seen = paths.map((path) => ({ path, inFolder: withoutFolder(path, folder) }));
  const kept = seen.filter(({ inFolder }) => !out.some((glob) => glob(inFolder)));
  return [...new Set(globs.flatMap((glob) => kept.filter(({ inFolder }) => glob(inFolder)).map(({ path }) => path)))];
}

function withoutFolder(path: string, folder: string): string {
  const prefix = folder.replace(/^(?:\.\/)+|^\.$/u, "").replace(/\/+$/u, "");
  return prefix !== "" && path.startsWith(`${prefix}/`) ? path.slice(prefix.length + 1) : path;
}

interface Reading {
  readonly path: string;
  readonly number: number;
  /** More of it is not needed, in tokens. */
  readonly most: number;
}

/** A token has no more bytes than this, usually; a Chinese character has three, and is one. */
const tokenBytes = 5;

function* readOne(run: AgentRun, { path, number, most }: Reading): Flow<ShownFile | LeftOut> {
  const length = Math.ceil(most * tokenBytes);
  const result = yield* ownCall(run, {
    place,
    name: `read-${number}`,
    tool: readTool,
    args: { path, offset: 0, length },
  });
  if (!result.success) return { path, why: result.error.message };
  const { content, truncated } = isRecord(result.output) ? result.output : {};
  if (typeof content !== "string") return { path, why: "it holds no text" };
  return { path, text: content, cut: truncated === true };
}

function noteLeftOut(run: AgentRun, shown: readonly ShownFile[], leftOut: readonly LeftOut[]): void {
  const cut = shown.filter((file) => file.cut).map(({ path }) => path);
  if (cut.length > 0) run.note(`only the beginning was shown of ${listed(cut)}`);
  for (const [why, paths] of Map.groupBy(leftOut, (file) => file.why)) {
    run.note(`left out (${why}): ${listed(paths.map(({ path }) => path))}`);
  }
}

function listed(paths: readonly string[]): string {
  const some = paths.slice(0, mostListed).map((path) => showUnsafe(path));
  return paths.length > mostListed ? `${some.join(", ")} and ${paths.length - mostListed} more` : some.join(", ");
}

function filesText(shown: readonly ShownFile[], leftOut: readonly LeftOut[]): string {
  const files = shown.map(({ path, text, cut }) => fenceData(`${path}${cut ? " (its beginning)" : ""}`, text));
  const missing = leftOut.map(({ path, why }) => `${path}: ${cutText(why, 120).text}`);
  const rest = missing.slice(0, mostListed);
  if (missing.length > mostListed) rest.push(`and ${missing.length - mostListed} more`);
  return [
    shown.length === 0 ? "No file of the project can be shown." : "The files of the project:",
    dataRule,
    ...files,
    ...(rest.length === 0 ? [] : ["Files of the project that are not shown:", fenceData("left out", rest.join("\n"))]),
  ].join("\n\n");
}
