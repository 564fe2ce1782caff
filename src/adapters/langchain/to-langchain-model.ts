import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import type { BaseLanguageModelInput } from "@langchain/core/language_models/base";
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BaseChatModelParams,
  type BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import { AIMessageChunk, type BaseMessage, type UsageMetadata } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import type { Runnable } from "@langchain/core/runnables";
import {
  type ModelRequestLimits,
  type Model,
  type ModelCall,
  requestTurn,
  type TurnDelta,
  modelFailure,
  type ModelTurn,
  type TokenUsage,
  type TurnToolCall,
  textOfTurn,
  toolCallsOf,
} from "../../model/index.ts";
import { fromLangChainMessages } from "./langchain-messages.ts";
import { attachTurn } from "./attached-turn.ts";
import { isLangChainTool } from "@langchain/core/utils/function_calling";
import type { LanguageModelV4FunctionTool, LanguageModelV4ToolChoice } from "@ai-sdk/provider";
import { FailureError, definedOnly } from "../../base/index.ts";
import { isRecord } from "../../schema/index.ts";
import { jsonSchemaOf } from "./from-langchain-tool.ts";

/** Options of a call of a {@link WindlassChatModel}. */
export interface WindlassCallOptions extends BaseChatModelCallOptions {
  readonly tools?: readonly BindToolsInput[];
  readonly temperature?: number;
  readonly maxTokens?: number;
}

/** Options of {@link toLangChainModel}. */
export interface ToLangChainModelOptions
  extends Omit<BaseChatModelParams, "maxRetries">, Pick<ModelRequestLimits, "timeoutMs" | "maxRetries"> {
  readonly temperature?: number;
  readonly maxTokens?: number;
}

/**
 * Wraps a Windlass model as a LangChain chat model, for its chains and agents. Busy servers are retried, quirks of
 * model families repaired, and reasoning and signatures preserved between turns. A truncated or malformed tool call
 * becomes an invalid one: no agent runs it.
 *
 * @example
 * ```ts
 * const agent = createAgent({ model: toLangChainModel(anthropic("claude-sonnet-4-5")), tools });
 * ```
 *
 * @see docs/guide/interop.md
 */
export function toLangChainModel(model: Model, options: ToLangChainModelOptions = {}): WindlassChatModel {
  return new WindlassChatModel(model, options);
}

/**
 * A LangChain chat model that delegates to a Windlass model. Created by {@link toLangChainModel}.
 *
 * @see docs/guide/interop.md
 */
export class WindlassChatModel extends BaseChatModel<WindlassCallOptions> {
  static override lc_name(): string {
    return "WindlassChatModel";
  }

  /** The name of the model behind it. */
  readonly model: string;
  readonly #model: Model;
  readonly #options: ToLangChainModelOptions;

  constructor(model: Model, options: ToLangChainModelOptions = {}) {
    super(options);
    this.#model = model;
    this.#options = options;
    this.model = model.modelId;
  }

  override _llmType(): string {
    return "windlass";
  }

  override bindTools(
    tools: BindToolsInput[],
    kwargs: Partial<WindlassCallOptions> = {},
  ): Runnable<BaseLanguageModelInput, AIMessageChunk, WindlassCallOptions> {
    // Now rather than during a run: a tool that cannot be described cannot be called.
    toFunctionTools(tools);
    return this.withConfig({ ...kwargs, tools });
  }

