import { cancelSubRun } from "../../run/index.ts";
import type { ApprovalStore, JournalEvent } from "../../store/index.ts";
import type { AgentResult } from "../events/agent-result.ts";
import type { AgentRun } from "./agent-run.ts";
import type { AgentRuns } from "./agent-runs.ts";

/** The approvals that a run waits for: its own, and those of the agents that it called as tools. */
export class AgentRunApprovals {
  readonly #runs: AgentRuns;
  readonly #store: ApprovalStore;
  readonly #run: AgentRun;
  /** All approvals requested in any execution of the run. */
  readonly #requested: ReadonlySet<string>;
  /** An earlier process may have left called agents unfinished. */
  readonly #mayBeOpen: boolean;

  /** @param events Journal events from before this execution of the run. */
  constructor(runs: AgentRuns, run: AgentRun, events: readonly JournalEvent[]) {
    this.#runs = runs;
    this.#store = runs.approvals;
    this.#run = run;
    this.#requested = new Set([...events.flatMap(approvalIn), ...run.requestedApprovals]);
    this.#mayBeOpen = events.length > 0;
  }

  /** The pending approvals. */
  async open(now: number): Promise<NonNullable<AgentResult["approvals"]>> {
    const { runId } = this.#run;
    const pending = await this.#store.list(now, "pending");
    return pending
      .filter((one) => one.runId === runId || this.#requested.has(one.id))
      .map(({ id, tool, args, message, interrupted }) => ({
        id,
        tool,
        args,
        message,
        ...(interrupted && { interrupted }),
      }));
  }

  /** The run has ended: cancels the agents that it called. */
  async end(now: number): Promise<void> {
    const { runId, cancelledBy } = this.#run;
    try {
      for (const id of this.#requested) {
        const under = (await this.#store.get(id, now))?.runId;
        if (under !== undefined && under !== runId) await cancelSubRun(this.#runs, under, cancelledBy);
      }
      if (this.#mayBeOpen) await this.#runs.cancelSubRuns(runId, cancelledBy);
    } catch (error) {
      process.emitWarning(`an agent that the ended run ${runId} called may still wait or run: ${String(error)}`);
    }
  }
}

function approvalIn({ kind, data }: JournalEvent): readonly string[] {
  if (kind !== "waiting") return [];
  // Written by the host.
  const { approvalId } = data as { readonly approvalId?: string };
  return approvalId === undefined ? [] : [approvalId];
}
