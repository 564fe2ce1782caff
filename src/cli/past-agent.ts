import { type AgentEvent, type AgentResult, type ReasoningBlock, readAgentRun, reasoningOf } from "../agent/index.ts";
import type { Workspace } from "../app/index.ts";
import type { RunStatus, StoredRun } from "../store/index.ts";

/** A run of an agent that is looked at. */
export interface PastAgent {
  readonly workspace: Workspace;
  readonly run: StoredRun;
  /** Its process is gone, and nobody executes it. */
  readonly left: boolean;
}

/** What is known of it. */
export interface LookedAt {
  readonly question: string;
  readonly result: AgentResult;
  /** Secrets redacted. */
  readonly block: ReasoningBlock;
}

/** Tells a run again from its journal; nothing is executed. */
export async function lookAtAgent({ workspace, run }: PastAgent): Promise<LookedAt> {
  const events: AgentEvent[] = [];
  const runs = await workspace.agents();
  const result = await runs.inspect(run.id, (event) => events.push(event));
  const told = reasoningOf(events);
  const block = {
    ...told,
    state: states[run.status] ?? told.state,
    answer: result.answer,
    thinking: "",
  };
  return { question: workspace.engine.redactor.knownText(readAgentRun(run).question.text), result, block };
}

/** How the journal calls what a block calls otherwise. One that is running stands where its events leave it. */
const states: Readonly<Record<RunStatus, ReasoningBlock["state"] | undefined>> = {
  running: undefined,
  waiting: "waiting",
  success: "completed",
  failed: "failed",
  cancelled: "cancelled",
};
