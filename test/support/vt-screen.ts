import { displayWidth, graphemes } from "../../src/text/index.ts";

/** A character at its position; the second half of a wide one is empty. */
type Cell = string;

interface Row {
  cells: Cell[];
  /** It continues in the next row, since the line was full. */
  wrapped: boolean;
}

/**
 * Screen of a terminal, with the features that programs here use: the cursor moves, lines are erased, long ones are
 * wrapped, wide characters take two columns, and a change of size wraps anew, as tmux and most others do.
 */
export class VtScreen {
  #columns: number;
  #rows: number;
  /** From the first line that was ever written; the last `#rows` of them are on the screen. */
  #lines: Row[] = [emptyRow()];
  #x = 0;
  /** Index in `#lines`. */
  #y = 0;
  /** The last column is filled: the next character begins a row. */
  #full = false;
  #rest = "";

  constructor(columns: number, rows: number) {
    this.#columns = columns;
    this.#rows = rows;
  }

  /** Text on the screen, without blank ends. */
  get text(): string {
    return this.#show(this.#lines.slice(this.#top));
  }

  /** The same including lines that have scrolled away. */
  get all(): string {
    return this.#show(this.#lines);
  }

  /** Lines as they were written: those that the terminal wrapped are joined. */
  get written(): string[] {
    const lines: string[] = [];
    let open = "";
    for (const { cells, wrapped } of this.#lines) {
      open += cells.join("");
      if (wrapped) continue;
      lines.push(open.trimEnd());
      open = "";
    }
    return lines;
  }

