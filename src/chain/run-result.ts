import type { Redactor } from "../secrets/index.ts";
import { type ExecutionLog, toExecutionLog } from "./log/execution-log.ts";
import type { RunFacts } from "./interpreter/run-facts.ts";

/** Result of a run: narrow it on `status`. */
export interface RunResult extends RunFacts {
  /** The run reached its end, and its output is available. */
  readonly success: boolean;
  /** The execution log, as `windlass run --json` prints it. */
  log(): ExecutionLog;
}

/** The facts of a run, with a method for its log. */
export function toRunResult(facts: RunFacts, redactor?: Redactor): RunResult {
  return {
    ...facts,
    success: facts.status === "success",
    log: () => toExecutionLog(facts, redactor === undefined ? {} : { redactor }),
  };
}
