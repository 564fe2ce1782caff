import {
  type AgentEvent,
  type ReasoningBlock,
  type ReasoningStep,
  foldReasoning,
  noReasoning,
} from "../../agent/index.ts";
import { formatDuration } from "../../text/index.ts";
import { formatCount } from "../format-figures.ts";
import { oneLine } from "../format-table.ts";
import { clockTime } from "../run-view/clock-time.ts";
import type { Terminal } from "../terminal.ts";
import type { AgentView } from "./agent-view.ts";
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
      const before = past === 0 || event.type === "run-started" ? [] : [`${formatCount(past, "call")} made before`];
      if (event.type !== "run-started") past = 0;
      for (const line of [...before, ...linesOf(event, block)]) terminal.tell(`${clockTime(event.at)} ${line}`);
    },
    pause: () => () => {},
    close: () => {},
  };
}

function linesOf(event: AgentEvent, block: ReasoningBlock): readonly string[] {
  switch (event.type) {
    case "run-started":
      return [`${oneLine(event.runner)}: run ${oneLine(event.runId)}`];
    case "run-finished":
      return [`${stateWord(block)[0]}, ${formatDuration(event.durationMs)}`];
    case "round-restarted":
      return [block.language === "zh" ? "连接中断，重新提问" : "the stream broke, and is asked for again"];
    case "round-finished":
      return said(stepOf(block, `${event.part}.${event.round}`));
    case "note":
      return [`note: ${oneLine(event.text)}`];
    default:
      return "callId" in event ? linesOfCall(event, block) : [];
  }
}

function linesOfCall(event: Extract<AgentEvent, { callId: string }>, block: ReasoningBlock): readonly string[] {
  const step = stepOf(block, `${event.part}.${event.round}.${event.callId}`);
  const tool = oneLine(event.tool);
  switch (event.type) {
    case "tool-started":
      return said(step);
    case "tool-finished":
      return ended(step);
    case "tool-progress":
      return [];
    case "approval-asked":
      return [`${tool} waits for approval ${oneLine(event.approvalId)}: ${oneLine(event.message)}`];
    case "approval-decided":
      return [`${tool} ${event.approved ? "approved" : "rejected"}`];
    default:
      return event satisfies never;
  }
}

function stepOf({ steps }: ReasoningBlock, id: string): ReasoningStep | undefined {
  return steps.findLast((step) => step.id === id);
}

function said(step: ReasoningStep | undefined): readonly string[] {
  return step === undefined ? [] : [oneLine(step.text)];
}

function ended(step: ReasoningStep | undefined): readonly string[] {
  if (step === undefined) return [];
  const { state, tool = "", durationMs = 0, detail } = step;
  const how = state === "failed" ? "failed after" : "done in";
  return [
    `${oneLine(tool)}: ${how} ${formatDuration(durationMs)}${detail === undefined ? "" : `; ${oneLine(detail)}`}`,
  ];
}
