import { type CallContext, type Engine } from "../engine/index.ts";
import { parseArguments } from "../schema/index.ts";
import { stripUnsafe } from "../text/index.ts";
import { type AnyTool, type ToolResult, type WireNames, createWireNames } from "../tool/index.ts";
import { bareName } from "./loop/bare-name.ts";

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
  /** As the call has it. */
  readonly name: string;
  /** `{ success, data, error }` as JSON text. What was attached is named in it: a tool message carries only text. */
  readonly content: string;
}

/** On whose behalf the calls are made; the caller is a model. */
export interface ToolCallOptions extends Omit<CallContext, "callerType"> {
  /** Tools that were offered although the engine does not know them. */
  readonly tools?: readonly AnyTool[];
}

/**
 * Runs the tool calls of a model's answer, all at once, and gives one message for each, in their order. Whatever the
 * model sent, this answers and never throws: what was wrong with a call is told in its message.
 *
 * @example
 * ```ts
 * const messages = await processToolCalls(engine, answer.tool_calls, forConversation("agent-1", "c-1"));
 * ```
 */
export function processToolCalls(
  engine: Engine,
  calls: readonly OpenAIToolCall[],
  options: ToolCallOptions = {},
): Promise<OpenAIToolMessage[]> {
  const { tools = [], ...context } = options;
  const offered = new Map([...engine.tools.list().map(({ tool }) => tool), ...tools].map((tool) => [tool.name, tool]));
  const asking = { engine, offered, names: createWireNames(offered.values(), "openai"), context };
  return Promise.all(
    Array.from(calls ?? [], async (call, index) => {
      const name = textOf(call?.function?.name);
      const content = await answer({ name, text: argumentsOf(call) }, asking);
      return { role: "tool" as const, tool_call_id: textOf(call?.id) || `call_${index}`, name, content };
    }),
  );
}

/** What the calls of one answer share. */
interface Asking {
  readonly engine: Engine;
  readonly offered: ReadonlyMap<string, AnyTool>;
  readonly names: WireNames;
  readonly context: CallContext;
}

async function answer(asked: { name: string; text: string }, asking: Asking): Promise<string> {
  const { engine, offered, names } = asking;
  const args = parseArguments(asked.text);
  if (args.issues !== undefined) {
    return dictText({ success: false, data: null, error: args.issues.map(({ message }) => message).join("; ") });
  }
  // A model decides these calls, whatever else the context says.
  const context: CallContext = { ...asking.context, callerType: "conversation_agent" };
  const name = nameIn(asked.name, asking);
  const tool = offered.get(names.fromWire(name) ?? "");
  // A name that was never offered: the engine knows aliases, and suggests the closest one otherwise.
  if (tool === undefined) return contentOf(engine, await engine.call(name, args.value, context));
  const given = names.argumentsFromWire(name, args.value);
  const known = engine.tools.get(tool.name) === tool;
  return contentOf(engine, await (known ? engine.call(tool.name, given, context) : engine.call(tool, given, context)));
}

/** A tool that has the very name that was written is what is meant. */
function nameIn(name: string, { engine, offered, names }: Asking): string {
  const isOffered = (each: string): boolean => offered.has(each) || names.fromWire(each) !== undefined;
  return bareName(name, (each) => isOffered(each) || (each === name && engine.resolver.resolve(each) !== undefined));
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
  return typeof raw === "string" ? raw : (JSON.stringify(raw) ?? "");
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
