import type { Engine } from "../engine/index.ts";
import { type AnyTool, type OpenAITool, toOpenAITools } from "../tool/index.ts";

/** What goes into a request besides the messages. */
export interface RequestOptions {
  readonly model: string;
  /** Offered to the model, as far as they can be called; every tool of the engine where absent. */
  readonly tools?: readonly AnyTool[];
  readonly toolChoice?: "auto" | "none" | "required";
}

/** The body of an OpenAI-compatible chat request. */
export interface ChatRequest<Message> {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly tools?: readonly OpenAITool[];
  readonly tool_choice?: "auto" | "none" | "required";
}

/**
 * The body of a chat request that offers the engine's tools to a model.
 *
 * @example
 * ```ts
 * const body = buildRequest(engine, [{ role: "user", content: "What is 2*(3+4)?" }], { model: "qwen3" });
 * ```
 */
export function buildRequest<Message>(
  engine: Engine,
  messages: readonly Message[],
  options: RequestOptions,
): ChatRequest<Message> {
  const all = options.tools ?? engine.tools.list().map(({ tool }) => tool);
  const tools = all.filter((tool) => engine.isAvailable(tool));
  // Services refuse an empty list of tools, and a choice without tools.
  if (tools.length === 0) return { model: options.model, messages };
  return { model: options.model, messages, tools: toOpenAITools(tools), tool_choice: options.toolChoice ?? "auto" };
}
