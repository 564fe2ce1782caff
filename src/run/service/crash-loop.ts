import { type Failure, type FailureError, cliCommand, fail } from "../../base/index.ts";
import type { StoredRun } from "../../store/index.ts";

/** A run whose owners died this often in a row, without a new outcome in between, is not resumed by itself any more. */
export const maxDeaths = 5;

/** The failure of a run that probably ends the process that executes it. A person can still resume it. */
export function crashLoopFailure(runId: string): FailureError {
  const message =
    `the process that executed run ${runId} has died ${maxDeaths} times in a row, without a new outcome; find the cause, ` +
    `then continue the run with: ${cliCommand(`resume ${runId}`)}, or start it again with: ${cliCommand(`rerun ${runId}`)}`;
  return fail(message, { code: "crash_loop" });
}

/** True if a run has failed only because its owners died. */
export function isCrashLoop({ status, error }: Pick<StoredRun, "status" | "error">): boolean {
  // Written when the run ended.
  return status === "failed" && error !== undefined && (JSON.parse(error) as Failure).code === "crash_loop";
}
