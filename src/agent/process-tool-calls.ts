import { type CallContext, type Engine } from "../engine/index.ts";
import { parseArguments } from "../schema/index.ts";
import { stripUnsafe } from "../text/index.ts";
import { type ToolResult, type WireNames, createWireNames } from "../tool/index.ts";

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
  readonly name: string;
  /** `{ success, data, error }` as JSON text. */
  readonly content: string;
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
  context: CallContext = { callerType: "conversation_agent" },
): Promise<OpenAIToolMessage[]> {
  const names = createWireNames(
    engine.tools.list().map(({ tool }) => tool),
    "openai",
  );
  return Promise.all(
    calls.map(async (call, index) => {
      const name = textOf(call?.function?.name);
      return {
        role: "tool" as const,
        tool_call_id: textOf(call?.id) || `call_${index}`,
        name,
        content: await answer(engine, { name, names, text: argumentsOf(call), context }),
      };
    }),
  );
}

interface Asked {
  /** As the model wrote it. */
  readonly name: string;
  readonly names: WireNames;
  readonly text: string;
  readonly context: CallContext;
}

async function answer(engine: Engine, { name, names, text, context }: Asked): Promise<string> {
  const args = parseArguments(text);
  if (args.issues !== undefined) {
    return dictText({ success: false, data: null, error: args.issues.map(({ message }) => message).join("; ") });
  }
  const tool = names.fromWire(name);
  // A name that was never offered: the engine knows aliases, and suggests the closest one otherwise.
  if (tool === undefined) return contentOf(await engine.call(name, args.value, context));
  return contentOf(await engine.call(tool, names.argumentsFromWire(name, args.value), context));
}

function contentOf(result: ToolResult): string {
  return result.success
    ? dictText({ success: true, data: result.output, error: null })
    : dictText({ success: false, data: null, error: result.error.forModel });
}

/** Output is data: characters that hide or reorder text do not reach the model. */
function dictText(dict: { success: boolean; data: unknown; error: string | null }): string {
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
