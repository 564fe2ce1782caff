import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import type { BaseLanguageModelInput } from "@langchain/core/language_models/base";
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BaseChatModelParams,
  type BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import type { AIMessageChunk, BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import type { Runnable } from "@langchain/core/runnables";
import { type AskLimits, type Model, type ModelCall, askTurn } from "../../model/index.ts";
import { toFunctionTools, toToolChoice } from "./bound-tools.ts";
import { fromLangChainMessages } from "./from-langchain-messages.ts";
import { streamTurn } from "./stream-turn.ts";
import { toAiMessage } from "./to-ai-message.ts";

/** What a call of a {@link WindlassChatModel} takes. */
export interface WindlassCallOptions extends BaseChatModelCallOptions {
  readonly tools?: readonly BindToolsInput[];
  readonly temperature?: number;
  readonly maxTokens?: number;
}

/** What {@link toLangChainModel} takes besides the model. */
export interface ToLangChainModelOptions
  extends Omit<BaseChatModelParams, "maxRetries">, Pick<AskLimits, "timeoutMs" | "maxRetries"> {
  readonly temperature?: number;
  readonly maxTokens?: number;
}

/**
 * A model of ours as a chat model of LangChain, for its chains and agents. Busy servers are asked again, quirks of model
 * families mended, thoughts and signatures kept from turn to turn. A tool call that was cut off or cannot be read is an
 * invalid one: no agent runs it.
 *
 * @example
 * ```ts
 * const agent = createAgent({ model: toLangChainModel(anthropic("claude-sonnet-4-5")), tools });
 * ```
 */
export function toLangChainModel(model: Model, options: ToLangChainModelOptions = {}): WindlassChatModel {
  return new WindlassChatModel(model, options);
}

/** A chat model of LangChain that asks a model of ours. Made by {@link toLangChainModel}. */
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
    // Now rather than in the middle of a run: a tool that cannot be described cannot be called.
    toFunctionTools(tools);
    return this.withConfig({ ...kwargs, tools });
  }

  override async _generate(messages: BaseMessage[], options: this["ParsedCallOptions"]): Promise<ChatResult> {
    const turn = await askTurn(this.#model, this.#callOf(messages, options), this.#limits(options.signal));
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

  #limits(signal: AbortSignal | undefined): AskLimits {
    const { maxRetries, timeoutMs = this.#model.timeoutMs } = this.#options;
    return {
      ...(signal !== undefined && { signal }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(maxRetries !== undefined && { maxRetries }),
    };
  }

  #callOf(messages: readonly BaseMessage[], options: this["ParsedCallOptions"]): ModelCall {
    const { tools = [], tool_choice, stop } = options;
    const { temperature = this.#options.temperature, maxTokens = this.#options.maxTokens } = options;
    const toolChoice = toToolChoice(tool_choice);
    return {
      prompt: fromLangChainMessages(messages),
      ...(tools.length > 0 && { tools: toFunctionTools(tools) }),
      ...(tools.length > 0 && toolChoice !== undefined && { toolChoice }),
      ...(stop !== undefined && { stopSequences: stop }),
      ...(temperature !== undefined && { temperature }),
      ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    };
  }
}
