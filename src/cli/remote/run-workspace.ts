import type { AgentRuns } from "../../agent/index.ts";
import type { ChainRuns, RunResult } from "../../chain/index.ts";
import type { ApprovalService, Engine } from "../../engine/index.ts";
import type { DurableCalls } from "../../run/index.ts";
import type { RunReader } from "../../store/index.ts";

/** The result of a run of a chain, as far as commands report it. */
export type ChainRunResult = Pick<RunResult, "runId" | "status" | "success" | "error" | "log">;

type ChainRunMethods = "resume" | "rerun" | "inspect";

/** Methods that return the result of a run, as far as commands report it. */
type ReportedRuns = {
  readonly [Name in ChainRunMethods]: (...args: Parameters<ChainRuns[Name]>) => Promise<ChainRunResult>;
};

/** Runs and approvals as commands use them: of the workspace of this machine, or of a server. */
export interface RunWorkspace {
  readonly engine: Pick<Engine, "redactor" | "subscribe">;
  readonly approvals: Pick<ApprovalService, "decide" | "find" | "list">;
  /** Undefined if runs are not persisted. */
  readonly store: { readonly runs: Pick<RunReader, "list" | "read"> } | undefined;
  readonly runs: Pick<ChainRuns, "cancel" | "close" | "deliver" | "list" | "previewRerun"> & ReportedRuns;
  readonly calls: Pick<DurableCalls, "cancel" | "inspect" | "resume">;
  agents(): Promise<Pick<AgentRuns, "cancel" | "close" | "inspect" | "resume">>;
}
