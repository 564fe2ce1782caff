import type { Clock, Timer } from "../../../base/index.ts";
import type { Screen, Area } from "../screen.ts";
import { displayWidth } from "../../../text/index.ts";

/** Interval of redraws: short enough for a smooth spinner, long enough to be cheap. */
const intervalMs = 100;

/** The final lines may exceed the height of the terminal, up to this maximum. */
const maxLines = 200;

/** Size and mode of a drawing. */
export interface LiveViewSize {
  readonly columns: number;
  /** Maximum number of lines. */
  readonly height: number;
  /** True while it changes; false for the final lines. */
  readonly live: boolean;
  /** Counter of redraws, for the spinner. */
  readonly frame: number;
}

/** Options of {@link LiveView}. */
export interface LiveViewOptions {
  readonly clock: Clock;
  readonly lines: (shape: LiveViewSize) => string[];
  /** Minimum number of lines, however small the terminal is. */
  readonly minLines: number;
}

/** Lines that change in place while work is in progress, and stay at its end. */
export class LiveView {
  readonly #screen: Screen;
  readonly #options: LiveViewOptions;
  readonly #stopWatching: () => void;
  #area: LiveArea | undefined;
  #timer: Timer | undefined;
  #frame = 0;
  #closed = false;

  constructor(screen: Screen, options: LiveViewOptions) {
    this.#screen = screen;
    this.#options = options;
    this.#stopWatching = screen.onResize(() => this.#draw());
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Begins to draw. Nothing is shown before, so that a run that cannot start leaves no trace. */
  begin(): void {
    if (this.#area !== undefined || this.#closed) return;
    this.#area = new LiveArea(this.#screen);
    this.#tick();
  }

  /** Clears the lines for other output; the returned function draws them again. */
  pause(): () => void {
    const area = this.#area;
    area?.suspend();
    let paused = true;
    return () => {
      if (!paused || this.#closed) return;
      paused = false;
      this.#draw();
      area?.resume();
    };
  }

  /** Writes permanent lines above the changing ones. */
  leave(lines: readonly string[]): void {
    this.#area?.hide();
    this.#screen.write(lines.map((line) => `${line}\n`).join(""));
    this.#area?.show();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#timer?.cancel();
    this.#stopWatching();
    this.#area?.end(this.#lines(maxLines, false));
  }

  #tick(): void {
    this.#draw();
    this.#frame++;
    this.#timer = this.#options.clock.after(intervalMs, () => this.#tick());
    // The timer does not keep the process alive; the run does.
    this.#timer.hold(false);
  }

  #draw(): void {
    // One line below stays free for the cursor: lines that have scrolled away can no longer be changed.
    this.#area?.draw(this.#lines(Math.max(this.#options.minLines, this.#screen.rows - 1), true));
  }

  #lines(height: number, live: boolean): string[] {
    return this.#options.lines({ columns: this.#screen.columns, height, live, frame: this.#frame });
  }
}

const { stripVTControlCharacters } = process.getBuiltinModule("node:util");

/**
 * Lines at the bottom of a terminal that are redrawn in place: only changed lines are written, in one write, with the
 * cursor hidden. Between redraws the cursor is at the beginning of the line below the last one.
 */
export class LiveArea implements Area {
  readonly #screen: Screen;
  #shown: readonly string[] = [];
  #requested: readonly string[] = [];
  #columns: number;
  readonly #release: (() => void)[];
  #letGo: () => void;
  /** Number of callers that currently hide it. */
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

  /** Replaces the current lines. None may be wider than the terminal, less one column. */
  draw(lines: readonly string[]): void {
    this.#requested = lines;
    if (this.#hidden > 0) return;
    const text = this.#changeTo(lines);
    // A pressed key may have been echoed at the cursor.
    if (text !== "") this.#screen.write(`${beginUpdate}\r\x1b[K${text}${endUpdate}`);
  }

  hide(): void {
    if (this.#hidden === 0) {
      const lines = this.#requested;
      this.draw([]);
      this.#requested = lines;
    }
    this.#hidden++;
  }

  show(): void {
    if (this.#hidden === 0) return;
    this.#hidden--;
    this.draw(this.#requested);
  }

  /** Releases the terminal for a while, including the cursor. */
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

  /** Draws a last time, and leaves the lines on the screen. */
  end(lines: readonly string[]): void {
    this.#hidden = 0;
    this.draw(lines);
    this.#shown = [];
    this.#requested = [];
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

  /** A terminal that became narrower has wrapped the lines that are now too long. */
  #eraseReflowed(): string {
    const height = (line: string): number =>
      Math.max(1, Math.ceil(displayWidth(stripVTControlCharacters(line)) / this.#screen.columns));
    const up = this.#shown.reduce((sum, line) => sum + height(line), 0);
    this.#shown = [];
    return move(-up) + erase(up + 1);
  }
}

const hideCursor = "\x1b[?25l";
const showCursor = "\x1b[?25h";
/** Synchronized update: supporting terminals show the output between the marks at once. */
const beginUpdate = "\x1b[?2026h";
const endUpdate = "\x1b[?2026l";

/** Moves down by `lines`, or up if negative. */
function move(lines: number): string {
  if (lines === 0) return "";
  return lines > 0 ? `\x1b[${lines}B` : `\x1b[${-lines}A`;
}

/**
 * Clears this line and those below it, and returns. One at a time: some terminals keep lines that are cleared in one
 * sequence.
 */
function erase(lines: number): string {
  return `\r${Array.from({ length: lines }, () => "\x1b[2K").join("\x1b[1B")}${move(1 - lines)}`;
}

/** Ctrl-Z returns the terminal to the shell; `fg` takes it back. */
function watchSuspension(area: LiveArea): () => void {
  if (process.platform === "win32") return () => {};
  const stop = (): void => {
    area.suspend();
    // With a listener, the signal itself no longer stops the process.
    process.kill(process.pid, "SIGSTOP");
  };
  const goOn = (): void => area.resume();
  process.on("SIGTSTP", stop).on("SIGCONT", goOn);
  return () => void process.off("SIGTSTP", stop).off("SIGCONT", goOn);
}
