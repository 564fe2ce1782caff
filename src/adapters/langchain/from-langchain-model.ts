import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { AIMessageChunk, BaseMessage, AIMessage } from "@langchain/core/messages";
import type {
  LanguageModelV4StreamPart,
  LanguageModelV4Content,
  LanguageModelV4Prompt,
  SharedV4Warning,
} from "@ai-sdk/provider";
import { raceAbort, definedOnly } from "../../base/index.ts";
import { type Model, type ModelGenerateResult, type ModelCall, modelFailure } from "../../model/index.ts";
import { LangChainTurnStream, readFinishReason, readUsage } from "./turn-stream.ts";
import { toModelError } from "./model-error.ts";
import { toLangChainMessages } from "./langchain-messages.ts";
import { identifyCalls, rawCalls } from "./raw-calls.ts";
import { attachMessage } from "./attached-message.ts";
import { readMessageParts } from "./message-parts.ts";
import type { ToolDefinition } from "@langchain/core/language_models/base";

/** Options of {@link fromLangChainModel}. */
export interface FromLangChainModelOptions {
  /**
   * Maps a call's temperature, token limit and the like to options of the chat model. LangChain has no common names for
   * them: without this function they are omitted, and the response carries a warning.
   */
  readonly callOptions?: (call: ModelCall) => Readonly<Record<string, unknown>>;
  /** Name of the model in records and messages. Default: the name that the model reports. */
  readonly modelId?: string;
  /** Timeout of one response. */
  readonly timeoutMs?: number;
}

/**
 * Wraps a LangChain chat model as a Windlass model. Tools are passed through `bindTools`, tool calls return with their
 * raw arguments, and provider-specific content (reasoning signatures, `reasoning_content`) is sent back with the next
 * request. Create the chat model with `maxRetries: 0`: Windlass retries by itself.
 *
 * @example
 * ```ts
 * const model = fromLangChainModel(new ChatMistralAI({ model: "mistral-large-latest", maxRetries: 0 }));
 * ```
 *
 * @see docs/guide/interop.md
 */
