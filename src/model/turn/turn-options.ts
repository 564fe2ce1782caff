import type { ModelRequestLimits } from "../errors/retry-with-backoff.ts";
import type { TurnDelta } from "../port/model-turn.ts";

/** Options of a turn request. */
export interface TurnOptions extends ModelRequestLimits {
  /** Receives deltas while the response arrives; without it, the response is requested as a whole. */
  readonly onDelta?: ((delta: TurnDelta) => void) | undefined;
  /** Part of the ids generated for calls without one. Default: the number of responses in the prompt. */
  readonly turn?: string | number | undefined;
  /** Maximum silence in the middle of a stream. Default: only the total timeout applies. */
  readonly idleMs?: number | undefined;
}
