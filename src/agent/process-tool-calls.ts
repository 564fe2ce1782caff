import { textOrJson } from "../base/index.ts";
import { type CallContext, type Engine } from "../engine/index.ts";
import { parseArguments, textOf } from "../schema/index.ts";
import { stripUnsafe } from "../text/index.ts";
import { type AnyTool, type ToolResult, type WireNames, createWireNames } from "../tool/index.ts";
import { mapConcurrently } from "./map-concurrently.ts";
import { normalizeToolName } from "./loop/resolve-tool-calls.ts";

/** A tool call as OpenAI-compatible models send it. */
export interface OpenAIToolCall {
  readonly id: string;
  readonly type?: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

/** The answer to one tool call, as the next request carries it. */
export interface OpenAIToolMessage {
  readonly role: "tool";
  readonly tool_call_id: string;
  /** The same as in the call. */
  readonly name: string;
  /** `{ success, data, error }` as JSON text. Attachments are only named in it: a tool message carries only text. */
  readonly content: string;
}

/** Context of the calls; the caller is a model. */
export interface ProcessToolCallsOptions extends Omit<CallContext, "callerType"> {
  /** Offered tools that the engine does not know. */
  readonly tools?: readonly AnyTool[];
}

/**
 * Runs the tool calls of a model response concurrently, and returns one message for each, in their order. Never throws:
 * an error in a call is reported in its message.
 *
 * @example
 * ```ts
 * const messages = await processToolCalls(engine, answer.tool_calls, forConversation("agent-1", "c-1"));
 * ```
 *
 * @see docs/guide/tools.md
 */
export function processToolCalls(
  engine: Engine,
  calls: readonly OpenAIToolCall[],
  options: ProcessToolCallsOptions = {},
): Promise<OpenAIToolMessage[]> {
  const { tools = [], ...context } = options;
  const offered = new Map([...engine.tools.list().map(({ tool }) => tool), ...tools].map((tool) => [tool.name, tool]));
  const request = { engine, offered, names: createWireNames(offered.values(), "openai"), context };
  return mapConcurrently([...(calls ?? [])], engine.maxConcurrent, async (call, index) => {
    const name = textOf(call?.function?.name);
    const content = await answer({ name, text: argumentsOf(call) }, request);
    return { role: "tool" as const, tool_call_id: textOf(call?.id) || `call_${index}`, name, content };
  });
}

/** Data shared by the calls of one response. */
interface ToolCallBatch {
  readonly engine: Engine;
  readonly offered: ReadonlyMap<string, AnyTool>;
  readonly names: WireNames;
  readonly context: CallContext;
}

async function answer(requested: { name: string; text: string }, request: ToolCallBatch): Promise<string> {
  const { engine, offered, names } = request;
  const name = nameIn(requested.name, request);
  const tool = offered.get(names.fromWire(name) ?? "");
  const isBare = requested.text.trim() === "" && needsNoArguments(tool ?? engine.resolver.resolve(name)?.tool);
  const args = parseArguments(isBare ? "{}" : requested.text);
  if (args.issues !== undefined) {
    return dictText({ success: false, data: null, error: args.issues.map(({ message }) => message).join("; ") });
  }
  // A model decides these calls, regardless of the rest of the context.
  const context: CallContext = { ...request.context, callerType: "conversation_agent" };
  // A name that was never offered: the engine knows aliases, and suggests the closest one otherwise.
  if (tool === undefined) return contentOf(engine, await engine.call(name, args.value, context));
  const input = names.argumentsFromWire(name, args.value);
  const known = engine.tools.get(tool.name) === tool;
  return contentOf(engine, await (known ? engine.call(tool.name, input, context) : engine.call(tool, input, context)));
}

/** True for a tool without required parameters: models call it with an empty text instead of `{}`. */
function needsNoArguments(tool: AnyTool | undefined): boolean {
  const required = tool?.input.json["required"];
  return tool !== undefined && !(Array.isArray(required) && required.length > 0);
}

/** The name of the called tool. An exact match is never normalized. */
function nameIn(name: string, { engine, offered, names }: ToolCallBatch): string {
  const isOffered = (each: string): boolean => offered.has(each) || names.fromWire(each) !== undefined;
  return normalizeToolName(
    name,
    (each) => isOffered(each) || (each === name && engine.resolver.resolve(each) !== undefined),
  );
}

function contentOf({ redactor }: Engine, result: ToolResult): string {
  if (!result.success) return dictText({ success: false, data: null, error: result.error.forModel });
  const attachments = result.attachments?.map(({ kind, mimeType, name, data }) => ({
    kind,
    mime_type: mimeType,
    bytes: data.byteLength,
    ...(name !== undefined && { name }),
  }));
  const data = redactor.known(result.output);
  return dictText({ success: true, data, error: null, ...(attachments && { attachments }) });
}

/** Output is data: characters that hide or reorder text do not reach the model. */
function dictText(dict: { success: boolean; data: unknown; error: string | null; attachments?: unknown }): string {
  return stripUnsafe(JSON.stringify(dict));
}

/** Some services send the arguments as an object, or nothing at all for a tool without parameters. */
function argumentsOf(call: OpenAIToolCall): string {
  const raw: unknown = call?.function?.arguments;
  if (raw === undefined || raw === null) return "{}";
  return textOrJson(raw);
}
