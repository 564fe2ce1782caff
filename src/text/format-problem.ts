import { nodeUtil } from "../base/index.ts";
import { cutDisplay, displayWidth, graphemes } from "./display-width.ts";
import type { Problem } from "./problem.ts";
import { showUnsafe } from "./untrusted-text.ts";

/** Options for formatting problems. */
export interface FormatOptions {
  readonly color?: boolean;
  /** Maximum width of a source line; longer lines are cut around the relevant position. */
  readonly width?: number;
}

type Paint = (style: "red" | "yellow" | "cyan" | "dim" | "bold", text: string) => string;

const tabWidth = 4;

/**
 * Formats a problem for people: position, message, and the surrounding lines with the position underlined.
 *
 * @example
 * ```ts
 * formatProblem(problem, source);
 * // tools/search.yaml:3:1: error: unknown key "parms" [unknown_key]
 * //   2 │ version: "1"
 * //   3 │ parms:
 * //     │ ^^^^^ did you mean "params"?
 * //   4 │   - name: q
 * ```
 */
export function formatProblem(problem: Problem, source?: string, options: FormatOptions = {}): string {
  const paint = painter(options.color === true);
  const tone = problem.severity === "error" ? "red" : "yellow";
  const offset = `${showUnsafe(problem.file)}:${problem.line}:${problem.column}`;
  const message = showLines(problem.message);
  const head = `${paint("bold", offset)}: ${paint(tone, problem.severity)}: ${message} ${paint("dim", `[${problem.code}]`)}`;
  const hint = problem.hint === undefined ? "" : showLines(problem.hint);
  const frame = source === undefined ? [] : codeFrame(problem, source, { paint, tone, hint, width: options.width });
  if (frame.length === 0 && hint !== "") frame.push(`  ${paint("cyan", hint)}`);
  return [head, ...frame].join("\n");
}

/** Several problems with their frames, and a line that counts them. `sourceOf` returns a file's text if it is known. */
export function formatProblems(
  problems: readonly Problem[],
  sourceOf: (file: string) => string | undefined,
  options: FormatOptions = {},
): string {
  if (problems.length === 0) return "";
  const blocks = problems.map((problem) => formatProblem(problem, sourceOf(problem.file), options));
  return `${blocks.join("\n\n")}\n\n${countProblems(problems)}`;
}

/** `2 errors, 1 warning in 1 file`. */
function countProblems(problems: readonly Problem[]): string {
  const errors = problems.filter((problem) => problem.severity === "error").length;
  const files = new Set(problems.map((problem) => problem.file)).size;
  const counts = [count(errors, "error"), count(problems.length - errors, "warning")].filter((text) => text !== "");
  return `${counts.join(", ")} in ${count(files, "file")}`;
}

function count(number: number, word: string): string {
  return number === 0 ? "" : `${number} ${word}${number === 1 ? "" : "s"}`;
}

interface FrameStyle {
  readonly paint: Paint;
  readonly tone: "red" | "yellow";
  readonly hint: string;
  readonly width: number | undefined;
}

/** One line before, the line itself with its underline, one line after. */
function codeFrame(problem: Problem, source: string, { paint, tone, hint, width = 100 }: FrameStyle): string[] {
  const lines = source.split("\n");
  const focus = lines[problem.line - 1];
  if (focus === undefined) return [];
  const gutter = String(Math.min(lines.length, problem.line + 1)).length;
  const row = (number: number, text: string): string =>
    `  ${paint("dim", `${number === 0 ? " ".repeat(gutter) : String(number).padStart(gutter)} │`)} ${text}`.trimEnd();
  const { text, indent, length } = focusLine(focus, problem, width);
  const carets = " ".repeat(indent) + paint(tone, "^".repeat(length)) + (hint === "" ? "" : ` ${paint("cyan", hint)}`);
  const before = lines[problem.line - 2];
  const after = problem.line === lines.length - 1 && lines.at(-1) === "" ? undefined : lines[problem.line];
  return [
    ...(before === undefined ? [] : [row(problem.line - 1, cutDisplay(showLine(before), width))]),
    row(problem.line, text),
    row(0, carets),
    ...(after === undefined ? [] : [row(problem.line + 1, cutDisplay(showLine(after), width))]),
  ];
}

/** The line as shown, with the start and length of its underline, all in columns. */
function focusLine(line: string, problem: Problem, width: number): { text: string; indent: number; length: number } {
  const start = Math.min(problem.column - 1, line.length);
  const end = Math.min(start + Math.max(1, problem.length ?? 1), line.length);
  const head = showLine(line.slice(0, start));
  const marked = showLine(line.slice(start, end), displayWidth(head));
  const tail = showLine(line.slice(end), displayWidth(head) + displayWidth(marked));
  const length = Math.max(1, displayWidth(marked));
  if (displayWidth(head) + length + displayWidth(tail) <= width) {
    return { text: head + marked + tail, indent: displayWidth(head), length };
  }
  const shownHead = lastColumns(head, Math.floor(width / 3));
  const room = Math.max(8, width - displayWidth(shownHead));
  const text = shownHead + cutDisplay(marked + tail, room);
  return { text, indent: displayWidth(shownHead), length: Math.min(length, room) };
}

/** The end of a text, at most `width` columns wide. */
function lastColumns(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  const retained: string[] = [];
  let used = 1;
  for (const character of [...graphemes(text)].reverse()) {
    used += displayWidth(character);
    if (used > width) break;
    retained.push(character);
  }
  return `…${retained.reverse().join("")}`;
}

/** A source line as shown: tabs expanded, unsafe characters made visible. */
function showLine(line: string, column = 0): string {
  let text = "";
  let at = column;
  for (const part of line.replace(/\r$/, "").split(/(\t)/)) {
    const shown = part === "\t" ? " ".repeat(tabWidth - (at % tabWidth)) : showUnsafe(part);
    text += shown;
    at += displayWidth(shown);
  }
  return text;
}

/** A message may have several lines; other control characters are made visible. */
/** Further lines are indented, so that they do not look like another problem. */
function showLines(text: string): string {
  return text.split("\n").map(showUnsafe).join("\n  ");
}

function painter(color: boolean): Paint {
  return (style, text) => (color ? nodeUtil().styleText(style, text, { validateStream: false }) : text);
}
