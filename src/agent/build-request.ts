import type { Engine } from "../engine/index.ts";
import { isRecord } from "../schema/index.ts";
import { type AnyTool, type OpenAITool, fitToolName, toOpenAITools } from "../tool/index.ts";

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
 * The body of a chat request that offers the engine's tools to a model. Where the model has called a tool by a name that
 * the API would not take back, the call and its answer get one that it does.
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
  const said = messages.map(fitMessage);
  // Services refuse an empty list of tools, and a choice without tools.
  if (tools.length === 0) return { model: options.model, messages: said };
  return {
    model: options.model,
    messages: said,
    tools: toOpenAITools(tools),
    tool_choice: options.toolChoice ?? "auto",
  };
}

/** A message of a chat request with names of tools that the API takes; the same one where it takes them all. */
function fitMessage<Message>(message: Message): Message {
  if (!isRecord(message)) return message;
  if (message.role === "tool" && isOdd(message.name)) return { ...message, name: fitToolName(message.name) };
  const { role, tool_calls: calls } = message;
  if (role !== "assistant" || !Array.isArray(calls) || !calls.some((call) => isOdd(nameIn(call)))) return message;
  return { ...message, tool_calls: calls.map(fitCall) };
}

function fitCall(call: unknown): unknown {
  const name = nameIn(call);
  if (!isRecord(call) || !isRecord(call.function) || !isOdd(name)) return call;
  return { ...call, function: { ...call.function, name: fitToolName(name) } };
}

function nameIn(call: unknown): unknown {
  return isRecord(call) && isRecord(call.function) ? call.function.name : undefined;
}

function isOdd(name: unknown): name is string {
  return typeof name === "string" && fitToolName(name) !== name;
}
