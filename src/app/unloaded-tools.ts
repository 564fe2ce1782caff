import { basename } from "node:path";
import type { Problem } from "../text/index.ts";

/**
 * The problems of a chain, and where it names a tool that there is not, the files of tools that could not be loaded:
 * the tool may well be in one of them. Each file is told about once, by the first thing that is wrong with it.
 */
export function withUnloadedTools(problems: readonly Problem[], ofTools: readonly Problem[]): readonly Problem[] {
  if (!problems.some(({ code }) => code === "unknown_tool")) return problems;
  const first = new Map<string, Problem>();
  for (const problem of ofTools) {
    if (problem.severity === "error" && !first.has(problem.file)) first.set(problem.file, problem);
  }
  const told = [...first.values()].map(({ message, file, line, column }): Problem => {
    const why = message.split("\n", 1).join("");
    const words = `this file of tools was not loaded: ${why}`;
    return { severity: "warning", code: unloadedTool, message: words, file, line, column };
  });
  return [...problems, ...told];
}

/** The file that most likely has a tool that there is not, and cannot be used; undefined where there is none. */
export function whyUnloaded(problems: readonly Problem[], tool: string): string | undefined {
  const own = problems.find(({ severity, file }) => severity === "error" && stemOf(file) === tool);
  return own === undefined ? undefined : `${own.file} cannot be used (\`windlass validate\` shows why)`;
}

/** Files of tools are named for what they have. */
function stemOf(file: string): string {
  return basename(file).replace(/\.\w+$/, "");
}

/** The code of such a problem. */
export const unloadedTool = "tool_not_loaded";
