import { type FailureError, fail, failure, cliCommand } from "../../base/index.ts";
import type { CallOutcome, HostOutcome, CallWork } from "../host.ts";
import type { RecordedStart } from "../replay/replay-log.ts";

/** Outcome of a call that was cancelled and whose end was never acknowledged. */
export function unacknowledgedOutcome({ tool }: CallWork, started: RecordedStart | undefined, at: number): CallOutcome {
  const message =
    started === undefined
      ? `${tool} was cancelled before it started`
      : `${tool} was cancelled, and its process ended before reporting an outcome`;
  const meta = { callId: "", source: "", attempts: 0 };
  const error = failure("cancelled", message);
  return {
    kind: "call",
    result: { success: false, tool, error, durationMs: 0, executedAt: at, meta },
    effect: started?.effect,
  };
}

/** True if the outcome may be delivered before it is durable: if a crash loses it, re-executing it is harmless. */
export function isSafeToRepeat(outcome: HostOutcome): boolean {
  if (outcome.kind === "call") return outcome.effect !== "once" && outcome.effect !== "idempotent";
  return outcome.kind === "fired";
}

/** Failure of a run that has no pending work and can make no progress. */
export function stalledRunFailure(runId: string): FailureError {
  const message = `run ${runId} cannot continue: its journal has no pending work; start again with: ${cliCommand(`rerun ${runId}`)}`;
  return fail(message, { code: "run_changed", reason: "stuck" });
}
