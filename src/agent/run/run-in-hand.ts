import type { JournalEvent, RunLease } from "../../store/index.ts";
import type { AgentQuestion } from "../runner.ts";
import type { KeptAgentRun } from "./kept-run.ts";

/** A run that somebody executes, or looks at. */
export interface RunInHand {
  readonly kept: KeptAgentRun;
  /** With what was said before, whoever keeps that. */
  readonly question: AgentQuestion;
  readonly lease: RunLease;
  readonly startedAt: number;
  /** What happened to it so far. */
  readonly events: readonly JournalEvent[];
  /** Who wanted it cancelled, null where nobody was named; undefined while nobody does. */
  readonly cancelledBy?: string | null | undefined;
}
