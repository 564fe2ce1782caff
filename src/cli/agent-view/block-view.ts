import { type ReasoningBlock, foldReasoning, noReasoning } from "../../agent/index.ts";
import type { Clock } from "../../base/index.ts";
import { LivePicture } from "../run-view/live-picture.ts";
import type { Screen } from "../screen.ts";
import type { Terminal } from "../terminal.ts";
import type { AgentView } from "./agent-view.ts";
import { blockLines } from "./block-lines.ts";

/** What a block needs besides the screen. */
export interface BlockViewOptions {
  readonly terminal: Pick<Terminal, "tint">;
  readonly clock: Clock;
}

/** The reasoning block of a run, and its answer as it is written, in place. */
export function blockView(screen: Screen, { terminal, clock }: BlockViewOptions): AgentView {
  const startedAt = clock.elapsed();
  let block: ReasoningBlock = noReasoning;
  const picture = new LivePicture(screen, {
    clock,
    leastLines: 5,
    lines: (shape) =>
      blockLines(block, {
        ...shape,
        elapsedMs: clock.elapsed() - startedAt,
        tint: (style, text) => terminal.tint(style, text),
      }),
  });
  return {
    onEvent: (event) => {
      if (picture.closed) return;
      block = foldReasoning(block, event);
      if (event.type === "run-started") picture.begin();
    },
    pause: () => picture.pause(),
    close: () => picture.close(),
  };
}
