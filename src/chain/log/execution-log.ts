import type { RunStatus } from "../../store/index.ts";
import { createRedactor } from "../../secrets/index.ts";
import type { RunFacts } from "../interpreter/run-facts.ts";
import { allSteps, type RunMetrics, lastMoment, toRunMetrics, rounded } from "./run-metrics.ts";
import { toLocalTime, type LoggedError, type StepLog, toLoggedError, toStepLog, tokensOf } from "./step-log.ts";
import { type LogRedactor, logValue } from "./log-value.ts";

/** Log of a run as JSON: the form in which `windlass run --json` prints it. */
export interface ExecutionLog {
  /** The id of the run. */
  readonly chain_id: string;
  /** The name of the chain. */
  readonly name: string;
  /** Local time with offset. */
  readonly started_at: string;
  /** Null while the run is running. */
  readonly completed_at: string | null;
  readonly duration_ms: number;
  /**
   * In the order of the chain; the steps of a sub-chain follow the step that called it. Without steps that never
   * started.
   */
  readonly steps: readonly StepLog[];
  readonly total_tokens: number;
  readonly success: boolean;
  readonly status: RunStatus;
  readonly input: unknown;
  /** Null if there is none. */
  readonly output: unknown;
  readonly metrics: RunMetrics;
  readonly error?: LoggedError;
}

/** Options of a log. */
export interface ExecutionLogOptions {
  /** Redacts secrets. Default: a redactor that recognizes secret-like names and token formats. */
  readonly redactor?: LogRedactor;
  /** Minutes east of Greenwich. Default: the offset of this machine. */
  readonly utcOffset?: number;
}

/**
 * The execution log of a run, secrets redacted.
 *
 * @example
 * ```ts
 * const log = toExecutionLog(run, { utcOffset: 480 });
 * log.steps.map(({ id, status }) => `${id}: ${status}`); // ["search: success", "summarize: recovered"]
 * ```
 */
export function toExecutionLog(run: RunFacts, options: ExecutionLogOptions = {}): ExecutionLog {
  const { redactor = createRedactor([]), utcOffset } = options;
  const until = lastMoment(run);
  const steps: StepLog[] = [];
  let tokens = 0;
  for (const state of allSteps(run.steps)) {
    const step = toStepLog(state, { redactor, utcOffset, until });
    if (step !== undefined) steps.push(step);
    tokens += tokensOf(state);
  }
  return {
    chain_id: run.runId,
    name: run.plan.name,
    started_at: toLocalTime(run.startedAt, utcOffset),
    completed_at: run.endedAt > 0 ? toLocalTime(run.endedAt, utcOffset) : null,
    duration_ms: rounded(until - run.startedAt, 3),
    steps,
    total_tokens: tokens,
    success: run.status === "success",
    status: run.status,
    input: logValue(run.input ?? null, redactor),
    output: logValue(run.output ?? null, redactor),
    metrics: toRunMetrics(run),
    ...(run.error && { error: toLoggedError(run.error, redactor) }),
  };
}
