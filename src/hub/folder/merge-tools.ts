import { type Problem, parseYaml } from "../../text/index.ts";
import type { AnyTool } from "../../tool/index.ts";
import type { FileState } from "./refresh-file.ts";

/** All files together. */
export interface MergedTools {
  readonly tools: readonly AnyTool[];
  /** The file of each tool. */
  readonly owners: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
}

/** The tools of all files. Where two files have one name, the first in order keeps it and the second is told. */
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
  return { tools, owners, problems };
}

function duplicate(name: string, { file, source }: FileState, owner: string): Problem {
  const message = `the tool "${name}" is already defined in ${owner}`;
  const place = /\.ya?ml$/i.test(file) ? parseYaml(source, { file }).locate(["name"]) : { line: 1, column: 1 };
  return { severity: "error", code: "duplicate_tool", message, hint: "rename one of the two", file, ...place };
}
