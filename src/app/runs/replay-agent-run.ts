import {
  type AgentEvent,
  type AgentResult,
  type ReasoningBlock,
  deserializeAgentRun,
  toReasoningBlock,
} from "../../agent/index.ts";
import type { RunStatus } from "../../store/index.ts";
import type { InspectedRun } from "./inspect-run.ts";

/** A run of an agent as it is shown. */
export interface AgentRunDetails {
  readonly prompt: string;
  readonly result: AgentResult;
  /** With secrets redacted. */
  readonly block: ReasoningBlock;
}

/** Replays a run from its journal; nothing is executed. */
export async function replayAgentRun({ workspace, run }: InspectedRun): Promise<AgentRunDetails> {
  const events: AgentEvent[] = [];
  const runs = await workspace.agents();
  const result = await runs.inspect(run.id, (event) => events.push(event));
  const message = toReasoningBlock(events);
  const block = {
    ...message,
    state: states[run.status] ?? message.state,
    answer: result.answer,
    thinking: "",
  };
  return { prompt: workspace.engine.redactor.knownText(deserializeAgentRun(run).prompt.text), result, block };
}

/** Maps run status to block state. A running run keeps the state of its last event. */
const states: Readonly<Record<RunStatus, ReasoningBlock["state"] | undefined>> = {
  running: undefined,
  waiting: "waiting",
  success: "completed",
  failed: "failed",
  cancelled: "cancelled",
};
