import { failure } from "../base/index.ts";
import { type CallContext, type Engine } from "../engine/index.ts";
import { parseArguments } from "../schema/index.ts";
import { stripUnsafe } from "../text/index.ts";
import { type ToolResult, createWireNames } from "../tool/index.ts";

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
    engine.tools.list().map(({ tool }) => tool.name),
    "openai",
  );
  return Promise.all(
    calls.map(async (call, index) => {
      const name = textOf(call?.function?.name);
      const tool = names.fromWire(name) ?? name;
      return {
        role: "tool" as const,
        tool_call_id: textOf(call?.id) || `call_${index}`,
        name,
        content: await answer(engine, { tool, text: argumentsOf(call), context }),
      };
    }),
  );
}

interface Asked {
  readonly tool: string;
  readonly text: string;
  readonly context: CallContext;
}

async function answer(engine: Engine, { tool, text, context }: Asked): Promise<string> {
  const args = parseArguments(text);
  if (args.issues === undefined) return contentOf(await engine.call(tool, args.value, context));
  const message = args.issues.map((issue) => issue.message).join("; ");
  return dictText({ success: false, data: null, error: failure("validation_error", message).forModel });
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
