import type { JournalHost } from "../../chain/index.ts";
import type { ApprovalStore, JournalEvent } from "../../store/index.ts";
import type { AgentResult } from "../agent-result.ts";
import type { AgentRun } from "./agent-run.ts";
import type { AgentRuns } from "./agent-runs.ts";
import { endSubRun } from "./sub-runs.ts";

/** The questions to people that a run waits for: its own, and those of the agents that it called as tools. */
export class RunQuestions {
  readonly #runs: AgentRuns;
  readonly #store: ApprovalStore;
  readonly #run: AgentRun;
  /** Everything that was asked in its lives. */
  readonly #asked: ReadonlySet<string>;
  /** An earlier life may have left agents that it called. */
  readonly #mayHaveLeft: boolean;

  /** @param events What happened before this life of the run. */
  constructor(runs: AgentRuns, run: AgentRun, events: readonly JournalEvent[]) {
    this.#runs = runs;
    this.#store = runs.approvals;
    this.#run = run;
    this.#asked = new Set([...events.flatMap(approvalIn), ...run.asked]);
    this.#mayHaveLeft = events.length > 0;
  }

  /** Those that nobody has answered yet. */
  async open(now: number): Promise<NonNullable<AgentResult["approvals"]>> {
    const { runId } = this.#run;
    const pending = await this.#store.list(now, "pending");
    return pending
      .filter((one) => one.runId === runId || this.#asked.has(one.id))
      .map(({ id, tool, args, message, interrupted }) => ({
        id,
        tool,
        args,
        message,
        ...(interrupted && { interrupted }),
      }));
  }

  /** The run is over: nobody needs an answer, and no agent that it called goes on. */
  async end(host: JournalHost, now: number): Promise<void> {
    await host.endQuestions();
    const { runId, cancelledBy } = this.#run;
    try {
      for (const id of this.#asked) {
        const under = (await this.#store.get(id, now))?.runId;
        if (under !== undefined && under !== runId) await endSubRun(this.#runs, under, cancelledBy);
      }
      if (this.#mayHaveLeft) await this.#runs.endCalledBy(runId, cancelledBy);
    } catch (error) {
      process.emitWarning(
        `an agent that run ${runId} called, which is over, may still wait or go on: ${String(error)}`,
      );
    }
  }
}

/** Answers what a run still asks that is over, and of which nothing else is known. */
export async function rejectOpen(store: ApprovalStore, run: string, now: number): Promise<void> {
  for (const { id, runId } of await store.list(now, "pending")) {
    if (runId === run) await store.decide(id, { approved: false, note: "the run is over" }, now);
  }
}

function approvalIn({ kind, data }: JournalEvent): readonly string[] {
  if (kind !== "waiting") return [];
  // Written by the host.
  const { approvalId } = data as { readonly approvalId?: string };
  return approvalId === undefined ? [] : [approvalId];
}
