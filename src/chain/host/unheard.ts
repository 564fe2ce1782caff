import { failure } from "../../base/index.ts";
import type { CallOutcome, StepWork } from "./host.ts";
import type { StartedBefore } from "./past.ts";

/** What becomes of a call that was cancelled, and of whose end nobody heard. */
export function unheard({ tool }: StepWork, started: StartedBefore | undefined, at: number): CallOutcome {
  const message =
    started === undefined
      ? `${tool} was cancelled before it started`
      : `${tool} was cancelled, and its process ended before it could tell how far it had come`;
  const meta = { callId: "", source: "", attempts: 0 };
  const error = failure("cancelled", message);
  return {
    kind: "call",
    result: { success: false, tool, error, durationMs: 0, executedAt: at, meta },
    effect: started?.effect,
  };
}
