import { type Clock, systemClock } from "../../../base/index.ts";
import type { RunListener } from "../../../chain/index.ts";
import type { Terminal } from "../terminal.ts";
import { plainView } from "./plain-view.ts";
import type { Screen } from "../screen.ts";
import { LiveView } from "./live-view.ts";
import { RunRows } from "./run-rows.ts";
import { treeLines } from "./tree-lines.ts";

/** Shows the progress of a run. */
export interface RunView {
  readonly onEvent: RunListener;
  /** Pauses the view for a prompt; the returned function resumes it. */
  pause(): () => void;
  /** Leaves the current output unchanged; has no effect the second time. */
  close(): void;
}

/** A live tree at a terminal; otherwise a line per event. */
export function openRunView(terminal: Terminal, clock: Clock = systemClock): RunView {
  const { screen } = terminal;
  return screen === undefined ? plainView(terminal) : treeView(screen, { terminal, clock });
}

/** Draws the steps of a run as a tree in place. */
export function treeView(
  screen: Screen,
  { terminal, clock }: { readonly terminal: Pick<Terminal, "tint">; readonly clock: Clock },
): RunView {
  const rows = new RunRows(() => clock.elapsed());
  const picture = new LiveView(screen, {
    clock,
    minLines: 4,
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
