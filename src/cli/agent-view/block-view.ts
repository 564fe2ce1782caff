import { type ReasoningBlock, type ReasoningStep, foldReasoning, noReasoning } from "../../agent/index.ts";
import type { Clock } from "../../base/index.ts";
import { LivePicture, type Shape } from "../run-view/live-picture.ts";
import type { Screen } from "../screen.ts";
import type { Terminal } from "../terminal.ts";
import type { AgentView } from "./agent-view.ts";
import { blockLines } from "./block-lines.ts";

/** What a block needs besides the screen. */
export interface BlockViewOptions {
  readonly terminal: Pick<Terminal, "tint">;
  readonly clock: Clock;
}

/** On a screen that has fewer, a question needs all of it. */
const leastRows = 24;

/** Its state, what is not shown, and two steps. */
const leastLeft = 4;

/** The reasoning block of a run, and its answer as it is written, in place. */
export function blockView(screen: Screen, { terminal, clock }: BlockViewOptions): AgentView {
  const startedAt = clock.elapsed();
  let block: ReasoningBlock = noReasoning;
  /** The steps that stand above a question, and are not shown once more. */
  const left = new Set<string>();
  const others = (): readonly ReasoningStep[] => block.steps.filter(({ id }) => !left.has(id));
  const draw = (steps: readonly ReasoningStep[], shape: Shape): string[] =>
    blockLines(
      { ...block, steps },
      { ...shape, elapsedMs: clock.elapsed() - startedAt, tint: (style, text) => terminal.tint(style, text) },
    );
  const picture = new LivePicture(screen, { clock, leastLines: 5, lines: (shape) => draw(others(), shape) });
  return {
    onEvent: (event) => {
      if (picture.closed) return;
      block = foldReasoning(block, event);
      if (event.type === "run-started") picture.begin();
    },
    pause: () => picture.pause(),
    leave: (below) => {
      const { columns, rows } = screen;
      const done = others().filter(({ durationMs }) => durationMs !== undefined);
      if (rows < leastRows || done.length === 0) return 0;
      const lines = draw(done, { columns, height: Math.max(leastLeft, rows - below), live: false, frame: 0 });
      for (const { id } of done) left.add(id);
      picture.leave(lines);
      return lines.length;
    },
    close: () => picture.close(),
  };
}
