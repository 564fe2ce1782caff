import { CodeFences } from "../../../text/index.ts";

/** Distinguishes prose from text that is only shown: code, in blocks or within a line, and quoted lines. */
export interface ProseMask {
  /** True if the character at this offset is only shown. */
  isQuoted(at: number): boolean;
}

const quote = /^ {0,3}>/;
const indented = /^(?: {4}|\t)/;
const blank = /^\s*$/;

/** Finds Markdown code and quotes. The time is linear in the length of the text. */
export function proseMask(text: string): ProseMask {
  return maskOf(text, (line) => quote.test(line));
}

/** Finds only code: quoted text counts as prose. */
export function codeMask(text: string): ProseMask {
  return maskOf(text, () => false);
}

type IsQuotedLine = (line: string) => boolean;

function maskOf(text: string, isShownLine: IsQuotedLine): ProseMask {
  const shown = new Uint8Array(text.length);
  maskLines(text, shown, isShownLine);
  maskSpans(text, shown);
  return { isQuoted: (at) => shown[at] === 1 };
}

function maskLines(text: string, shown: Uint8Array, isShownLine: IsQuotedLine): void {
  const fences = new CodeFences();
  let afterBlank = true;
  let at = 0;
  for (const line of text.split("\n")) {
    const isFenced = fences.isCode(line);
    const isBlank = blank.test(line);
    // An indented line is code after an empty line, or after another such line.
    const isIndented: boolean = afterBlank && indented.test(line);
    if (isFenced || isIndented || isShownLine(line)) shown.fill(1, at, at + line.length);
    afterBlank = isBlank || isIndented;
    at += line.length + 1;
  }
}

interface Run {
  readonly at: number;
  readonly length: number;
  readonly paragraph: number;
}

/** Masks text between a run of backticks and the next one of the same length, in one paragraph. */
function maskSpans(text: string, shown: Uint8Array): void {
  const runs = backticks(text, shown);
  const next: (Run | undefined)[] = Array.from({ length: runs.length });
  const seen = new Map<number, Run>();
  for (let index = runs.length - 1; index >= 0; index--) {
    const run = runs[index];
    if (run === undefined) continue;
    const other = seen.get(run.length);
    if (other?.paragraph === run.paragraph) next[index] = other;
    seen.set(run.length, run);
  }
  let free = 0;
  for (const [index, { at }] of runs.entries()) {
    const end = next[index];
    if (at < free || end === undefined) continue;
    free = end.at + end.length;
    shown.fill(1, at, free);
  }
}

function backticks(text: string, shown: Uint8Array): Run[] {
  const runs: Run[] = [];
  let paragraph = 0;
  for (const found of text.matchAll(/`+|\n[^\S\n]*\n/g)) {
    if (found[0].startsWith("\n")) paragraph++;
    else if (shown[found.index] !== 1) runs.push({ at: found.index, length: found[0].length, paragraph });
  }
  return runs;
}
