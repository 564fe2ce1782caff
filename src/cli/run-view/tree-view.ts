import type { Clock, Timer } from "../../base/index.ts";
import type { RunEvent } from "../../chain/index.ts";
import type { Screen } from "../screen.ts";
import type { Terminal } from "../terminal.ts";
import { LiveArea } from "./live-area.ts";
import { RunRows } from "./run-rows.ts";
import type { RunView } from "./run-view.ts";
import { treeLines } from "./tree-lines.ts";

/** How often it is drawn: often enough to turn smoothly, rarely enough to cost nothing. */
const everyMs = 100;

/** The tree that stays behind may be longer than the terminal, but not without an end. */
const mostLines = 200;

/** What a tree needs besides the screen. */
export interface TreeViewOptions {
  readonly terminal: Pick<Terminal, "tint">;
  readonly clock: Clock;
}

/** The steps of a run as a tree that changes in place. */
export function treeView(screen: Screen, options: TreeViewOptions): RunView {
  return new TreeView(screen, options);
}

class TreeView implements RunView {
  readonly #screen: Screen;
  readonly #options: TreeViewOptions;
  readonly #rows: RunRows;
  readonly #stopWatching: () => void;
  #area: LiveArea | undefined;
  #timer: Timer | undefined;
  #frame = 0;
  #closed = false;

  constructor(screen: Screen, options: TreeViewOptions) {
    this.#screen = screen;
    this.#options = options;
    this.#rows = new RunRows(() => options.clock.elapsed());
    this.#stopWatching = screen.onResize(() => this.#draw());
  }

  readonly onEvent = (event: RunEvent): void => {
    if (this.#closed) return;
    this.#rows.apply(event);
    // Nothing is shown before there is something: a run that cannot begin leaves no trace.
    if (this.#area !== undefined || event.type !== "run-started") return;
    this.#area = new LiveArea(this.#screen);
    this.#tick();
  };

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

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#timer?.cancel();
    this.#stopWatching();
    this.#area?.end(this.#lines({ height: mostLines, foot: false }));
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
    this.#area?.draw(this.#lines({ height: Math.max(4, this.#screen.rows - 1), foot: true }));
  }

  #lines(shape: { readonly height: number; readonly foot: boolean }): string[] {
    const { terminal, clock } = this.#options;
    return treeLines(this.#rows, {
      ...shape,
      columns: this.#screen.columns,
      now: clock.elapsed(),
      frame: this.#frame,
      tint: (style, text) => terminal.tint(style, text),
    });
  }
}
