import { readFile, stat } from "node:fs/promises";
import { relative, resolve } from "node:path";
import { type Problem, type Redactor, createRedactor, formatProblems } from "../text/index.ts";
import { maskSecrets } from "./mask-secrets.ts";
import type { Terminal } from "./terminal.ts";

/** Where the files of problems are. */
export interface ProblemPlace {
  /** What their names are relative to. */
  readonly dir: string;
  /** Hides secrets in the lines of files that people put keys into, though they should not. */
  readonly redactor?: Redactor;
}

/** Shows problems with the lines they are about, and counts them. */
export async function tellProblems(
  terminal: Terminal,
  problems: readonly Problem[],
  { dir, redactor = createRedactor([]) }: ProblemPlace,
): Promise<void> {
  // Loaded here: most commands tell of nothing.
  const { isMcpConfig } = await import("../hub/index.ts");
  const sources = new Map<string, string>();
  for (const file of new Set(problems.map((problem) => resolve(dir, problem.file)))) {
    const text = await textOf(file);
    if (text !== undefined) sources.set(file, isMcpConfig(file) ? maskSecrets(text, redactor) : text);
  }
  const shown = problems.map((problem) => {
    const told = isMcpConfig(problem.file) ? redacted(problem, redactor) : problem;
    return { ...told, file: fromHere(resolve(dir, problem.file)) };
  });
  const sourceOf = (file: string): string | undefined => sources.get(resolve(file));
  const width = terminal.sideColumns === undefined ? {} : { width: Math.max(40, terminal.sideColumns - 12) };
  terminal.tell(formatProblems(shown, sourceOf, { color: terminal.sideColors, ...width }));
}

function redacted(problem: Problem, { text }: Redactor): Problem {
  const { message, hint } = problem;
  return { ...problem, message: text(message), ...(hint !== undefined && { hint: text(hint) }) };
}

/** The text of what is a file: whatever else has a name may never end. */
async function textOf(file: string): Promise<string | undefined> {
  const found = await stat(file).catch(() => undefined);
  return found?.isFile() === true ? await readFile(file, "utf8").catch(() => undefined) : undefined;
}

/** A path as a person types it here: relative where that is shorter. */
export function fromHere(path: string): string {
  const way = relative(process.cwd(), path);
  return way === "" ? "." : way.length < path.length ? way : path;
}
