import { basename, extname } from "node:path";
import { type Problem, onePerCause, parseYaml } from "../../text/index.ts";
import type { AnyTool } from "../../tool/index.ts";
import type { FileState } from "./refresh-file.ts";

/** All files together. */
export interface MergedTools {
  readonly tools: readonly AnyTool[];
  /** The file of each tool. */
  readonly owners: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
  /** Names that files with errors define, each with the first error of its file. */
  readonly broken: ReadonlyMap<string, Problem>;
}

/** The tools of all files. If two files have the same name, the first in order keeps it and the second is reported. */
export function mergeTools(files: ReadonlyMap<string, FileState>): MergedTools {
  const tools: AnyTool[] = [];
  const owners = new Map<string, string>();
  const problems: Problem[] = [];
  for (const [file, state] of files) {
    problems.push(...state.problems);
    for (const tool of state.tools) {
      const owner = owners.get(tool.name);
      if (owner === undefined) {
        owners.set(tool.name, file);
        tools.push(tool);
      } else if (owner !== file) problems.push(duplicate(tool.name, state, owner));
    }
  }
  return { tools, owners, problems: onePerCause(problems), broken: brokenNames(files) };
}

function duplicate(name: string, { file, source }: FileState, owner: string): Problem {
  const message = `the tool "${name}" is already defined in ${owner}`;
  const position = /\.ya?ml$/i.test(file) ? parseYaml(source, { file }).locate(["name"]) : { line: 1, column: 1 };
  return { severity: "error", code: "duplicate_tool", message, hint: "rename one of the two", file, ...position };
}

/** The names that files with errors most likely define, each with the first error of its file. */
function brokenNames(files: ReadonlyMap<string, FileState>): ReadonlyMap<string, Problem> {
  const broken = new Map<string, Problem>();
  for (const state of files.values()) {
    const error = state.problems.find(({ severity }) => severity === "error");
    for (const name of error === undefined ? [] : namesIn(state)) {
      if (error !== undefined && !broken.has(name)) broken.set(name, error);
    }
  }
  return broken;
}

/** The names of a file's tools. A file in which none can be read is usually named after its tool. */
function namesIn({ file, source, tools }: FileState): readonly string[] {
  if (tools.length > 0) return tools.map(({ name }) => name);
  const names = /\.ya?ml$/i.test(file) ? yamlNamesIn(source) : codeNamesIn(source);
  return names.length > 0 ? names : [basename(file, extname(file))];
}

/** The key `name` at the top of a YAML file, also if the file is not valid YAML. */
function yamlNamesIn(source: string): readonly string[] {
  return /^["']?name["']?[ \t]*:[ \t]*["']?([\p{L}_][\p{L}\p{N}_.-]*)/mu.exec(source)?.slice(1) ?? [];
}

/** The names of tools in code. */
function codeNamesIn(source: string): readonly string[] {
  const names = /\bname["']?\s*:\s*["'`]([\p{L}_][\p{L}\p{N}_.-]*)["'`]/gu;
  return Array.from(source.matchAll(names), ([, name = ""]) => name);
}
