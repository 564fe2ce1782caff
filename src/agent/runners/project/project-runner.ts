import { type PathGlob, readPathGlob } from "../../../file/index.ts";
import { type RunProgram, runAll } from "../../../run/index.ts";
import { type OptionsOf, isRecord } from "../../../schema/index.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import type { AgentPrompt, Runner, RunnerAnswer } from "../../run/runner.ts";
import { answerAutonomously } from "../autonomous-runner.ts";
import { type DelegateOptions, cutToTokens } from "../gathered-results.ts";
import { answerPlanned } from "../planned/answer-planned.ts";
import { userMessage } from "../prompt-messages.ts";
import { projectTable, readRunnerOptions } from "../options/runner-options.ts";
import { cutText, fencedDataRule, estimateTokens, fenceData, showUnsafe } from "../../../text/index.ts";
import type { OmissionReason } from "../../events/agent-notice.ts";
import { agentTexts } from "../../texts/agent-texts.ts";
import { callToolForRunner } from "../call-tool-for-runner.ts";

/** Works with the instructions, files and tools of a project, with a plan or in the loop. */
export const projectRunner: Runner = {
  name: "project",
  run: workOnProject,
};

function* workOnProject(run: AgentRun, prompt: AgentPrompt): RunProgram<RunnerAnswer> {
  const options = readProjectOptions(run);
  const files = yield* readProjectFiles(run, options);
  // Set after the files were read: reading them does not depend on the model's tools.
  run.only = options.tools;
  const { instructions, mode } = options;
  const brief: DelegateOptions = {
    rules: instructions === undefined ? [] : [instructions],
    preface: files === undefined ? [] : [userMessage({}, files)],
  };
  return yield* mode === "planned" ? answerPlanned(run, prompt, brief) : answerAutonomously(run, prompt, brief);
}

/** A project, as configured in `options` of its agent. */
export interface ProjectOptions extends OptionsOf<typeof projectTable> {
  /** Approximate maximum tokens of the files. */
  readonly budget: number;
}

/** Default share of a whole request for the files of a project. */
const defaultShare = 0.25;
const maxShare = 0.6;
const maxPatterns = 100;

/** Reads the options of the project runner; invalid options add a notice. */
export function readProjectOptions(run: AgentRun): ProjectOptions {
  const { contextTokens } = run.spec;
  const options = readRunnerOptions(run, projectTable);
  const { files, tools, budget = contextTokens * defaultShare } = options;
  // An invalid list must not allow more tools than intended.
  const isInvalid = tools === undefined && run.spec.options?.["tools"] !== undefined;
  return {
    ...options,
    files: files.slice(0, maxPatterns),
    ...(isInvalid && { tools: [] }),
    budget: Math.min(budget, contextTokens * maxShare),
  };
}

/** A file that is shown to the model. */
interface IncludedFile {
  readonly path: string;
  readonly text: string;
  /** Only its beginning is shown. */
  readonly cut: boolean;
}

/** A file that is not shown, with the reason. */
interface OmittedFile {
  readonly path: string;
  readonly reason: OmissionReason;
}

const filesTurnRef = { part: "files", round: 1 };
const listTool = "list_dir";
const readTool = "read_file";
const maxEntries = 2000;
const maxDepth = 12;
const maxFiles = 100;
/** A shorter excerpt of a file is useless. */
const minTokens = 50;
const maxListed = 40;

/**
 * Reads the files of a project as a text for the model: within the budget, in the order of the patterns, and with a
 * list of omitted files. Undefined if the project names no files.
 */
function* readProjectFiles(run: AgentRun, options: ProjectOptions): RunProgram<string | undefined> {
  if (options.files.length === 0) return undefined;
  const paths = yield* findFiles(run, options);
  const shown: IncludedFile[] = [];
  const leftOut: OmittedFile[] = paths.slice(maxFiles).map((path) => ({ path, reason: "too_many" }));
  let left = options.budget;
  const query = paths.slice(0, maxFiles);
  const { maxParallel } = run.spec;
  for (let from = 0; from < query.length; from += maxParallel) {
    const some = query.slice(from, from + maxParallel);
    if (left < minTokens) {
      leftOut.push(...some.map((path) => ({ path, reason: "budget" as const })));
      continue;
    }
    const max = left;
    for (const file of yield* runAll(
      some.map((path, index) => readOne(run, { path, number: from + index + 1, max })),
    )) {
      const taken = "reason" in file ? file : fit(file, left);
      if ("reason" in taken) leftOut.push(taken);
      else {
        shown.push(taken);
        left -= estimateTokens(taken.text);
      }
    }
  }
  noticeOmittedFiles(run, shown, leftOut);
  return filesText(shown, leftOut);
}

