import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { AIMessageChunk, BaseMessage } from "@langchain/core/messages";
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { orAborted } from "../../base/index.ts";
import { type Model, type ModelAnswer, type ModelCall, modelFailure } from "../../model/index.ts";
import { answerParts } from "./answer-parts.ts";
import { AnswerStream } from "./answer-stream.ts";
import { finishReasonOf, usageOf } from "./answer-end.ts";
import { toModelError } from "./model-error.ts";
import { offeredTools, toolChoice, unheeded } from "./model-call.ts";
import { toLangChainMessages } from "./to-langchain-messages.ts";

/** What {@link fromLangChainModel} takes besides the chat model. */
export interface FromLangChainModelOptions {
  /**
   * The options of the chat model that stand for a call's temperature, limit of tokens and the like. LangChain has no
   * names for them that all models know: where this is absent they are left out, and the answer carries a warning.
   */
  readonly callOptions?: (call: ModelCall) => Readonly<Record<string, unknown>>;
  /** What the model is called in records and messages; what it says of itself where absent. */
  readonly modelId?: string;
  /** How long one answer may take. */
  readonly timeoutMs?: number;
}

/**
 * A chat model of LangChain as one of ours: tools go to it through `bindTools`, its tool calls come back with their
 * arguments as it wrote them, and what its provider wants back with the next question (signatures of thoughts,
 * `reasoning_content`) comes back. Make it with `maxRetries: 0`: whoever asks a model of ours asks again by themselves.
 *
 * @example
 * ```ts
 * const model = fromLangChainModel(new ChatMistralAI({ model: "mistral-large-latest", maxRetries: 0 }));
 * ```
 */
export function fromLangChainModel(chatModel: BaseChatModel, options: FromLangChainModelOptions = {}): Model {
  return {
    specificationVersion: "v4",
    provider: providerOf(chatModel),
    modelId: options.modelId ?? modelIdOf(chatModel) ?? chatModel._llmType(),
    // LangChain takes addresses of files as they are.
    supportedUrls: { "*/*": [/^https?:\/\//, /^data:/] },
    ...(options.timeoutMs !== undefined && { timeoutMs: options.timeoutMs }),
    doGenerate: (call) => generate(prepare(chatModel, call, options)),
    doStream: async (call) => ({ stream: ReadableStream.from(await stream(prepare(chatModel, call, options))) }),
  };
}

function providerOf(chatModel: BaseChatModel): string {
  return `langchain.${chatModel._llmType()}`;
}

function modelIdOf(chatModel: BaseChatModel): string | undefined {
  const { model, modelName, modelId } = chatModel as { model?: unknown; modelName?: unknown; modelId?: unknown };
  return [model, modelName, modelId].find((each) => typeof each === "string" && each !== "") as string | undefined;
}

/** A question that is ready to be asked. */
interface Asking {
  readonly call: ModelCall;
  readonly provider: string;
  readonly messages: BaseMessage[];
  readonly settings: Readonly<Record<string, unknown>>;
  readonly runnable: Pick<BaseChatModel, "invoke" | "stream">;
  readonly warnings: ModelAnswer["warnings"];
}

function prepare(chatModel: BaseChatModel, call: ModelCall, { callOptions }: FromLangChainModelOptions): Asking {
  const { abortSignal: signal, stopSequences: stop } = call;
  const settings = {
    ...callOptions?.(call),
    ...(stop !== undefined && { stop }),
    ...(signal !== undefined && { signal }),
  };
  const provider = providerOf(chatModel);
  return {
    call,
    provider,
    messages: toLangChainMessages(call.prompt, provider),
    settings,
    runnable: withTools(chatModel, call),
    warnings: unheeded(call, callOptions !== undefined),
  };
}

function withTools(chatModel: BaseChatModel, call: ModelCall): Pick<BaseChatModel, "invoke" | "stream"> {
  const tools = offeredTools(call);
  if (tools.length === 0) return chatModel;
  if (typeof chatModel.bindTools !== "function") {
    const message = `the chat model ${chatModel._llmType()} takes no tools: it has no bindTools()`;
    throw modelFailure("provider_error", message, { retry: "never" });
  }
  return chatModel.bindTools(tools, toolChoice(call));
}

async function generate({ call, provider, messages, settings, runnable, warnings }: Asking): Promise<ModelAnswer> {
  const { abortSignal: signal, prompt } = call;
  try {
    const message = await orAborted(runnable.invoke(messages, settings), signal);
    const content = answerParts(message, prompt, provider);
    const hasCalls = content.some(({ type }) => type === "tool-call");
    const finishReason = finishReasonOf(message.response_metadata, hasCalls);
    return { content, finishReason, usage: usageOf(message), warnings };
  } catch (error) {
    throw toModelError(error, signal);
  }
}

/** Begins the stream, so that a service that refuses does so at once. */
async function stream(asking: Asking): Promise<AsyncGenerator<LanguageModelV4StreamPart>> {
  const { call, messages, settings, runnable } = asking;
  try {
    const chunks = await orAborted(runnable.stream(messages, settings), call.abortSignal);
    return partsOf(chunks[Symbol.asyncIterator](), asking);
  } catch (error) {
    throw toModelError(error, call.abortSignal);
  }
}

async function* partsOf(
  chunks: AsyncIterator<AIMessageChunk>,
  { call, provider, warnings }: Asking,
): AsyncGenerator<LanguageModelV4StreamPart> {
  const answer = new AnswerStream(call.prompt, provider);
  try {
    yield AnswerStream.begin(warnings);
    for (;;) {
      const { done, value } = await orAborted(chunks.next(), call.abortSignal);
      if (done === true) break;
      yield* answer.add(value);
    }
    yield* answer.end();
  } catch (error) {
    throw toModelError(error, call.abortSignal);
  } finally {
    // Nobody reads on; a model that is in the middle of something is not waited for.
    chunks.return?.().catch(() => undefined);
  }
}
