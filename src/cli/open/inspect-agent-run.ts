import {
  type AgentEvent,
  type AgentResult,
  type ReasoningBlock,
  deserializeAgentRun,
  toReasoningBlock,
} from "../../agent/index.ts";
import type { Workspace } from "../../app/index.ts";
import type { RunStatus, StoredRun } from "../../store/index.ts";

/** A run of an agent to inspect. */
export interface InspectedAgentRun {
  readonly workspace: Workspace;
  readonly run: StoredRun;
  /** True if its process has died and no other process holds it. */
  readonly isInterrupted: boolean;
}

/** Details of a run. */
export interface AgentRunInspection {
  readonly prompt: string;
  readonly result: AgentResult;
  /** With secrets redacted. */
  readonly block: ReasoningBlock;
}

/** Replays a run from its journal; nothing is executed. */
export async function inspectAgentRun({ workspace, run }: InspectedAgentRun): Promise<AgentRunInspection> {
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
