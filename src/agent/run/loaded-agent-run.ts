import type { JournalEvent, RunLease } from "../../store/index.ts";
import type { AgentPrompt } from "./runner.ts";
import type { PersistedAgentRun } from "./persisted-agent-run.ts";

/** A run that is executed or inspected. */
export interface LoadedAgentRun {
  readonly persisted: PersistedAgentRun;
  /** With the conversation history, from the run itself or from its conversation. */
  readonly prompt: AgentPrompt;
  readonly lease: RunLease;
  readonly startedAt: number;
  /** The journal of the run so far. */
  readonly events: readonly JournalEvent[];
  /** The person who cancelled it, or null if unknown; undefined if it is not cancelled. */
  readonly cancelledBy?: string | null | undefined;
}

/** The conversation of a run, unless it starts with this execution of the run: no other caller can know it then. */
export function sharedConversation({ persisted, lease, events }: LoadedAgentRun): PersistedAgentRun["conversation"] {
  const isAlone = events.length === 0 && persisted.recordConversationId === lease.runId;
  return isAlone ? undefined : persisted.conversation;
}
