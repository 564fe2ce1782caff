import type { Clock, FailureError } from "../../base/index.ts";
import { askAgain, nameOf } from "../ask-again.ts";
import { wrongInterface } from "../wrong-interface.ts";
import { type Explained, explainError } from "../explain-error.ts";
import { familyOf } from "../family/family-of.ts";
import type { ModelFamily } from "../family/model-family.ts";
import type { Model, ModelCall } from "../model.ts";
import { modelFailure } from "../model-reasons.ts";
import { costed, usageOf } from "../token-usage.ts";
import type { AnswerEnd } from "./answer-end.ts";
import { callFor } from "./call-for.ts";
import { createCallIds } from "./call-ids.ts";
import { conversationOf } from "./conversation.ts";
import type { Deltas } from "./deltas.ts";
import type { ModelTurn } from "./model-turn.ts";
import { readAnswer } from "./read-answer.ts";
import { readStream } from "./read-stream.ts";
import { TurnBuilder } from "./turn-builder.ts";
import type { TurnOptions } from "./turn-options.ts";

/** How {@link askOne} asks. */
export interface OneOptions extends TurnOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Where pieces are told; without it, the answer is asked for as a whole. */
  readonly deltas: Deltas | undefined;
}

/** Asks one model, again where that may help. Throws as `askAgain` does. */
export function askOne(model: Model, call: ModelCall, options: OneOptions): Promise<ModelTurn> {
  const family = model.family ?? familyOf(model.modelId, model.provider);
  const asking: Asking = { model, family, call: callFor(model, call, family), options };
  const { deltas } = options;
  // Most questions are listened to by nobody.
  const limits =
    deltas === undefined
      ? options
      : { ...options, onWait: (ms: number, why: FailureError): void => deltas.wait(ms, why) };
  return askAgain(nameOf(model), limits, (signal) => attempt(asking, signal));
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
  const wrong = wrongInterface(model);
  if (wrong !== undefined) return { failure: wrong, passing: false };
  const builder = new TurnBuilder({
    family,
    idOf: createCallIds(conversationOf(call.prompt), options.turn),
    onDelta: deltas?.begin(signal),
  });
  const asked = { ...call, abortSignal: signal };
  try {
    const end =
      deltas === undefined
        ? readAnswer(given(model, await model.doGenerate(asked)), builder)
        : await readStream(given(model, await model.doStream(asked)), builder, { clock, signal, idleMs });
    const { finishReason } = end;
    return finishReason === "error" || finishReason === "interrupted" ? brokenOff(model) : toTurn(asking, builder, end);
  } catch (error) {
    return explainError(error, model, clock.now());
  }
}

function toTurn({ model, family, call }: Asking, builder: TurnBuilder, end: AnswerEnd): ModelTurn {
  const { finishReason } = end;
  const content = builder.build(finishReason);
  return {
    content,
    finishReason,
    usage: costed(usageOf(end.usage, call, content), model.price),
    modelId: model.modelId,
    provider: model.provider,
    family: family.name,
    ...(end.structuredText !== undefined && { structuredText: end.structuredText }),
  };
}

/** A model in plain JavaScript may give anything. */
function given<T>(model: Model, answer: T): T {
  if (typeof answer === "object" && answer !== null) return answer;
  const message = `${nameOf(model)} gave nothing that is an answer of a model of the AI SDK`;
  throw modelFailure("provider_error", message, { retry: "never" });
}

function brokenOff(model: Model): Explained {
  const message = `${nameOf(model)} broke off in the middle of its answer`;
  return { failure: modelFailure("provider_error", message, { retry: "safe" }), passing: true };
}
