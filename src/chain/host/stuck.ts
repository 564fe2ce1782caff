import { type FailureError, fail } from "../../base/index.ts";

/** What a run is answered with that nothing can move any more. */
export function stuck(runId: string): FailureError {
  const message = `run ${runId} cannot go on: what its journal has does not lead on; start again with: windlass rerun ${runId}`;
  return fail(message, { code: "run_changed", reason: "stuck" });
}