  /** Position of the cursor, from 0. */
  get cursor(): { readonly column: number; readonly row: number } {
    return { column: this.#x, row: this.#y - this.#top };
  }

  write(text: string): void {
    const all = this.#rest + text;
    this.#rest = "";
    let at = 0;
    while (at < all.length) {
      const sequence = escape.exec(all.slice(at, at + 4096));
      if (sequence !== null) {
        this.#obey(sequence);
        at += sequence[0].length;
      } else if (all[at] === "\u001b") {
        this.#rest = all.slice(at);
        return;
      } else {
        const run = /^(?:\P{Cc}+|\p{Cc})/u.exec(all.slice(at))?.[0] ?? "";
        if (/^\p{Cc}/u.test(run)) this.#control(run);
        else for (const character of graphemes(run)) this.#put(character);
        at += run.length;
      }
    }
  }

  resize(columns: number, rows: number): void {
    const logical = this.#logical();
    this.#columns = columns;
    this.#rows = rows;
    this.#lines = [];
    for (const { cells, cursor } of logical) {
      const first = this.#lines.length;
      let row = emptyRow();
      this.#lines.push(row);
      const begin = (): void => {
        row.wrapped = true;
        row = emptyRow();
        this.#lines.push(row);
      };
      for (const [index, cell] of cells.entries()) {
        const wide = cells[index + 1] === "" ? 2 : 1;
        if (cell !== "" && row.cells.length + wide > columns) begin();
        if (cursor === index) [this.#x, this.#y] = [row.cells.length, this.#lines.length - 1];
        row.cells.push(cell);
      }
      if (cursor !== undefined && cursor >= cells.length) {
        const beyond = cursor - cells.length + row.cells.length;
        this.#y = this.#lines.length - 1;
        this.#x = Math.min(beyond, columns - 1);
        if (this.#y < first) this.#y = first;
      }
    }
    this.#full = false;
  }

  get #top(): number {
    return Math.max(0, this.#lines.length - this.#rows);
  }

  #show(rows: readonly Row[]): string {
    return rows
      .map(({ cells }) => cells.join("").trimEnd())
      .join("\n")
      .trimEnd();
  }

  /** Lines before they were wrapped, and the position of the cursor in one of them. */
  #logical(): { cells: Cell[]; cursor: number | undefined }[] {
    const found: { cells: Cell[]; cursor: number | undefined }[] = [];
    let open: { cells: Cell[]; cursor: number | undefined } = { cells: [], cursor: undefined };
    for (const [index, { cells, wrapped }] of this.#lines.entries()) {
      if (index === this.#y) open.cursor = open.cells.length + this.#x + (this.#full ? 1 : 0);
      open.cells.push(...(wrapped ? cells : withoutBlanks(cells)));
      if (wrapped) continue;
      found.push(open);
      open = { cells: [], cursor: undefined };
    }
    // Blank rows below make space.
    const last = found.findLastIndex(({ cells, cursor }) => cells.length > 0 || cursor !== undefined);
    return found.slice(0, last + 1);
  }

  #put(character: string): void {
    const wide = displayWidth(character);
    if (wide === 0) return;
    if (this.#full || this.#x + wide > this.#columns) {
      this.#row.wrapped = true;
      this.#x = 0;
      this.#down();
    }
    const { cells } = this.#row;
    while (cells.length < this.#x) cells.push(" ");
    cells.splice(this.#x, wide, character, ...(wide === 2 ? [""] : []));
    this.#x += wide;
    this.#full = this.#x >= this.#columns;
    if (this.#full) this.#x = this.#columns - 1;
  }

  get #row(): Row {
    const row = this.#lines[this.#y] ?? emptyRow();
    this.#lines[this.#y] = row;
    return row;
  }

  #down(): void {
    this.#full = false;
    this.#y++;
    while (this.#lines.length <= this.#y) this.#lines.push(emptyRow());
  }

  #control(character: string): void {
    switch (character) {
      case "\n":
        // A pseudo terminal sends the carriage return, too; here both are one.
        this.#x = 0;
        return this.#down();
      case "\r":
        this.#full = false;
        this.#x = 0;
        return;
      case "\b":
        this.#full = false;
        this.#x = Math.max(0, this.#x - 1);
        return;
      case "\t":
        this.#x = Math.min(this.#columns - 1, (Math.floor(this.#x / 8) + 1) * 8);
        return;
    }
  }

  #obey({ groups }: RegExpExecArray): void {
    const { numbers = "", command = "m" } = groups ?? {};
    // Colors and modes, such as that of the cursor, change nothing here.
    if (command === "m" || /^[?>=]/.test(numbers)) return;
    const [first = 0, second = 0] = numbers.split(";").map(Number);
    if (command === "J") this.#eraseScreen(first);
    else if (command === "K") this.#eraseLine(first);
    else this.#move(command, Math.max(1, first), Math.max(1, second));
  }

  #move(command: string, count: number, column: number): void {
    this.#full = false;
    const moves: Readonly<Record<string, () => void>> = {
      A: () => (this.#y = Math.max(this.#top, this.#y - count)),
      B: () => (this.#y = Math.min(this.#bottom, this.#y + count)),
      C: () => (this.#x = Math.min(this.#columns - 1, this.#x + count)),
      D: () => (this.#x = Math.max(0, this.#x - count)),
      G: () => (this.#x = Math.min(this.#columns, count) - 1),
      H: () => {
        this.#y = Math.min(this.#bottom, this.#top + count - 1);
        this.#x = Math.min(this.#columns, column) - 1;
      },
    };
    const move = moves[command];
    if (move === undefined) throw new Error(`the screen of the tests does not know CSI ${command}`);
    move();
  }

  /** The last row of the screen, which may not have been written to. */
  get #bottom(): number {
    const bottom = this.#top + this.#rows - 1;
    while (this.#lines.length <= bottom) this.#lines.push(emptyRow());
    return bottom;
  }

  #eraseLine(part: number): void {
    const row = this.#row;
    if (part === 0) row.cells.length = Math.min(row.cells.length, this.#x);
    else if (part === 2) row.cells = [];
    else for (let at = 0; at <= this.#x && at < row.cells.length; at++) row.cells[at] = " ";
    if (part !== 1) row.wrapped = false;
  }

  #eraseScreen(part: number): void {
    if (part === 0) {
      this.#eraseLine(0);
      for (const row of this.#lines.slice(this.#y + 1)) Object.assign(row, emptyRow());
    } else for (const row of this.#lines.slice(this.#top)) Object.assign(row, emptyRow());
  }
}

/** A complete escape sequence; an incomplete one does not match. */
const escape =
  // oxlint-disable-next-line no-control-regex
  /^\u001b(?:\[(?<numbers>[?>=]?[\d;]*)(?<command>[A-Za-z])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[78=>c])/;

function emptyRow(): Row {
  return { cells: [], wrapped: false };
}

function withoutBlanks(cells: readonly Cell[]): Cell[] {
  let end = cells.length;
  while (end > 0 && cells[end - 1] === " ") end--;
  return cells.slice(0, end);
}
