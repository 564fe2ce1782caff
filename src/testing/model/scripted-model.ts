import type {
  LanguageModelV4Content,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import { type Clock, systemClock } from "../../base/index.ts";
import {
  type FinishReason,
  type Model,
  type ModelGenerateResult,
  type ModelCall,
  unknownUsage,
} from "../../model/index.ts";
import { type Script, ScriptReader } from "./script.ts";
import {
  type ScriptedResponse,
  type ScriptedPart,
  type ScriptedToolCall,
  type ScriptedTurn,
  argumentsOf,
  scriptedFinishReason,
  isRawStreamParts,
  toScriptedTurn,
} from "./scripted-response.ts";
import { foldParts } from "./fold-parts.ts";
import { piecesOf, streamOf, wait } from "./scripted-stream.ts";

export type {
  ScriptedResponse,
  ScriptedPart,
  ScriptedPause,
  ScriptedText,
  ScriptedToolCall,
  ScriptedTurn,
  ScriptedUsage,
} from "./scripted-response.ts";

/** Name and clock of a {@link scriptedModel}. */
export interface ScriptedModelOptions {
  /** `scripted` */
  readonly modelId?: string;
  /** Default: `script`. Signatures are in the metadata under this name. */
  readonly provider?: string;
  readonly clock?: Clock;
}

/** A model that responds by a script and records its requests. */
export interface ScriptedModel extends Model {
  /** Every request as it arrived, even if the caller appends to its messages afterwards. */
  readonly calls: readonly ModelCall[];
  /** Throws unless every response was requested and every request had a response; lists the unused responses. */
  assertComplete(): void;
}

/**
 * A model for tests: returns these responses in order, or the result of a function of the request.
 *
 * @example
 * ```ts
 * const model = scriptedModel(["first answer", { score: 9 }, { toolCalls: [{ name: "search", args: { query: "tides" } }] }]);
 * await generateText(model, { prompt: "…" }); // { text: "first answer", … }
 * ```
 *
 * @see docs/guide/testing.md
 */
export function scriptedModel(
  script: Script<ModelCall, ScriptedResponse>,
  options: ScriptedModelOptions = {},
): ScriptedModel {
  return new ScriptedModelOf(script, options);
}

class ScriptedModelOf implements ScriptedModel {
  readonly specificationVersion = "v4";
  readonly provider: string;
  readonly modelId: string;
  readonly supportedUrls: Record<string, RegExp[]> = {};
  readonly calls: ModelCall[] = [];
  readonly #script: ScriptReader<ModelCall, ScriptedResponse>;
  readonly #clock: Clock;
  #toolCalls = 0;

  constructor(script: Script<ModelCall, ScriptedResponse>, options: ScriptedModelOptions) {
    this.provider = options.provider ?? "script";
    this.modelId = options.modelId ?? "scripted";
    this.#clock = options.clock ?? systemClock;
    this.#script = new ScriptReader(script);
  }

  async doGenerate(call: ModelCall): Promise<ModelGenerateResult> {
    const next = this.#next(call);
    const turn = toScriptedTurn(next instanceof Promise ? await next : next);
    if (isRawStreamParts(turn)) return this.#fold(turn, call);
    if (turn.delayMs !== undefined) await wait(this.#clock, turn.delayMs, call.abortSignal);
    if (turn.error !== undefined) throw turn.error;
    return {
      content: this.#contentOf(turn),
      finishReason: finishOf(turn),
      usage: toUsage(turn.usage),
      warnings: [],
    };
  }

  async doStream(call: ModelCall): Promise<LanguageModelV4StreamResult> {
    const next = this.#next(call);
    const turn = toScriptedTurn(next instanceof Promise ? await next : next);
    const world = { clock: this.#clock, signal: call.abortSignal };
    if (isRawStreamParts(turn)) return { stream: streamOf(turn, world) };
    if (turn.delayMs !== undefined) await wait(this.#clock, turn.delayMs, call.abortSignal);
    if (turn.error !== undefined) throw turn.error;
    const { pieceDelayMs = 0 } = turn;
    return { stream: streamOf(this.#partsOf(turn), { ...world, pieceDelayMs }) };
  }

  assertComplete(): void {
    this.#script.assertComplete();
  }

  #next(call: ModelCall): ScriptedResponse | Promise<ScriptedResponse> {
    // A loop appends to its list of messages later; the recorded call must not change with it.
    this.calls.push({ ...call, prompt: [...call.prompt] });
    call.abortSignal?.throwIfAborted();
    return this.#script.next(call);
  }

  async #fold(parts: readonly ScriptedPart[], { abortSignal }: ModelCall): Promise<ModelGenerateResult> {
    return foldParts(streamOf(parts, { clock: this.#clock, signal: abortSignal }));
  }

  #contentOf({ thinking, signature, text, toolCalls }: ScriptedTurn): LanguageModelV4Content[] {
    const content: LanguageModelV4Content[] = [];
    if (thinking !== undefined) content.push({ type: "reasoning", text: thinking, ...this.#signed(signature) });
    if (text !== undefined && (text !== "" || toolCalls === undefined)) content.push({ type: "text", text });
    if (toolCalls === undefined) return content;
    for (const call of toolCalls) {
      content.push({
        type: "tool-call",
        toolCallId: this.#idOf(call),
        toolName: call.name,
        input: argumentsOf(call),
        ...this.#signed(call.signature),
      });
    }
    return content;
  }

  #partsOf(turn: ScriptedTurn): LanguageModelV4StreamPart[] {
    const parts: LanguageModelV4StreamPart[] = [{ type: "stream-start", warnings: [] }];
    for (const [at, part] of this.#contentOf(turn).entries()) {
      if (part.type === "reasoning" || part.type === "text") parts.push(...blockOf(part, String(at)));
      if (part.type === "tool-call") parts.push(...callOf(part));
    }
    parts.push({ type: "finish", finishReason: finishOf(turn), usage: toUsage(turn.usage) });
    return parts;
  }

  #idOf({ id }: ScriptedToolCall): string {
    const count = ++this.#toolCalls;
    return id ?? `call_${count}`;
  }

  #signed(signature: string | undefined): { providerMetadata?: SharedV4ProviderMetadata } {
    return signature === undefined ? {} : { providerMetadata: { [this.provider]: { signature } } };
  }
}

type Block = Extract<LanguageModelV4Content, { type: "text" | "reasoning" }>;

/** A text or thinking block in chunks. The provider's signature is at its end. */
function* blockOf({ type, text, providerMetadata }: Block, id: string): Generator<LanguageModelV4StreamPart> {
  yield { type: `${type}-start`, id };
  for (const delta of piecesOf(text)) yield { type: `${type}-delta`, id, delta };
  yield { type: `${type}-end`, id, ...(providerMetadata !== undefined && { providerMetadata }) };
}

function* callOf(call: Extract<LanguageModelV4Content, { type: "tool-call" }>): Generator<LanguageModelV4StreamPart> {
  const { toolCallId: id, toolName, input } = call;
  yield { type: "tool-input-start", id, toolName };
  for (const delta of piecesOf(input)) yield { type: "tool-input-delta", id, delta };
  yield { type: "tool-input-end", id };
  yield call;
}

function finishOf(turn: ScriptedTurn): { unified: FinishReason; raw: string } {
  const finishReason = scriptedFinishReason(turn);
  return { unified: finishReason, raw: finishReason };
}

function toUsage(usage: ScriptedTurn["usage"]): LanguageModelV4Usage {
  if (usage === undefined) return defaultUsage;
  if (usage === null) return unknownUsage;
  const { inputTokens, outputTokens, cachedTokens, reasoningTokens } = usage;
  return {
    inputTokens: {
      total: inputTokens,
      noCache: inputTokens - (cachedTokens ?? 0),
      cacheRead: cachedTokens,
      cacheWrite: undefined,
    },
    outputTokens: { total: outputTokens, text: outputTokens - (reasoningTokens ?? 0), reasoning: reasoningTokens },
  };
}

const defaultUsage: LanguageModelV4Usage = toUsage({ inputTokens: 10, outputTokens: 5 });
