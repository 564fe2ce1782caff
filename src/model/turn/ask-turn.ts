import { type Clock, type FailureError, isFailureError, systemClock } from "../../base/index.ts";
import { type AskLimits, Unanswered, askAgain, nameOf, usualTimeoutMs } from "../ask-again.ts";
import { type Explained, explainError } from "../explain-error.ts";
import { callFor, isFallback } from "../fallback-model.ts";
import { familyOf } from "../family/family-of.ts";
import type { ModelFamily } from "../family/model-family.ts";
import type { Model, ModelCall } from "../model.ts";
import { modelFailure } from "../model-reasons.ts";
import { costed, usageOf } from "../token-usage.ts";
import type { AnswerEnd } from "./answer-end.ts";
import { createCallIds } from "./call-ids.ts";
import type { ModelTurn, TurnDelta, Unhelpful } from "./model-turn.ts";
import { readAnswer } from "./read-answer.ts";
import { readStream } from "./read-stream.ts";
import { TurnBuilder } from "./turn-builder.ts";

/** How {@link askTurn} asks. */
export interface TurnOptions extends AskLimits {
  /** Told pieces of the answer while it arrives; without it, the answer is asked for as a whole. */
  readonly onDelta?: ((delta: TurnDelta) => void) | undefined;
  /** Part of the ids that are made for calls without one; the number of answers in the prompt where absent. */
  readonly turn?: string | number | undefined;
  /** The longest silence in the middle of a stream; only the whole time counts where absent. */
  readonly idleMs?: number | undefined;
}

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
export async function tryTurn(model: Model, call: ModelCall, options: TurnOptions): Promise<ModelTurn> {
  const { clock = systemClock, timeoutMs = timeFor(model), onDelta } = options;
  const deltas = onDelta === undefined ? undefined : new Deltas(onDelta);
  const until = clock.elapsed() + timeoutMs;
  if (!isFallback(model)) return askOne(model, call, { ...options, timeoutMs, clock, deltas });
  const instead: Unhelpful[] = [];
  const order = model.order();
  for (const [index, candidate] of order.entries()) {
    const isLast = index === order.length - 1;
    const leftMs = until - clock.elapsed();
    const ownMs = isLast ? leftMs : Math.min(leftMs, timeFor(candidate));
    try {
      const within = { ...options, timeoutMs: ownMs, clock, deltas, ...(!isLast && { mostWaitMs: patienceMs }) };
      const turn = await askOne(candidate, call, within);
      return instead.length === 0 ? turn : { ...turn, instead };
    } catch (error) {
      const failure = failureOf(error);
      model.failed(candidate);
      if (isLast || failure === undefined || clock.elapsed() >= until) throw error;
      instead.push({ modelId: candidate.modelId, provider: candidate.provider, failure: failure.toFailure() });
    }
  }
  throw new Error("a chain of models has at least two");
}

/** One answer, and what is left of the usual time for asking again. */
function timeFor({ timeoutMs = 0 }: Model): number {
  return Math.max(timeoutMs, usualTimeoutMs);
}

/** A busy server is waited for no longer than this while there is another model to ask. */
const patienceMs = 5_000;

/** Why another model may be asked; undefined where it may not: the asker is gone, or can ask in another way. */
function failureOf(error: unknown): FailureError | undefined {
  if (error instanceof Unanswered) return error.explained.formRefused === true ? undefined : error.explained.failure;
  return isFailureError(error) && error.code === "timeout" ? error : undefined;
}

interface OneOptions extends TurnOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly deltas: Deltas | undefined;
}

function askOne(model: Model, call: ModelCall, options: OneOptions): Promise<ModelTurn> {
  const family = model.family ?? familyOf(model.modelId, model.provider);
  const asking: Asking = { model, family, call: callFor(model, call), options };
  return askAgain(nameOf(model), options, (signal) => attempt(asking, signal));
}

interface Asking {
  readonly model: Model;
  readonly family: ModelFamily;
  readonly call: ModelCall;
  readonly options: OneOptions;
}

async function attempt(asking: Asking, signal: AbortSignal): Promise<ModelTurn | Explained> {
  const { model, family, call, options } = asking;
  const { deltas, clock, idleMs } = options;
  const builder = new TurnBuilder({
    family,
    idOf: createCallIds(call.prompt, options.turn),
    onDelta: deltas?.begin(signal),
  });
  const asked = { ...call, abortSignal: signal };
  try {
    const end =
      deltas === undefined
        ? readAnswer(await model.doGenerate(asked), builder)
        : await readStream(await model.doStream(asked), builder, { clock, signal, idleMs });
    const { unified } = end.finishReason;
    return unified === "error" || unified === "interrupted" ? brokenOff(model) : toTurn(asking, builder, end);
  } catch (error) {
    return explainError(error, nameOf(model), clock.now());
  }
}

function toTurn({ model, family, call }: Asking, builder: TurnBuilder, end: AnswerEnd): ModelTurn {
  const finishReason = end.finishReason.unified;
  const content = builder.build(finishReason);
  return {
    content,
    finishReason,
    usage: costed(usageOf(end.usage, call.prompt, content), model.price),
    modelId: model.modelId,
    provider: model.provider,
    family: family.name,
    ...(end.structuredText !== undefined && { structuredText: end.structuredText }),
  };
}

/** Tells of pieces, attempt after attempt: what an earlier one told is taken back before the next begins. */
class Deltas {
  readonly #onDelta: (delta: TurnDelta) => void;
  #told = false;

  constructor(onDelta: (delta: TurnDelta) => void) {
    this.#onDelta = onDelta;
  }

  begin(signal: AbortSignal): (delta: TurnDelta) => void {
    if (this.#told) this.#onDelta({ kind: "restart" });
    this.#told = false;
    return (delta) => {
      // A model may ignore its signal; who asked is gone.
      if (signal.aborted) return;
      this.#told = delta.kind !== "restart";
      this.#onDelta(delta);
    };
  }
}

function brokenOff(model: Model): Explained {
  const message = `${nameOf(model)} broke off in the middle of its answer`;
  return { failure: modelFailure("provider_error", message, { retry: "safe" }), passing: true };
}
