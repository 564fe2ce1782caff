import { AIMessage, BaseMessage, ToolMessage } from "@langchain/core/messages";
import { DynamicStructuredTool, StructuredTool } from "@langchain/core/tools";
import type { StructuredToolCallInput, ToolReturnType, ToolRunnableConfig } from "@langchain/core/tools";
import type { Engine, Passage } from "../../engine/index.ts";
import { type JsonSchema, isRecord } from "../../schema/index.ts";
import { type ExposeToolsOptions, type ExposedTool, exposeTools } from "../frameworks/expose-tools.ts";

/** Options of {@link toLangChainTools}. */
export interface LangChainToolsOptions extends ExposeToolsOptions {
  /** Conversation of the calls. Default: the `thread_id` that LangChain was invoked with. */
  readonly conversationId?: string;
}

/**
 * The tools of an engine as LangChain tools. Every call goes through the engine: validated, subject to its rules,
 * recorded, cancelled by the run's signal. Failures are returned as the tool's message, written for the model; the
 * full result is the message's artifact.
 *
 * @example
 * ```ts
 * const agent = createAgent({ model: "openai:gpt-5", tools: toLangChainTools(engine) });
 * ```
 *
 * @see docs/guide/interop.md
 */
export function toLangChainTools(engine: Engine, options: LangChainToolsOptions = {}): StructuredTool[] {
  return exposeTools(engine, options, "langchain").map((offered) => new EngineTool(offered));
}

/** Any JSON Schema: LangChain has its own type for such schemas. */
type AnyJsonSchema = Readonly<Record<string, unknown>>;

/** A tool whose arguments only the engine validates: LangChain's own validation would not say what is wrong. */
class EngineTool extends StructuredTool<AnyJsonSchema> {
  static override lc_name(): string {
    return "WindlassTool";
  }

  override name: string;
  override description: string;
  override schema: JsonSchema;
  readonly #unchecked: StructuredTool<AnyJsonSchema>;

  constructor(offered: ExposedTool) {
    super();
    this.name = offered.name;
    this.description = offered.description;
    this.schema = offered.schema;
    // The same tool for any arguments, with LangChain's handling of calls.
    this.#unchecked = new DynamicStructuredTool<AnyJsonSchema>({
      name: offered.name,
      description: offered.description,
      schema: {},
      responseFormat: "content_and_artifact",
      func: async (args: unknown, manager, config: ToolRunnableConfig = {}) => {
        const { signal } = config;
        const toolCallId = config.toolCall?.id;
        const { result, text } = await offered.call({
          args,
          toolCallId,
          signal,
          conversationId: threadOf(config),
          conversation: conversationOf(config),
          onProgress: (value) => manager?.handleToolEvent(value).catch(() => undefined),
        });
        // The caller that cancelled expects no answer, and an agent must not continue with one.
        if (!result.success && result.error.code === "cancelled") signal?.throwIfAborted();
        if (result.success || toolCallId === undefined) return [text, result];
        const fields = { status: "error", content: text, artifact: result, name: offered.name } as const;
        return [new ToolMessage({ ...fields, tool_call_id: toolCallId }), result];
      },
    });
  }

  override call<TArg extends StructuredToolCallInput<AnyJsonSchema>, TConfig extends ToolRunnableConfig | undefined>(
    arg: TArg,
    config?: TConfig,
    tags?: string[],
  ): Promise<ToolReturnType<TArg, TConfig, unknown>> {
    return this.#unchecked.call(arg, config, tags);
  }

  protected override _call(): Promise<never> {
    throw new TypeError("call() never comes here");
  }
}

/** The messages of a LangChain agent, which passes its state to tools. */
function conversationOf(config: object): readonly Passage[] | undefined {
  const state: unknown = "state" in config ? config.state : undefined;
  const messages: unknown = isRecord(state) ? state["messages"] : undefined;
  if (!Array.isArray(messages)) return undefined;
  return messages
    .filter((message) => BaseMessage.isInstance(message))
    .map((message) => ({
      by: message.type === "ai" ? "model" : message.type === "tool" ? "tool" : "user",
      content: AIMessage.isInstance(message) ? [message.content, message.tool_calls] : message.content,
    }));
}

function threadOf({ configurable }: ToolRunnableConfig): string | undefined {
  const thread: unknown = configurable?.["thread_id"];
  return typeof thread === "string" && thread !== "" ? thread : undefined;
}
