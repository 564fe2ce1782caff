import type { Engine } from "../engine/index.ts";
import { requireDefaultModel } from "../model/index.ts";
import { isRecord } from "../schema/index.ts";
import { type AnyTool, type OpenAITool, fitToolName, isUsable, toOpenAITools } from "../tool/index.ts";

/** Options of a request in addition to the messages. */
export interface BuildRequestOptions {
  /** Name of the model. Default: the default model of the engine's workspace. */
  readonly model?: string;
  /** Tools offered to the model, as far as they can be called. Default: every tool of the engine. */
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
 * The body of a chat request that offers the engine's tools to a model. If the model called a tool by a name that the
 * API would reject in the history, the call and its answer get a valid name. Throws `no_model` if neither the options
 * nor the workspace of the engine name a model.
 *
 * @example
 * ```ts
 * const body = buildRequest(engine, [{ role: "user", content: "What is 2*(3+4)?" }], { model: "qwen3" });
 * ```
 *
 * @see docs/guide/tools.md
 */
export function buildRequest<Message>(
  engine: Engine,
  messages: readonly Message[],
  options: BuildRequestOptions = {},
): ChatRequest<Message> {
  const model = options.model ?? requireDefaultModel(engine, "buildRequest").modelId;
  const all = options.tools ?? engine.tools.list().map(({ tool }) => tool);
  const tools = all.filter((tool) => engine.isAvailable(tool) && isUsable(tool));
  const fitted = messages.map(fitMessage);
  // Services reject an empty list of tools, and a tool choice without tools.
  if (tools.length === 0) return { model, messages: fitted };
  return {
    model,
    messages: fitted,
    tools: toOpenAITools(tools),
    tool_choice: options.toolChoice ?? "auto",
  };
}

/** A message of a chat request with tool names that the API accepts; the same object if all names are valid. */
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
