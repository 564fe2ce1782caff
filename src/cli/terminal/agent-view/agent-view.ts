import {
  type AgentListener,
  type AgentResult,
  type ReasoningBlock,
  type ReasoningStep,
  foldReasoning,
  emptyReasoningBlock,
  type AgentEvent,
} from "../../../agent/index.ts";
import { type Clock, systemClock } from "../../../base/index.ts";
import type { Terminal } from "../terminal.ts";
import { LiveView, type LiveViewSize } from "../run-view/live-view.ts";
import type { Screen } from "../screen.ts";
import { blockLines, stateLabel } from "./block-lines.ts";
import { isRecord } from "../../../schema/index.ts";
import { toOneLine } from "../format-table.ts";
import { clockTime } from "../format-figures.ts";
import { cliTexts } from "../texts/cli-texts.ts";

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

/** Prints a line with the time for every event: for files, pipes and other programs. */
function plainAgentView(terminal: Pick<Terminal, "log">): AgentRunView {
  let block = emptyReasoningBlock;
  /** Number of steps that ended before this process claimed the run. */
  let past = 0;
  return {
    onEvent: (event) => {
      block = foldReasoning(block, event);
      if (event.replayed === true) {
        if (event.type === "tool-finished") past++;
        if (event.type !== "run-started") return;
      }
      const isFirst = past > 0 && event.type !== "run-started";
      const before = isFirst ? [cliTexts[block.language].agent.before(past)] : [];
      if (event.type !== "run-started") past = 0;
      for (const line of [...before, ...linesOf(event, block)]) terminal.log(`${clockTime(event.at)} ${line}`);
    },
    pause: () => () => {},
    close: () => {},
  };
}

function linesOf(event: AgentEvent, block: ReasoningBlock): readonly string[] {
  const words = cliTexts[block.language].agent;
  switch (event.type) {
    case "run-started":
      return [words.began(toOneLine(event.runner), toOneLine(event.runId))];
    case "run-finished":
      return [words.ended(stateLabel(block)[0], event.durationMs)];
    case "round-restarted":
      return [words.retrying];
    case "round-waiting":
      return [toOneLine(stepOf(block, `${event.part}.${event.round}`)?.detail ?? "")];
    case "round-finished":
      return stepText(stepOf(block, `${event.part}.${event.round}`));
    case "notice":
      return [words.note(toOneLine(block.steps.at(-1)?.text ?? event.text))];
    default:
      return "callId" in event ? linesOfCall(event, block) : [];
  }
}

function linesOfCall(event: Extract<AgentEvent, { callId: string }>, block: ReasoningBlock): readonly string[] {
  const step = stepOf(block, `${event.part}.${event.round}.${event.callId}`);
  const words = cliTexts[block.language].agent;
  const tool = toOneLine(event.tool);
  switch (event.type) {
    case "tool-started":
      return stepText(step);
    case "tool-finished":
      return endLines(event, step, block);
    case "tool-progress":
      // The first progress of indexing the notes: it takes a while, and one line is enough for a log.
      return step !== undefined && isRecord(event.value) && event.value["seen"] === 0 ? [detailOf(step)] : [];
    case "approval-requested":
      return [words.waits(tool, toOneLine(event.approvalId), toOneLine(event.message))];
    case "approval-decided":
      return [words.decided(tool, event.approved)];
    default:
      return event satisfies never;
  }
}

function detailOf(step: ReasoningStep): string {
  return toOneLine(step.detail ?? "");
}

/** The line of a call that ended. A background tool has a step only if something is wrong with it. */
function endLines(
  { tool, displayName = tool, success: well, durationMs: ms }: Extract<AgentEvent, { type: "tool-finished" }>,
  step: ReasoningStep | undefined,
  { language }: ReasoningBlock,
): readonly string[] {
  // A read was already reported; its content is for the model.
  // These tools return text written by others.
  if (step === undefined || (well && /^read_(?:note|file|result)$/.test(tool))) return [];
  return [cliTexts[language].agent.called(toOneLine(displayName), { well, ms, detail: detailOf(step) })];
}

function stepOf({ steps }: ReasoningBlock, id: string): ReasoningStep | undefined {
  return steps.findLast((step) => step.id === id);
}

function stepText(step: ReasoningStep | undefined): readonly string[] {
  return step === undefined ? [] : [toOneLine(step.text)];
}
