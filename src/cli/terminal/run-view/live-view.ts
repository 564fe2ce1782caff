import type { Clock, Timer } from "../../base/index.ts";
import type { Screen } from "../screen.ts";
import { LiveArea } from "./live-area.ts";

/** How often it is drawn: often enough to turn smoothly, rarely enough to cost nothing. */
const everyMs = 100;

/** What stays behind may be longer than the terminal, but not without an end. */
const mostLines = 200;

/** How a picture is to be drawn. */
export interface Shape {
  readonly columns: number;
  /** So many lines at most. */
  readonly height: number;
  /** It changes still; false for what stays behind. */
  readonly live: boolean;
  /** Counts up; for what turns. */
  readonly frame: number;
}

/** What {@link LivePicture} needs besides the screen. */
export interface PictureOptions {
  readonly clock: Clock;
  readonly lines: (shape: Shape) => string[];
  /** Fewer lines make no picture, however small the terminal is. */
  readonly leastLines: number;
}

/** Lines that change in place for as long as something goes on, and stay as they are at its end. */
export class LivePicture {
  readonly #screen: Screen;
  readonly #options: PictureOptions;
  readonly #stopWatching: () => void;
  #area: LiveArea | undefined;
  #timer: Timer | undefined;
  #frame = 0;
  #closed = false;

  constructor(screen: Screen, options: PictureOptions) {
    this.#screen = screen;
    this.#options = options;
    this.#stopWatching = screen.onResize(() => this.#draw());
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Begins to draw; before that there is nothing to be seen, so that what cannot begin leaves no trace. */
  begin(): void {
    if (this.#area !== undefined || this.#closed) return;
    this.#area = new LiveArea(this.#screen);
    this.#tick();
  }

  /** Makes room for something else, until what it gives is called. */
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

  /** Writes lines that stay, above what changes. */
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
    this.#area?.end(this.#lines(mostLines, false));
  }

  #tick(): void {
    this.#draw();
    this.#frame++;
    this.#timer = this.#options.clock.after(everyMs, () => this.#tick());
    // It is the run that keeps the program going.
    this.#timer.hold(false);
  }

  #draw(): void {
    // One line below stays free for the cursor: what has scrolled away can no longer be changed.
    this.#area?.draw(this.#lines(Math.max(this.#options.leastLines, this.#screen.rows - 1), true));
  }

  #lines(height: number, live: boolean): string[] {
    return this.#options.lines({ columns: this.#screen.columns, height, live, frame: this.#frame });
  }
}
