import type { Clock, FailureError } from "../../base/index.ts";
import { retryWithBackoff, modelLabel } from "../errors/retry-with-backoff.ts";
import { modelFailure } from "../port/model-reasons.ts";
import { type ModelErrorInfo, classifyModelError } from "../errors/classify-model-error.ts";
import { resolveModelFamily } from "../family/resolve-model-family.ts";
import type { ModelFamily } from "../port/model-family.ts";
import type { Model, ModelCall } from "../port/model.ts";
import { costed, toTokenUsage, type TurnEnd } from "../port/token-usage.ts";
import { prepareCall } from "./prepare-call.ts";
import { readPriorTurns, type PriorTurns } from "./prior-turns.ts";
import type { DeltaEmitter, TurnOptions } from "./turn-options.ts";
import type { ModelTurn } from "../port/model-turn.ts";
import { readGenerateResult, readStream } from "./read-stream.ts";
import { TurnBuilder } from "./turn-builder.ts";

/** Options of {@link requestFromModel}. */
export interface RequestFromModelOptions extends TurnOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Receives streaming deltas; without it, the response is requested as a whole. */
  readonly deltas: DeltaEmitter | undefined;
}

/** Sends a request to one model, with retries if they may help. Throws like `retryWithBackoff`. */
export function requestFromModel(model: Model, call: ModelCall, options: RequestFromModelOptions): Promise<ModelTurn> {
  const family = model.family ?? resolveModelFamily(model.modelId, model.provider);
  const request: AttemptContext = { model, family, call: prepareCall(model, call, family), options };
  const { deltas } = options;
  // Most requests have no delta listener.
  const limits =
    deltas === undefined
      ? options
      : { ...options, onWait: (ms: number, why: FailureError): void => deltas.wait(ms, why) };
  return retryWithBackoff(modelLabel(model), limits, (signal) => attempt(request, signal));
}

interface AttemptContext {
  readonly model: Model;
  readonly family: ModelFamily;
  readonly call: ModelCall;
  readonly options: RequestFromModelOptions;
}

async function attempt(request: AttemptContext, signal: AbortSignal): Promise<ModelTurn | ModelErrorInfo> {
  const { model, family, call, options } = request;
  const { deltas, clock, idleMs } = options;
  const wrong = wrongInterface(model);
  if (wrong !== undefined) return { failure: wrong, isTransient: false };
  const builder = new TurnBuilder({
    family,
    modelId: model.modelId,
    tools: call.toolChoice?.type === "none" ? undefined : call.tools,
    idOf: createCallIds(readPriorTurns(call.prompt), options.turn),
    onDelta: deltas?.begin(signal),
  });
  const requested = { ...call, abortSignal: signal };
  try {
    const end =
      deltas === undefined
        ? readGenerateResult(checkModelReply(model, await model.doGenerate(requested)), builder)
        : await readStream(checkModelReply(model, await model.doStream(requested)), builder, { clock, signal, idleMs });
    const { finishReason } = end;
    return finishReason === "error" || finishReason === "interrupted"
      ? brokenOff(model)
      : toTurn(request, builder, end);
  } catch (error) {
    return classifyModelError(error, model, clock.now());
  }
}

function toTurn({ model, family, call }: AttemptContext, builder: TurnBuilder, end: TurnEnd): ModelTurn {
  const { finishReason } = end;
  const content = builder.build(finishReason);
  return {
    content,
    finishReason,
    usage: costed(toTokenUsage(end.usage, call, content), model.price),
    modelId: model.modelId,
    provider: model.provider,
    family: family.name,
    ...(end.structuredText !== undefined && { structuredText: end.structuredText }),
  };
}

/** A model in plain JavaScript may return anything. */
function checkModelReply<T>(model: Model, answer: T): T {
  if (typeof answer === "object" && answer !== null) return answer;
  const message = `${modelLabel(model)} returned something that is not a response of an AI SDK model`;
  throw modelFailure("provider_error", message, { retry: "never" });
}

function brokenOff(model: Model): ModelErrorInfo {
  const message = `${modelLabel(model)} stopped in the middle of its response`;
  return { failure: modelFailure("provider_error", message, { retry: "safe" }), isTransient: true };
}

/** The id of a tool call, from the one that came with it and its index in the response. */
type CallIds = (input: string, index: number) => string;

/**
 * Creates call ids that are unique in the conversation as far as the prompt shows it. Ids from the model are used if
 * they are new; otherwise ids are built from the turn number and the index of the call, so that the same response gets
 * the same ids.
 */
function createCallIds(conversation: PriorTurns, turn?: string | number): CallIds {
  const fresh = new Set<string>();
  return (input, index) => {
    let id = input.trim();
    const isTaken = (): boolean => id === "" || fresh.has(id) || conversation.has(id);
    if (isTaken()) {
      const stem = `call_${turn ?? conversation.answers}_${index}`;
      id = stem;
      for (let again = 2; isTaken(); again++) id = `${stem}_${again}`;
    }
    fresh.add(id);
    return id;
  };
}

/** The reason why a model is unusable: it was made for an older AI SDK with an incompatible interface. */
export function wrongInterface(model: Model): FailureError | undefined {
  // Not trusted to match its type: models come from packages of many versions.
  const version: string | undefined = model.specificationVersion;
  if (version === undefined || version === "v4") return undefined;
  return modelFailure(
    "no_model",
    `${modelLabel(model)} has the interface ${version} of the AI SDK, and v4 is needed: use a newer version of its ` +
      "package, or wrapLanguageModel({ model, middleware: [] }) of ai 7",
    { forModel: "no model is configured correctly; continue without anything that needs one" },
  );
}
