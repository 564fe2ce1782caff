import type { AgentListener, AgentResult } from "../../agent/index.ts";
import { type Clock, systemClock } from "../../base/index.ts";
import type { Terminal } from "../terminal.ts";
import { blockView } from "./block-view.ts";
import { plainAgentView } from "./plain-agent-view.ts";

/** Shows a run of an agent while it goes on. */
export interface AgentView {
  readonly onEvent: AgentListener;
  /** Shows what the run gave, where it does not show itself. */
  readonly onResult?: (result: AgentResult) => void;
  /** Gives the terminal up for a question, until what it gives is called. */
  pause(): () => void;
  /**
   * While it is paused: leaves what is done so far above what comes now, for good, where the screen has room for it besides
   * so many rows. Gives how many it takes.
   */
  readonly leave?: (below: number) => number;
  /** Leaves what is shown as it is; nothing happens the second time. */
  close(): void;
}

/** A live block at a terminal, with the answer as it is written; a line for everything that happens elsewhere. */
export function openAgentView(terminal: Terminal, clock: Clock = systemClock): AgentView {
  const { screen } = terminal;
  return screen === undefined ? plainAgentView(terminal) : blockView(screen, { terminal, clock });
}
