/** The part of a text between its first two lines of `---`, if it has one. */
export type FrontMatter =
  | {
      readonly kind: "found";
      /** The YAML, on the lines that it has in the text. */
      readonly yaml: string;
      /** Offset of the text after it. */
      readonly end: number;
    }
  /** The text does not start with `---`. */
  | { readonly kind: "none" }
  /** The second `---` is missing. */
  | { readonly kind: "open" };

/** Options of {@link findFrontMatter}. */
export interface FrontMatterOptions {
  /** The text is complete; otherwise the closing line counts only with its line end. Default: true. */
  readonly whole?: boolean;
  /** Also accept `...` as the closing line, which ends a document in YAML. Default: false. */
  readonly dots?: boolean;
}

const opening = /^---[ \t]*\r?\n/;
const closing = /\n---[ \t]*(?:\r?\n|\r?$)/g;
const closingOrDots = /\n(?:---|\.\.\.)[ \t]*(?:\r?\n|\r?$)/g;

/** Finds the front matter of a text. */
export function findFrontMatter(text: string, { whole = true, dots = false }: FrontMatterOptions = {}): FrontMatter {
  const first = opening.exec(text)?.[0].length;
  if (first === undefined) return { kind: "none" };
  const pattern = dots ? closingOrDots : closing;
  // From the end of the first line: the second may follow at once.
  pattern.lastIndex = first - 1;
  const last = pattern.exec(text);
  if (last === null || (!whole && !last[0].endsWith("\n"))) return { kind: "open" };
  return { kind: "found", yaml: `\n${text.slice(first, last.index + 1)}`, end: last.index + last[0].length };
}

const fence = /^ {0,3}(`{3,}|~{3,})/;

/** Determines line by line whether a line of Markdown belongs to a code block, or is its fence. */
export class CodeFences {
  #open: string | undefined;

  /** @param open The fence of the code block that the first line is in, if any. */
  constructor(open?: string) {
    this.#open = open;
  }

  /** The fence of the code block that the next line is in, if any. */
  get open(): string | undefined {
    return this.#open;
  }

  isCode(line: string): boolean {
    const mark = fence.exec(line)?.[1];
    const isCode = this.#open !== undefined || mark !== undefined;
    if (this.#open === undefined) this.#open = mark;
    else if (mark?.startsWith(this.#open) === true && line.trim() === mark) this.#open = undefined;
    return isCode;
  }
}
