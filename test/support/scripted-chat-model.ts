import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import type { Runnable } from "@langchain/core/runnables";
import type { BaseLanguageModelInput } from "@langchain/core/language_models/base";

interface Options extends BaseChatModelCallOptions {
  tools?: BindToolsInput[];
}

/** Response of a scripted chat model: a message, chunks of one, an error, or a function of the request. */
export type ChatAnswer =
  | AIMessage
  | AIMessageChunk[]
  | Error
  | ((messages: BaseMessage[], signal?: AbortSignal) => Promise<AIMessage> | AIMessage);

/** A LangChain chat model that answers by a script, and records its requests. */
export class ScriptedChatModel extends BaseChatModel<Options> {
  readonly requested: { messages: BaseMessage[]; options: Options }[] = [];
  readonly model = "scripted-1";
  readonly #answers: readonly ChatAnswer[];

  constructor(answers: readonly ChatAnswer[]) {
    super({});
    this.#answers = answers;
  }

  override _llmType(): string {
    return "scripted";
  }

  override bindTools(
    tools: BindToolsInput[],
    kwargs: Partial<Options> = {},
  ): Runnable<BaseLanguageModelInput, AIMessageChunk, Options> {
    return this.withConfig({ ...kwargs, tools });
  }

  override async _generate(messages: BaseMessage[], options: this["ParsedCallOptions"]): Promise<ChatResult> {
    const answer = this.#next(messages, options);
    if (Array.isArray(answer)) {
      const message = answer.reduce((whole, chunk) => whole.concat(chunk));
      return { generations: [{ text: message.text, message }] };
    }
    const message = typeof answer === "function" ? await answer(messages, options.signal) : answer;
    return { generations: [{ text: message.text, message }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
  ): AsyncGenerator<ChatGenerationChunk> {
    const answer = this.#next(messages, options);
    if (!Array.isArray(answer)) {
      const { content, tool_calls, additional_kwargs, response_metadata, usage_metadata } =
        typeof answer === "function" ? await answer(messages, options.signal) : answer;
      const usage = usage_metadata === undefined ? {} : { usage_metadata };
      const message = new AIMessageChunk({
        content,
        additional_kwargs,
        response_metadata,
        ...usage,
        tool_call_chunks: (tool_calls ?? []).map(({ id, name, args }, index) => ({
          type: "tool_call_chunk" as const,
          index,
          name,
          args: JSON.stringify(args),
          ...(id !== undefined && { id }),
        })),
      });
      yield new ChatGenerationChunk({ text: message.text, message });
      return;
    }
    for (const message of answer) yield new ChatGenerationChunk({ text: message.text, message });
  }

  #next(messages: BaseMessage[], options: Options): Exclude<ChatAnswer, Error> {
    this.requested.push({ messages, options });
    const answer = this.#answers[this.requested.length - 1];
    if (answer === undefined) throw new Error(`the script has ${this.#answers.length} answers, and this is one more`);
    if (answer instanceof Error) throw answer;
    return answer;
  }
}

/** A message that requests these calls. */
export function calling(...calls: { name: string; args?: Record<string, unknown>; id?: string }[]): AIMessage {
  return new AIMessage({
    content: "",
    tool_calls: calls.map(({ name, args = {}, id }, index) => ({
      type: "tool_call" as const,
      name,
      args,
      id: id ?? `call_${index + 1}`,
    })),
  });
}
