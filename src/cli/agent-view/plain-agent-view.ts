import {
  type AgentEvent,
  type ReasoningBlock,
  type ReasoningStep,
  foldReasoning,
  noReasoning,
} from "../../agent/index.ts";
import { oneLine } from "../format-table.ts";
import { clockTime } from "../run-view/clock-time.ts";
import type { Terminal } from "../terminal.ts";
import type { AgentView } from "./agent-view.ts";
import { agentWords } from "./agent-words.ts";
import { stateWord } from "./state-words.ts";

/** A line with the time for everything that happens: for files, pipes and other programs. */
export function plainAgentView(terminal: Pick<Terminal, "tell">): AgentView {
  let block = noReasoning;
  /** Steps that were over before this process took up the run. */
  let past = 0;
  return {
    onEvent: (event) => {
      block = foldReasoning(block, event);
      if (event.replayed === true) {
        if (event.type === "tool-finished") past++;
        if (event.type !== "run-started") return;
      }
      const isFirst = past > 0 && event.type !== "run-started";
      const before = isFirst ? [agentWords[block.language].before(past)] : [];
      if (event.type !== "run-started") past = 0;
      for (const line of [...before, ...linesOf(event, block)]) terminal.tell(`${clockTime(event.at)} ${line}`);
    },
    pause: () => () => {},
    close: () => {},
  };
}

function linesOf(event: AgentEvent, block: ReasoningBlock): readonly string[] {
  const words = agentWords[block.language];
  switch (event.type) {
    case "run-started":
      return [words.began(oneLine(event.runner), oneLine(event.runId))];
    case "run-finished":
      return [words.ended(stateWord(block)[0], event.durationMs)];
    case "round-restarted":
      return [words.asksAgain];
    case "round-waiting":
      return [oneLine(stepOf(block, `${event.part}.${event.round}`)?.detail ?? "")];
    case "round-finished":
      return said(stepOf(block, `${event.part}.${event.round}`));
    case "note":
      return [words.note(oneLine(block.steps.at(-1)?.text ?? event.text))];
    default:
      return "callId" in event ? linesOfCall(event, block) : [];
  }
}

function linesOfCall(event: Extract<AgentEvent, { callId: string }>, block: ReasoningBlock): readonly string[] {
  const step = stepOf(block, `${event.part}.${event.round}.${event.callId}`);
  const words = agentWords[block.language];
  const tool = oneLine(event.tool);
  switch (event.type) {
    case "tool-started":
      return said(step);
    case "tool-finished": {
      const { durationMs: ms, success: well } = event;
      const detail = oneLine(step?.detail ?? "");
      // That it is read was told; what stands in it is for the model.
      return well && isReading(tool) ? [] : [words.called(tool, { well, ms, detail })];
    }
    case "tool-progress":
      return [];
    case "approval-asked":
      return [words.waits(tool, oneLine(event.approvalId), oneLine(event.message))];
    case "approval-decided":
      return [words.decided(tool, event.approved)];
    default:
      return event satisfies never;
  }
}

/** Tools that give back what somebody wrote. */
function isReading(tool: string): boolean {
  return /^read_(?:note|file|result)$/.test(tool);
}

function stepOf({ steps }: ReasoningBlock, id: string): ReasoningStep | undefined {
  return steps.findLast((step) => step.id === id);
}

function said(step: ReasoningStep | undefined): readonly string[] {
  return step === undefined ? [] : [oneLine(step.text)];
}
