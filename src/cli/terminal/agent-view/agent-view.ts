import {
  type AgentListener,
  type AgentResult,
  type ReasoningBlock,
  type ReasoningStep,
  foldReasoning,
  emptyReasoningBlock,
} from "../../../agent/index.ts";
import { type Clock, systemClock } from "../../../base/index.ts";
import type { Terminal } from "../terminal.ts";
import { plainAgentView } from "./plain-agent-view.ts";
import { LiveView, type LiveViewSize } from "../run-view/live-view.ts";
import type { Screen } from "../screen.ts";
import { blockLines } from "./block-lines.ts";

/** Shows the progress of a run of an agent. */
export interface AgentRunView {
  readonly onEvent: AgentListener;
  /** Shows the result of the run, if the view does not show it otherwise. */
  readonly onResult?: (result: AgentResult) => void;
  /** Pauses the view for a prompt; the returned function resumes it. */
  pause(): () => void;
  /**
   * While paused: leaves the finished steps permanently above the following output, if they fit on the screen besides
   * `below` rows. Returns the number of rows they take.
   */
  readonly release?: (below: number) => number;
  /** Leaves the current output unchanged; has no effect the second time. */
  close(): void;
}

/** A live block at a terminal, with the answer as it is written; otherwise a line per event. */
export function openAgentRunView(terminal: Terminal, clock: Clock = systemClock): AgentRunView {
  const { screen } = terminal;
  return screen === undefined ? plainAgentView(terminal) : blockView(screen, { terminal, clock });
}

/** On a smaller screen, a prompt needs all rows. */
const minRows = 24;

/** The state, the line about omitted steps, and two steps. */
const minLeft = 4;

/** Draws the reasoning block of a run in place, with its answer as it is written. */
function blockView(
  screen: Screen,
  { terminal, clock }: { readonly terminal: Pick<Terminal, "tint">; readonly clock: Clock },
): AgentRunView {
  const startedAt = clock.elapsed();
  let block: ReasoningBlock = emptyReasoningBlock;
  /** Steps that are already above a prompt, and are not shown again. */
  const left = new Set<string>();
  const others = (): readonly ReasoningStep[] => block.steps.filter(({ id }) => !left.has(id));
  const draw = (steps: readonly ReasoningStep[], shape: LiveViewSize): string[] =>
    blockLines(
      { ...block, steps },
      { ...shape, elapsedMs: clock.elapsed() - startedAt, tint: (style, text) => terminal.tint(style, text) },
    );
  const picture = new LiveView(screen, { clock, minLines: 5, lines: (shape) => draw(others(), shape) });
  return {
    onEvent: (event) => {
      if (picture.closed) return;
      block = foldReasoning(block, event);
      if (event.type === "run-started") picture.begin();
    },
    pause: () => picture.pause(),
    release: (below) => {
      const { columns, rows } = screen;
      const done = others().filter(({ durationMs }) => durationMs !== undefined);
      if (rows < minRows || done.length === 0) return 0;
      const lines = draw(done, { columns, height: Math.max(minLeft, rows - below), live: false, frame: 0 });
      for (const { id } of done) left.add(id);
      picture.leave(lines);
      return lines.length;
    },
    close: () => picture.close(),
  };
}