function fit(file: IncludedFile, left: number): IncludedFile | OmittedFile {
  if (left < minTokens) return { path: file.path, reason: "budget" };
  const text = cutToTokens(file.text, left);
  return { ...file, text, cut: file.cut || text !== file.text };
}

function* findFiles(run: AgentRun, { folder, files }: ProjectOptions): RunProgram<readonly string[]> {
  const args = { path: folder, depth: maxDepth, max_entries: maxEntries };
  const result = yield* callToolForRunner(run, { turnRef: filesTurnRef, name: "list", tool: listTool, args });
  if (!result.success) {
    run.notice({ code: "project_not_listed", params: { message: result.error.message } });
    return [];
  }
  const { entries, truncated } = isRecord(result.output) ? result.output : {};
  if (truncated === true) run.notice({ code: "project_limited", params: { max: maxEntries } });
  const paths = (Array.isArray(entries) ? entries : []).flatMap((entry: unknown) =>
    isRecord(entry) && entry["type"] === "file" && typeof entry["path"] === "string" ? [entry["path"]] : [],
  );
  return choose(run, paths, { folder, files });
}

/** The matching paths, in the order of the patterns. */
function choose(
  run: AgentRun,
  paths: readonly string[],
  { folder, files }: Pick<ProjectOptions, "folder" | "files">,
): string[] {
  const read = (pattern: string): PathGlob[] => {
    const glob = readPathGlob(pattern);
    if (glob === undefined) run.notice({ code: "pattern_unusable", params: { pattern } });
    return glob === undefined ? [] : [glob];
  };
  const out = files.filter((pattern) => pattern.startsWith("!")).flatMap((pattern) => read(pattern.slice(1)));
  const globs = files.filter((pattern) => !pattern.startsWith("!")).flatMap(read);
  const seen = paths.map((path) => ({ path, inFolder: withoutFolder(path, folder) }));
  const included = seen.filter(({ inFolder }) => !out.some((glob) => glob(inFolder)));
  return [
    ...new Set(globs.flatMap((glob) => included.filter(({ inFolder }) => glob(inFolder)).map(({ path }) => path))),
  ];
}

function withoutFolder(path: string, folder: string): string {
  const prefix = folder.replace(/^(?:\.\/)+|^\.$/u, "").replace(/\/+$/u, "");
  return prefix !== "" && path.startsWith(`${prefix}/`) ? path.slice(prefix.length + 1) : path;
}

interface Reading {
  readonly path: string;
  readonly number: number;
  /** Maximum of tokens to read. */
  readonly max: number;
}

/** Typical maximum of bytes per token; a Chinese character has three bytes and is one token. */
const tokenBytes = 5;

function* readOne(run: AgentRun, { path, number, max }: Reading): RunProgram<IncludedFile | OmittedFile> {
  const length = Math.ceil(max * tokenBytes);
  const result = yield* callToolForRunner(run, {
    turnRef: filesTurnRef,
    name: `read-${number}`,
    tool: readTool,
    args: { path, offset: 0, length },
  });
  if (!result.success) return { path, reason: { message: result.error.message } };
  const { content, truncated } = isRecord(result.output) ? result.output : {};
  if (typeof content !== "string") return { path, reason: "not_text" };
  return { path, text: content, cut: truncated === true };
}

function noticeOmittedFiles(run: AgentRun, shown: readonly IncludedFile[], leftOut: readonly OmittedFile[]): void {
  const cut = shown.filter((file) => file.cut).map(({ path }) => path);
  if (cut.length > 0) run.notice({ code: "files_cut", params: listed(cut) });
  for (const omitted of Map.groupBy(leftOut, ({ reason }) => agentTexts.en.omission(reason)).values()) {
    const [{ reason } = { reason: "budget" as const }] = omitted;
    run.notice({ code: "files_omitted", params: { ...listed(omitted.map(({ path }) => path)), reason } });
  }
}

function listed(paths: readonly string[]): { readonly files: readonly string[]; readonly more: number } {
  const files = paths.slice(0, maxListed).map((path) => showUnsafe(path));
  return { files, more: paths.length - files.length };
}

function filesText(shown: readonly IncludedFile[], leftOut: readonly OmittedFile[]): string {
  const files = shown.map(({ path, text, cut }) => fenceData(`${path}${cut ? " (its beginning)" : ""}`, text));
  const missing = leftOut.map(({ path, reason }) => `${path}: ${cutText(agentTexts.en.omission(reason), 120).text}`);
  const rest = missing.slice(0, maxListed);
  if (missing.length > maxListed) rest.push(`and ${missing.length - maxListed} more`);
  return [
    shown.length === 0 ? "No file of the project can be shown." : "The files of the project:",
    fencedDataRule,
    ...files,
    ...(rest.length === 0 ? [] : ["Files of the project that are not shown:", fenceData("left out", rest.join("\n"))]),
  ].join("\n\n");
}
