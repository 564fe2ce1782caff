import { readAgentRun } from "../../agent/index.ts";
import type { Workspace } from "../../app/index.ts";

/** A question of a conversation that waits for a person. */
export interface WaitingQuestion {
  readonly runId: string;
  /** Secrets redacted. */
  readonly text: string;
}

/** The questions of a conversation that wait for a person, the oldest first, also those of other processes. */
export async function waitingQuestions(
  { runs, engine }: Workspace,
  conversationId: string,
): Promise<readonly WaitingQuestion[]> {
  const waiting = await runs.list({ conversation: conversationId, status: "waiting", limit: 1000 });
  return waiting
    .map((run) => ({ runId: run.id, text: engine.redactor.knownText(readAgentRun(run).question.text) }))
    .reverse();
}
