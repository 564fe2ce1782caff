import { type Clock, systemClock } from "../../base/index.ts";
import type { RunListener } from "../../chain/index.ts";
import type { Terminal } from "../terminal.ts";
import { plainView } from "./plain-view.ts";
import { treeView } from "./tree-view.ts";

/** Shows a run while it goes on. */
export interface RunView {
  readonly onEvent: RunListener;
  /** Gives the terminal up for a question, until what it gives is called. */
  pause(): () => void;
  /** Leaves what is shown as it is; nothing happens the second time. */
  close(): void;
}

/** A live tree at a terminal; a line for everything that happens elsewhere. */
export function openRunView(terminal: Terminal, clock: Clock = systemClock): RunView {
  const { screen } = terminal;
  return screen === undefined ? plainView(terminal) : treeView(screen, { terminal, clock });
}
