import type { Clock } from "../../base/index.ts";
import type { Screen } from "../screen.ts";
import type { Terminal } from "../terminal.ts";
import { LivePicture } from "./live-picture.ts";
import { RunRows } from "./run-rows.ts";
import type { RunView } from "./run-view.ts";
import { treeLines } from "./tree-lines.ts";

/** What a tree needs besides the screen. */
export interface TreeViewOptions {
  readonly terminal: Pick<Terminal, "tint">;
  readonly clock: Clock;
}

/** The steps of a run as a tree that changes in place. */
export function treeView(screen: Screen, { terminal, clock }: TreeViewOptions): RunView {
  const rows = new RunRows(() => clock.elapsed());
  const picture = new LivePicture(screen, {
    clock,
    leastLines: 4,
    lines: ({ live: foot, ...shape }) =>
      treeLines(rows, { ...shape, foot, now: clock.elapsed(), tint: (style, text) => terminal.tint(style, text) }),
  });
  return {
    onEvent: (event) => {
      if (picture.closed) return;
      rows.apply(event);
      if (event.type === "run-started") picture.begin();
    },
    pause: () => picture.pause(),
    close: () => picture.close(),
  };
}
