import { type AgentEvent, type ReasoningBlock, foldReasoning, noReasoning } from "../../agent/index.ts";
import type { Clock, Timer } from "../../base/index.ts";
import { LiveArea } from "../run-view/live-area.ts";
import type { Screen } from "../screen.ts";
import type { Terminal } from "../terminal.ts";
import type { AgentView } from "./agent-view.ts";
import { blockLines } from "./block-lines.ts";

/** How often it is drawn. */
const everyMs = 100;

/** The block that stays behind may be longer than the terminal, but not without an end. */
const mostLines = 200;

/** What a block needs besides the screen. */
export interface BlockViewOptions {
  readonly terminal: Pick<Terminal, "tint">;
  readonly clock: Clock;
}

/** The reasoning block of a run, and its answer as it is written, in place. */
export function blockView(screen: Screen, options: BlockViewOptions): AgentView {
  return new BlockView(screen, options);
}

class BlockView implements AgentView {
  readonly #screen: Screen;
  readonly #options: BlockViewOptions;
  readonly #stopWatching: () => void;
  readonly #startedAt: number;
  #block: ReasoningBlock = noReasoning;
  #area: LiveArea | undefined;
  #timer: Timer | undefined;
  #frame = 0;
  #closed = false;

  constructor(screen: Screen, options: BlockViewOptions) {
    this.#screen = screen;
    this.#options = options;
    this.#startedAt = options.clock.elapsed();
    this.#stopWatching = screen.onResize(() => this.#draw());
  }

  readonly onEvent = (event: AgentEvent): void => {
    if (this.#closed) return;
    this.#block = foldReasoning(this.#block, event);
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
    this.#area?.end(this.#lines({ height: mostLines, live: false }));
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
    this.#area?.draw(this.#lines({ height: Math.max(5, this.#screen.rows - 1), live: true }));
  }

  #lines(shape: { readonly height: number; readonly live: boolean }): string[] {
    const { terminal, clock } = this.#options;
    return blockLines(this.#block, {
      ...shape,
      columns: this.#screen.columns,
      elapsedMs: clock.elapsed() - this.#startedAt,
      frame: this.#frame,
      tint: (style, text) => terminal.tint(style, text),
    });
  }
}