  override async _generate(messages: BaseMessage[], options: this["ParsedCallOptions"]): Promise<ChatResult> {
    const turn = await requestTurn(this.#model, this.#callOf(messages, options), this.#limits(options.signal));
    const message = toAiMessage(turn);
    return { generations: [{ text: message.text, message }], llmOutput: { model: turn.modelId } };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    manager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const call = this.#callOf(messages, options);
    for await (const message of streamTurn(this.#model, call, this.#limits(options.signal))) {
      const chunk = new ChatGenerationChunk({ text: message.text, message });
      yield chunk;
      await manager?.handleLLMNewToken(message.text, undefined, undefined, undefined, undefined, { chunk });
    }
  }

  #limits(signal: AbortSignal | undefined): ModelRequestLimits {
    const { maxRetries, timeoutMs = this.#model.timeoutMs } = this.#options;
    return definedOnly({ signal, timeoutMs, maxRetries });
  }

  #callOf(messages: readonly BaseMessage[], options: this["ParsedCallOptions"]): ModelCall {
    const { tools = [], tool_choice, stop } = options;
    const { temperature = this.#options.temperature, maxTokens = this.#options.maxTokens } = options;
    const toolChoice = toToolChoice(tool_choice);
    return {
      prompt: fromLangChainMessages(messages),
      ...(tools.length > 0 && { tools: toFunctionTools(tools) }),
      ...(tools.length > 0 && toolChoice !== undefined && { toolChoice }),
      ...definedOnly({ stopSequences: stop, temperature, maxOutputTokens: maxTokens }),
    };
  }
}

/** Streams a response as LangChain chunks. Tool calls come at the end, when they are known to be complete. */
async function* streamTurn(model: Model, call: ModelCall, limits: ModelRequestLimits): AsyncGenerator<AIMessageChunk> {
  const stop = new AbortController();
  const signal = limits.signal === undefined ? stop.signal : AbortSignal.any([limits.signal, stop.signal]);
  const deltas = new DeltaQueue();
  const turn = requestTurn(model, call, { ...limits, signal, onDelta: (delta) => deltas.add(delta) });
  // A failure is thrown where the turn is awaited.
  turn.then(deltas.end, deltas.end);
  let isRead = false;
  try {
    for await (const delta of deltas) {
      if (delta.kind === "restart" && isRead) throw modelFailure("provider_error", brokenOff, { retry: "safe" });
      const chunk = toChunk(delta);
      isRead ||= chunk !== undefined;
      if (chunk !== undefined) yield chunk;
    }
    yield lastChunk(await turn, { content: "", thought: "" });
  } finally {
    // The stream has no reader any more.
    stop.abort();
  }
}

/** Readers of LangChain's streams cannot be made to discard chunks that they have received. */
const brokenOff = "the model's response broke off midway; send the request again";

function toChunk(delta: TurnDelta): AIMessageChunk | undefined {
  if (delta.kind === "text") return new AIMessageChunk({ content: delta.text });
  if (delta.kind !== "thinking") return undefined;
  return new AIMessageChunk({ content: "", additional_kwargs: { reasoning_content: delta.text } });
}

/** Queue of deltas between the producer and the reader of the stream. */
class DeltaQueue implements AsyncIterable<TurnDelta> {
  readonly #waiting: TurnDelta[] = [];
  #news = Promise.withResolvers<void>();
  #ended = false;

  add(delta: TurnDelta): void {
    this.#waiting.push(delta);
    this.#news.resolve();
  }

  readonly end = (): void => {
    this.#ended = true;
    this.#news.resolve();
  };

  async *[Symbol.asyncIterator](): AsyncGenerator<TurnDelta> {
    for (;;) {
      for (let delta = this.#waiting.shift(); delta !== undefined; delta = this.#waiting.shift()) yield delta;
      if (this.#ended) return;
      await this.#news.promise;
      this.#news = Promise.withResolvers<void>();
    }
  }
}

/** Converts a response to a LangChain message. */
function toAiMessage(turn: ModelTurn): AIMessageChunk {
  const thought = turn.content.map((part) => (part.type === "reasoning" ? part.text : "")).join("");
  return lastChunk(turn, { content: textOfTurn(turn), thought });
}

/** The part of a response that the stream has not emitted yet: its calls, finish reason and usage. */
function lastChunk(turn: ModelTurn, left: { content: string; thought: string }): AIMessageChunk {
  const message = new AIMessageChunk({
    content: left.content,
    additional_kwargs: { ...(left.thought !== "" && { reasoning_content: left.thought }), ...attachTurn(turn) },
    // In the terms of OpenAI's API, which most readers of LangChain messages know.
    response_metadata: { finish_reason: turn.finishReason.replace("-", "_"), model_name: turn.modelId },
    tool_call_chunks: toolCallsOf(turn).map((call, index) => ({
      type: "tool_call_chunk" as const,
      index,
      id: call.id,
      name: call.name,
      args: argumentsOf(call),
    })),
  });
  // Not a field above: the LangChain types resolve to `undefined` there.
  return Object.assign(message, { usage_metadata: toUsage(turn.usage) });
}

/**
 * LangChain completes truncated arguments and runs the call. No valid JSON begins like this, so a broken call remains
 * an invalid one, with its partial arguments.
 */
function argumentsOf({ input, broken }: TurnToolCall): string {
  switch (broken) {
    case undefined:
      return input;
    case "cut":
      return `cut off: ${input}`;
    case "unparsable":
      return `unreadable: ${input}`;
    default:
      return broken satisfies never;
  }
}

function toUsage(usage: TokenUsage): UsageMetadata {
  const { inputTokens, outputTokens, cachedTokens, cacheWriteTokens, reasoningTokens } = usage;
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    input_token_details: definedOnly({ cache_read: cachedTokens, cache_creation: cacheWriteTokens }),
    output_token_details: { ...(reasoningTokens !== undefined && { reasoning: reasoningTokens }) },
  };
}

/**
 * Converts tools as LangChain binds them (its own, and the formats of OpenAI and Anthropic) to Windlass function tools.
 */
function toFunctionTools(tools: readonly BindToolsInput[]): LanguageModelV4FunctionTool[] {
  return tools.map((tool) => {
    const form = isLangChainTool(tool) ? { ...named(tool), schema: jsonSchemaOf(tool.schema) } : formOf(tool);
    if (form === undefined) {
      throw new FailureError("a tool that is neither a LangChain tool nor a function cannot be bound to this model", {
        code: "tool_invalid",
      });
    }
    const { schema, ...rest } = form;
    return { type: "function", ...rest, inputSchema: isRecord(schema) ? schema : { type: "object", properties: {} } };
  });
}

interface Form {
  readonly name: string;
  readonly description?: string;
  readonly schema: unknown;
}

function formOf(tool: unknown): Form | undefined {
  if (!isRecord(tool)) return undefined;
  const definition = isRecord(tool["function"]) ? tool["function"] : tool;
  const { name, parameters, input_schema: anthropic } = definition;
  if (typeof name !== "string" || name === "") return undefined;
  return { ...named({ name, description: definition["description"] }), schema: parameters ?? anthropic };
}

function named({ name, description }: { readonly name: string; readonly description?: unknown }): Omit<Form, "schema"> {
  return typeof description === "string" && description !== "" ? { name, description } : { name };
}

/** Converts LangChain's tool choice, in any of the forms that its models accept. */
function toToolChoice(choice: unknown): LanguageModelV4ToolChoice | undefined {
  if (choice === undefined || choice === null || choice === "") return undefined;
  if (choice === "auto" || choice === "none") return { type: choice };
  if (choice === "any" || choice === "required") return { type: "required" };
  if (typeof choice === "string") return { type: "tool", toolName: choice };
  if (!isRecord(choice)) return undefined;
  const name = isRecord(choice["function"]) ? choice["function"]["name"] : choice["name"];
  return typeof name === "string" ? { type: "tool", toolName: name } : toToolChoice(choice["type"]);
}
