import { systemClock } from "../../base/index.ts";
import { Unanswered } from "../ask-again.ts";
import { isFallback } from "../fallback-model.ts";
import type { Model, ModelCall } from "../model.ts";
import { askEach, timeFor } from "./ask-each.ts";
import { type OneOptions, askOne } from "./ask-one.ts";
import { Deltas } from "./deltas.ts";
import type { ModelTurn } from "./model-turn.ts";
import type { TurnOptions } from "./turn-options.ts";

/**
 * Asks a model one question. A busy or broken server is asked again within the time given, also in the middle of a
 * stream, whose beginning is then taken back by a `restart`. What a failure means is said by a reason of `modelReasons`.
 *
 * @example
 * ```ts
 * const turn = await askTurn(model, { prompt }, { onDelta: (delta) => show(delta), signal });
 * const messages = [...prompt, toAssistantMessage(turn)];
 * ```
 */
export async function askTurn(model: Model, call: ModelCall, options: TurnOptions = {}): Promise<ModelTurn> {
  try {
    return await tryTurn(model, call, options);
  } catch (error) {
    throw error instanceof Unanswered ? error.explained.failure : error;
  }
}

/** The same, for those who can ask in another way: throws {@link Unanswered}. */
export function tryTurn(model: Model, call: ModelCall, options: TurnOptions): Promise<ModelTurn> {
  const { clock = systemClock, timeoutMs = timeFor(model), onDelta } = options;
  const deltas = onDelta === undefined ? undefined : new Deltas(onDelta);
  const complete: OneOptions = { ...options, timeoutMs, clock, deltas };
  return isFallback(model) ? askEach(model, call, complete) : askOne(model, call, complete);
}
