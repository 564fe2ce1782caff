import { readFile, stat } from "node:fs/promises";
import { relative, resolve } from "node:path";
import { plainKeyProblem } from "../../app/index.ts";
import { type Problem, formatProblems } from "../../text/index.ts";
import { type Redactor, createRedactor } from "../../secrets/index.ts";
import type { Terminal } from "./terminal.ts";

/** Location of the files of problems. */
export interface ProblemContext {
  /** Folder that file names are relative to. */
  readonly dir: string;
  /** Redacts secrets in lines of files, in case they contain keys. */
  readonly redactor?: Redactor;
}

/** Prints problems with the source lines they refer to, and counts them. */
export async function reportProblems(
  terminal: Terminal,
  problems: readonly Problem[],
  { dir, redactor = createRedactor([]) }: ProblemContext,
): Promise<void> {
  // Loaded here, since most commands report no problems.
  const { isMcpConfig } = await import("../../hub/index.ts");
  const sources = new Map<string, string>();
  for (const file of new Set(problems.map((problem) => resolve(dir, problem.file)))) {
    const text = await readSourceText(file);
    const keys = problems.filter((problem) => problem.code === plainKeyProblem && resolve(dir, problem.file) === file);
    if (text !== undefined) sources.set(file, isMcpConfig(file) ? maskSecrets(text, redactor) : maskKeys(text, keys));
  }
  const shown = problems.map((problem) => {
    const report = isMcpConfig(problem.file) ? redacted(problem, redactor) : problem;
    return { ...report, file: relativeToCwd(resolve(dir, problem.file)) };
  });
  const sourceOf = (file: string): string | undefined => sources.get(resolve(file));
  const width = terminal.sideColumns === undefined ? {} : { width: Math.max(40, terminal.sideColumns - 12) };
  terminal.log(formatProblems(shown, sourceOf, { color: terminal.sideColors, ...width }));
}

function redacted(problem: Problem, { text }: Redactor): Problem {
  const { message, hint } = problem;
  return { ...problem, message: text(message), ...(hint !== undefined && { hint: text(hint) }) };
}

/** Reads a regular file only: reading anything else, such as a device, may never end. */
async function readSourceText(file: string): Promise<string | undefined> {
  const found = await stat(file).catch(() => undefined);
  return found?.isFile() === true ? await readFile(file, "utf8").catch(() => undefined) : undefined;
}

/** Masks the values of problems with dots of the same length. */
function maskKeys(source: string, keys: readonly Problem[]): string {
  const lines = source.split("\n");
  for (const { line, column, length = Infinity } of keys) {
    const text = lines[line - 1] ?? "";
    const value = text.slice(column - 1, column - 1 + length);
    // The value of a block begins on the next line.
    if (/^[|>]/.test(value)) lines[line] = (lines[line] ?? "").replaceAll(/\S/g, "•");
    else lines[line - 1] = text.slice(0, column - 1) + "•".repeat(value.length) + text.slice(column - 1 + value.length);
  }
  return lines.join("\n");
}

/** A path for display: relative to the current folder if that is shorter. */
export function relativeToCwd(path: string): string {
  const way = relative(process.cwd(), path);
  return way === "" ? "." : way.length < path.length ? way : path;
}

/**
 * Masks secrets in the lines of a file with dots of the same length, so that underlined positions stay correct. Names
 * of secrets are not masked, since a problem may be about them.
 */
export function maskSecrets(source: string, redactor: Redactor): string {
  return source
    .split("\n")
    .map((line) => maskLine(line, redactor.text(line)))
    .join("\n");
}

function maskLine(line: string, redacted: string): string {
  if (line === redacted) return line;
  const shorter = Math.min(line.length, redacted.length);
  let start = 0;
  while (start < shorter && line[start] === redacted[start]) start++;
  let end = 0;
  while (end < shorter - start && line.at(-1 - end) === redacted.at(-1 - end)) end++;
  const hidden = line.slice(start, line.length - end);
  return namesOnly(hidden) ? line : line.slice(0, start) + "•".repeat(hidden.length) + line.slice(line.length - end);
}

/** Matches `${secret.NAME}`, optionally with the scheme that precedes a key in a header. */
function namesOnly(text: string): boolean {
  return text.includes("${") && /^\s*(?:bearer|basic|token)?\s*$/i.test(text.replaceAll(/\$\{[^{}]*\}/g, ""));
}
