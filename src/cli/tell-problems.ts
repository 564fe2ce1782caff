import { readFile } from "node:fs/promises";
import { relative, resolve } from "node:path";
import { type Problem, formatProblems } from "../text/index.ts";
import type { Terminal } from "./terminal.ts";

/** Shows problems with the lines they are about, and counts them. Their files are relative to `dir`. */
export async function tellProblems(terminal: Terminal, problems: readonly Problem[], dir: string): Promise<void> {
  const sources = new Map<string, string>();
  for (const file of new Set(problems.map((problem) => resolve(dir, problem.file)))) {
    const text = await readFile(file, "utf8").catch(() => undefined);
    if (text !== undefined) sources.set(file, text);
  }
  const shown = problems.map((problem) => ({ ...problem, file: fromHere(resolve(dir, problem.file)) }));
  const sourceOf = (file: string): string | undefined => sources.get(resolve(file));
  const width = terminal.sideColumns === undefined ? {} : { width: Math.max(40, terminal.sideColumns - 12) };
  terminal.tell(formatProblems(shown, sourceOf, { color: terminal.sideColors, ...width }));
}

/** A path as a person types it here: relative where that is shorter. */
export function fromHere(path: string): string {
  const way = relative(process.cwd(), path);
  return way === "" ? "." : way.length < path.length ? way : path;
}
