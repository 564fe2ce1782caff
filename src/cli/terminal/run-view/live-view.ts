import type { Clock, Timer } from "../../../base/index.ts";
import type { Screen } from "../screen.ts";
import { LiveArea } from "./live-area.ts";

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
