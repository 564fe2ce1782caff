import { ToolMessage } from "@langchain/core/messages";
import { DynamicStructuredTool, StructuredTool } from "@langchain/core/tools";
import type { StructuredToolCallInput, ToolReturnType, ToolRunnableConfig } from "@langchain/core/tools";
import type { Engine } from "../../engine/index.ts";
import type { JsonSchema } from "../../schema/index.ts";
import { type OfferOptions, type OfferedTool, offerTools } from "../frameworks/offered-tools.ts";

/** What {@link toLangChainTools} takes. */
export interface LangChainToolsOptions extends OfferOptions {
  /** The conversation of the calls; the `thread_id` that LangChain was invoked with, where absent. */
  readonly conversationId?: string;
}

/**
 * The tools of an engine as LangChain tools. Every call goes through the engine: validated, under its rules, recorded,
 * cancelled by the run's signal. What goes wrong comes back as the tool's message, in words for the model; the whole
 * result is the message's artifact.
 *
 * @example
 * ```ts
 * const agent = createAgent({ model: "openai:gpt-5", tools: toLangChainTools(engine) });
 * ```
 */
export function toLangChainTools(engine: Engine, options: LangChainToolsOptions = {}): StructuredTool[] {
  return offerTools(engine, options, "langchain").map((offered) => new EngineTool(offered));
}

/** Any JSON Schema: LangChain describes such schemas by a type of its own. */
type AnyJsonSchema = Readonly<Record<string, unknown>>;

/** A tool whose arguments only the engine checks: LangChain's own check would say that, but not what, is wrong. */
class EngineTool extends StructuredTool<AnyJsonSchema> {
  static override lc_name(): string {
    return "WindlassTool";
  }

  override name: string;
  override description: string;
  override schema: JsonSchema;
  readonly #unchecked: StructuredTool<AnyJsonSchema>;

  constructor(offered: OfferedTool) {
    super();
    this.name = offered.name;
    this.description = offered.description;
    this.schema = offered.schema;
    this.#unchecked = unchecked(offered);
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

/** The same tool for any arguments, with all that LangChain does around a call. */
function unchecked(offered: OfferedTool): StructuredTool<AnyJsonSchema> {
  return new DynamicStructuredTool<AnyJsonSchema>({
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
        onProgress: (value) => manager?.handleToolEvent(value).catch(() => undefined),
      });
      // Whoever cancelled wants no answer, and an agent must not go on with one.
      if (!result.success && result.error.code === "cancelled") signal?.throwIfAborted();
      if (result.success || toolCallId === undefined) return [text, result];
      const fields = { status: "error", content: text, artifact: result, name: offered.name } as const;
      return [new ToolMessage({ ...fields, tool_call_id: toolCallId }), result];
    },
  });
}

function threadOf({ configurable }: ToolRunnableConfig): string | undefined {
  const thread: unknown = configurable?.["thread_id"];
  return typeof thread === "string" && thread !== "" ? thread : undefined;
}
