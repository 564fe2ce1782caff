import { displayWidth } from "../../text/index.ts";
import type { Area, Screen } from "../screen.ts";

const { stripVTControlCharacters } = process.getBuiltinModule("node:util");

/**
 * Lines at the bottom of a terminal, drawn over in place: only those that changed are written, in one go, with the cursor
 * hidden. Between two drawings the cursor stands at the beginning of the line below the last one.
 */
export class LiveArea implements Area {
  readonly #screen: Screen;
  #shown: readonly string[] = [];
  #wanted: readonly string[] = [];
  #columns: number;
  readonly #release: (() => void)[];
  #letGo: () => void;
  /** How many want it out of the way. */
  #hidden = 0;

  constructor(screen: Screen) {
    this.#screen = screen;
    this.#columns = screen.columns;
    const restore = (): void => screen.write(showCursor);
    process.once("exit", restore);
    this.#release = [() => process.off("exit", restore), watchSuspension(this)];
    this.#letGo = screen.hold(this);
    screen.write(hideCursor);
  }

  /** Puts these lines in place of those that are there. None may be wider than the terminal, less one column. */
  draw(lines: readonly string[]): void {
    this.#wanted = lines;
    if (this.#hidden > 0) return;
    const text = this.#changeTo(lines);
    // A key that was pressed may have left its mark where the cursor is.
    if (text !== "") this.#screen.write(`${beginUpdate}\r\x1b[K${text}${endUpdate}`);
  }

  hide(): void {
    if (this.#hidden === 0) {
      const lines = this.#wanted;
      this.draw([]);
      this.#wanted = lines;
    }
    this.#hidden++;
  }

  show(): void {
    if (this.#hidden === 0) return;
    this.#hidden--;
    this.draw(this.#wanted);
  }

  /** Gives the terminal up for a while, cursor included. */
  suspend(): void {
    this.hide();
    this.#letGo();
    this.#screen.write(showCursor);
  }

  resume(): void {
    this.#screen.write(hideCursor);
    this.#letGo = this.#screen.hold(this);
    this.show();
  }

  /** Draws once more, and leaves it there. */
  end(lines: readonly string[]): void {
    this.#hidden = 0;
    this.draw(lines);
    this.#shown = [];
    this.#wanted = [];
    this.#letGo();
    for (const release of this.#release) release();
    this.#screen.write(showCursor);
  }

  #changeTo(lines: readonly string[]): string {
    let text = "";
    if (this.#screen.columns !== this.#columns) {
      text += this.#eraseReflowed();
      this.#columns = this.#screen.columns;
    }
    const before = this.#shown;
    let at = before.length;
    for (const [index, line] of lines.entries()) {
      if (line === before[index]) continue;
      text += `${move(index - at)}\r${line}\x1b[K\n`;
      at = index + 1;
    }
    if (lines.length < before.length) {
      text += move(lines.length - at) + erase(before.length - lines.length);
      at = lines.length;
    }
    this.#shown = lines;
    return text + move(lines.length - at);
  }

  /** A terminal that became narrower has broken the lines that are too long for it now. */
  #eraseReflowed(): string {
    const { columns } = this.#screen;
    const height = (line: string): number =>
      Math.max(1, Math.ceil(displayWidth(stripVTControlCharacters(line)) / columns));
    const up = this.#shown.reduce((sum, line) => sum + height(line), 0);
    this.#shown = [];
    return move(-up) + erase(up + 1);
  }
}

const hideCursor = "\x1b[?25l";
const showCursor = "\x1b[?25h";
/** Terminals that know it show what comes between at once. */
const beginUpdate = "\x1b[?2026h";
const endUpdate = "\x1b[?2026l";

/** Down (or, below zero, up) by so many lines. */
function move(lines: number): string {
  if (lines === 0) return "";
  return lines > 0 ? `\x1b[${lines}B` : `\x1b[${-lines}A`;
}

/** Empties this line and those below it, and comes back. One by one: some terminals keep what is cleared in one go. */
function erase(lines: number): string {
  return `\r${Array.from({ length: lines }, () => "\x1b[2K").join("\x1b[1B")}${move(1 - lines)}`;
}

/** Ctrl-Z gives the terminal back to the shell; `fg` takes it again. */
function watchSuspension(area: LiveArea): () => void {
  if (process.platform === "win32") return () => {};
  const stop = (): void => {
    area.suspend();
    // With a listener the signal itself stops nothing.
    process.kill(process.pid, "SIGSTOP");
  };
  const goOn = (): void => area.resume();
  process.on("SIGTSTP", stop).on("SIGCONT", goOn);
  return () => void process.off("SIGTSTP", stop).off("SIGCONT", goOn);
}
