import type { AskLimits } from "../ask-again.ts";
import type { TurnDelta } from "./model-turn.ts";

/** How a turn is asked for. */
export interface TurnOptions extends AskLimits {
  /** Told pieces of the answer while it arrives; without it, the answer is asked for as a whole. */
  readonly onDelta?: ((delta: TurnDelta) => void) | undefined;
  /** Part of the ids that are made for calls without one; the number of answers in the prompt where absent. */
  readonly turn?: string | number | undefined;
  /** The longest silence in the middle of a stream; only the whole time counts where absent. */
  readonly idleMs?: number | undefined;
}
