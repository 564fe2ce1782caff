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