export function fromLangChainModel(chatModel: BaseChatModel, options: FromLangChainModelOptions = {}): Model {
  return {
    specificationVersion: "v4",
    provider: providerOf(chatModel),
    modelId: options.modelId ?? modelIdOf(chatModel) ?? chatModel._llmType(),
    // LangChain accepts URLs of files.
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

/** A model request that is ready to be sent. */
interface PreparedRequest {
  readonly call: ModelCall;
  readonly provider: string;
  readonly messages: BaseMessage[];
  readonly settings: Readonly<Record<string, unknown>>;
  readonly runnable: Pick<BaseChatModel, "invoke" | "stream">;
  readonly warnings: ModelGenerateResult["warnings"];
}

function prepare(
  chatModel: BaseChatModel,
  call: ModelCall,
  { callOptions }: FromLangChainModelOptions,
): PreparedRequest {
  const { abortSignal: signal, stopSequences: stop } = call;
  const settings = {
    ...callOptions?.(call),
    ...definedOnly({ stop, signal }),
  };
  const provider = providerOf(chatModel);
  return {
    call,
    provider,
    messages: toLangChainMessages(call.prompt, provider),
    settings,
    runnable: withTools(chatModel, call),
    warnings: unsupportedSettings(call, callOptions !== undefined),
  };
}

function withTools(chatModel: BaseChatModel, call: ModelCall): Pick<BaseChatModel, "invoke" | "stream"> {
  const tools = toLangChainToolDefinitions(call);
  if (tools.length === 0) return chatModel;
  if (typeof chatModel.bindTools !== "function") {
    const message = `the chat model ${chatModel._llmType()} does not support tools: it has no bindTools()`;
    throw modelFailure("provider_error", message, { retry: "never" });
  }
  return chatModel.bindTools(tools, toolChoice(call));
}

async function generate({
  call,
  provider,
  messages,
  settings,
  runnable,
  warnings,
}: PreparedRequest): Promise<ModelGenerateResult> {
  const { abortSignal: signal, prompt } = call;
  try {
    const message = await raceAbort(runnable.invoke(messages, settings), signal);
    const content = toResponseParts(message, prompt, provider);
    const hasCalls = content.some(({ type }) => type === "tool-call");
    const finishReason = readFinishReason(message.response_metadata, hasCalls);
    return { content, finishReason, usage: readUsage(message), warnings };
  } catch (error) {
    throw toModelError(error, signal);
  }
}

/** Starts the stream, so that a rejecting service fails at once. */
async function stream(request: PreparedRequest): Promise<AsyncGenerator<LanguageModelV4StreamPart>> {
  const { call, messages, settings, runnable } = request;
  try {
    const chunks = await raceAbort(runnable.stream(messages, settings), call.abortSignal);
    return partsOf(chunks[Symbol.asyncIterator](), request);
  } catch (error) {
    throw toModelError(error, call.abortSignal);
  }
}

async function* partsOf(
  chunks: AsyncIterator<AIMessageChunk>,
  { call, provider, warnings }: PreparedRequest,
): AsyncGenerator<LanguageModelV4StreamPart> {
  const answer = new LangChainTurnStream(call.prompt, provider);
  try {
    yield LangChainTurnStream.begin(warnings);
    for (;;) {
      const { done, value } = await raceAbort(chunks.next(), call.abortSignal);
      if (done === true) break;
      yield* answer.add(value);
    }
    yield* answer.end();
  } catch (error) {
    throw toModelError(error, call.abortSignal);
  } finally {
    // The stream has no reader any more; a model that is still working is not awaited.
    chunks.return?.().catch(() => undefined);
  }
}

/**
 * The parts of a response. If the message contains more than they do, the first call carries it, or else the last part.
 */
function toResponseParts(
  message: AIMessage | AIMessageChunk,
  prompt: LanguageModelV4Prompt,
  provider: string,
): LanguageModelV4Content[] {
  const attached = attachMessage(message, provider);
  const calls = identifyCalls(rawCalls(message), prompt);
  const content = readMessageParts(message);
  const parts: LanguageModelV4Content[] = [
    ...content.map(({ type, text }) => ({ type, text })),
    ...calls.map(({ id, name, input }) => ({
      type: "tool-call" as const,
      toolCallId: id,
      toolName: name,
      input,
    })),
  ];
  const at = calls.length > 0 ? content.length : content.length - 1;
  return attached === undefined
    ? parts
    : parts.map((part, index) => (index === at ? { ...part, providerMetadata: attached } : part));
}

/** The tools of a call, in the form that every LangChain chat model accepts. */
function toLangChainToolDefinitions({ tools = [] }: ModelCall): ToolDefinition[] {
  return tools.flatMap((tool): ToolDefinition[] => {
    if (tool.type !== "function") return [];
    const { name, description, inputSchema } = tool;
    const parameters = { ...inputSchema };
    return [{ type: "function", function: { name, ...(description !== undefined && { description }), parameters } }];
  });
}

/** The tool choice as LangChain's `tool_choice`. Omitted if the model is free to choose. */
function toolChoice({ toolChoice: choice }: ModelCall): { readonly tool_choice?: string } {
  switch (choice?.type) {
    case undefined:
    case "auto":
      return {};
    case "none":
      return { tool_choice: "none" };
    case "required":
      return { tool_choice: "any" };
    case "tool":
      return { tool_choice: choice.toolName };
    default:
      return choice satisfies never;
  }
}

const settings = [
  "temperature",
  "maxOutputTokens",
  "topP",
  "topK",
  "presencePenalty",
  "frequencyPenalty",
  "seed",
  "reasoning",
] as const;

/** Warnings about settings of a call that do not reach the model. */
function unsupportedSettings(call: ModelCall, areSettingsKnown: boolean): SharedV4Warning[] {
  const { tools = [], responseFormat } = call;
  const left = areSettingsKnown ? [] : settings.filter((name) => isSet(call[name]));
  const foreign = tools.flatMap((tool) => (tool.type === "provider" ? [`the tool ${tool.id}`] : []));
  const form = responseFormat?.type === "json" && !areSettingsKnown ? ["responseFormat"] : [];
  return [...left, ...foreign, ...form].map((feature) => ({
    type: "unsupported",
    feature,
    details: "A LangChain chat model takes this setting only through the option callOptions of fromLangChainModel.",
  }));
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== "provider-default";
}
