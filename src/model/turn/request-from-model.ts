import { textOf } from "../../schema/index.ts";
import type { LanguageModelV4StreamPart, LanguageModelV4StreamResult } from "@ai-sdk/provider";
import { type Clock, type FailureError, fail } from "../../base/index.ts";
import { retryWithBackoff, modelLabel } from "../errors/retry-with-backoff.ts";
import { modelFailure } from "../port/model-reasons.ts";
import { type ModelErrorInfo, classifyModelError, BrokenStream } from "../errors/classify-model-error.ts";
import { resolveModelFamily } from "../family/resolve-model-family.ts";
import type { ModelFamily } from "../port/model-family.ts";
import type { Model, ModelCall, ModelGenerateResult } from "../port/model.ts";
import { costed, toTokenUsage, type TurnEnd, toTurnEnd } from "../port/token-usage.ts";
import type { ModelTurn } from "../port/model-turn.ts";
import { prepareCall } from "./prepare-call.ts";
import { PriorTurnsReader, type PriorTurns } from "./prior-turns.ts";
import type { DeltaEmitter, TurnOptions } from "./turn-options.ts";
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
  const prior = (options.prior ?? new PriorTurnsReader()).read(call.prompt);
  const request: AttemptContext = { model, family, call: prepareCall(model, call, family, prior), prior, options };
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
  readonly prior: PriorTurns;
  readonly options: RequestFromModelOptions;
}

async function attempt(request: AttemptContext, signal: AbortSignal): Promise<ModelTurn | ModelErrorInfo> {
  const { model, family, call, prior, options } = request;
  const { deltas, clock, idleMs } = options;
  const wrong = wrongInterface(model);
  if (wrong !== undefined) return { failure: wrong, isTransient: false };
  const builder = new TurnBuilder({
    family,
    modelId: model.modelId,
    tools: call.toolChoice?.type === "none" ? undefined : call.tools,
    idOf: createCallIds(prior, options.turn),
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

/** Time limits of a stream. */
interface StreamLimits {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly idleMs?: number | undefined;
}

/** Reads a streaming response to its end. Throws the error that ends it early. */
async function readStream(
  { stream }: LanguageModelV4StreamResult,
  builder: TurnBuilder,
  limits: StreamLimits,
): Promise<TurnEnd> {
  const reader = stream.getReader();
  const stop = (why: unknown): void => void reader.cancel(why).catch(() => {});
  const onAbort = (): void => stop(limits.signal.reason);
  const idle = watchIdle(limits, stop);
  limits.signal.addEventListener("abort", onAbort, { once: true });
  try {
    for (;;) {
      const { value: part, done } = await reader.read().catch((error: unknown) => {
        idle.check();
        throw new BrokenStream(error);
      });
      idle.check();
      if (done) throw new BrokenStream(new Error("the stream ended before the response was complete"));
      idle.moved();
      if (part.type === "error") throw new BrokenStream(part.error);
      if (part.type === "finish") return toTurnEnd(part);
      take(part, builder);
    }
  } finally {
    idle.end();
    limits.signal.removeEventListener("abort", onAbort);
    // Parts after the end are ignored; the connection is released.
    stop(undefined);
  }
}

function take(part: LanguageModelV4StreamPart, builder: TurnBuilder): void {
  switch (part.type) {
    case "text-start":
      return builder.begin("text", part.id, part.providerMetadata);
    case "text-delta":
      return builder.add("text", part.id, { delta: part.delta, metadata: part.providerMetadata });
    case "text-end":
      return builder.end("text", part.id, part.providerMetadata);
    case "reasoning-start":
      return builder.begin("reasoning", part.id, part.providerMetadata);
    case "reasoning-delta":
      return builder.add("reasoning", part.id, { delta: part.delta, metadata: part.providerMetadata });
    case "reasoning-end":
      return builder.end("reasoning", part.id, part.providerMetadata);
    default:
      return takeCall(part, builder);
  }
}

function takeCall(part: LanguageModelV4StreamPart, builder: TurnBuilder): void {
  // A tool that the service executes itself is ignored, and its deltas match no call.
  if ("providerExecuted" in part && part.providerExecuted) return;
  if (part.type === "tool-input-start") builder.beginCall(textOf(part.id), part.toolName, part.providerMetadata);
  else if (part.type === "tool-input-delta") builder.addToCall(textOf(part.id), part.delta);
  else if (part.type === "tool-call") {
    const { toolCallId: id, toolName: name, providerMetadata: metadata } = part;
    builder.completeCall({ id: textOf(id), name: textOf(name), input: argumentsText(part.input), metadata });
  }
}

interface IdleWatch {
  moved(): void;
  /** Throws if the stream was silent for too long. */
  check(): void;
  end(): void;
}

/** Starts with the first chunk: before it, a model may think until the total timeout. */
function watchIdle({ clock, idleMs }: StreamLimits, stop: (why: unknown) => void): IdleWatch {
  if (idleMs === undefined) return { moved: () => {}, check: () => {}, end: () => {} };
  let movedAt: number | undefined;
  let timer = clock.after(idleMs, look);
  let late: Error | undefined;
  function look(): void {
    const leftMs = movedAt === undefined ? Number(idleMs) : movedAt + Number(idleMs) - clock.elapsed();
    if (leftMs > 0) {
      timer = clock.after(leftMs, look);
      return;
    }
    late = fail(`it sent nothing more for ${Number(idleMs) / 1000} s`, { code: "timeout" });
    stop(late);
  }
  return {
    moved: () => (movedAt = clock.elapsed()),
    check: () => {
      if (late !== undefined) throw late;
    },
    end: () => timer.cancel(),
  };
}

/** Reads a response that arrived as a whole. Missing fields count as unset. */
function readGenerateResult(answer: ModelGenerateResult, builder: TurnBuilder): TurnEnd {
  for (const [index, part] of partsOf(answer).entries()) {
    if (part.type === "text" || part.type === "reasoning") {
      const key = String(index);
      builder.add(part.type, key, { delta: textOf(part.text), metadata: part.providerMetadata });
      builder.end(part.type, key);
    } else if (part.type === "tool-call" && part.providerExecuted !== true) {
      const { toolCallId: id, toolName: name, providerMetadata: metadata } = part;
      builder.completeCall({
        id: textOf(id),
        name: textOf(name),
        input: argumentsText(part.input),
        metadata,
      });
    }
  }
  return { ...toTurnEnd(answer), structuredText: answer.structuredOutputText };
}

function partsOf({ content }: { readonly content?: unknown }): ModelGenerateResult["content"] {
  if (!Array.isArray(content)) return [];
  // Callers check each part by its type and for missing fields.
  return content.filter((part: unknown) => typeof part === "object" && part !== null) as ModelGenerateResult["content"];
}

/** Some services send the arguments as an object, or nothing at all for a tool without parameters. */
function argumentsText(input: unknown): string {
  if (typeof input === "string") return input;
  return input === undefined || input === null ? "" : (JSON.stringify(input) ?? "");
}
