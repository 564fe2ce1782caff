import { FailureError } from "../../base/index.ts";
import { stripUnsafe } from "../../text/index.ts";
import { type HandlerReturn, type Tool, type ToolContext, type ToolInfo, defineTool } from "../../tool/index.ts";
import { inputSchemaOf } from "./ai-sdk-schema.ts";
import { type ModelOutput, readModelOutput } from "./read-model-output.ts";

/** What {@link fromAiSdkTool} is told about a tool; the AI SDK knows none of it. */
export interface FromAiSdkToolOptions
  extends
    Partial<Omit<ToolInfo, "name" | "composite" | "revision">>,
    Partial<Pick<Tool<unknown, unknown>, "effect" | "destructive" | "timeoutMs" | "cache">> {
  /** What the tool gets as its `context`. */
  readonly context?: unknown;
}

/** What is read of a tool of the AI SDK, whatever it takes and gives. */
export interface AiSdkTool {
  readonly type?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | ((options: { readonly context: never }) => string) | undefined;
  readonly inputSchema: unknown;
  readonly needsApproval?: unknown;
  execute?(args: unknown, options: AiSdkExecution): unknown;
  toModelOutput?(given: AiSdkGiven): unknown;
}

/** What a tool of the AI SDK gets besides its arguments. */
export interface AiSdkExecution {
  readonly toolCallId: string;
  readonly messages: never[];
  readonly abortSignal: AbortSignal;
  /** Whatever the tool and the option `context` agree on. */
  readonly context: never;
}

/** What a tool of the AI SDK gave, and to which arguments. */
export interface AiSdkGiven {
  readonly toolCallId: string;
  readonly input: unknown;
  readonly output: unknown;
}

/**
 * A tool of the AI SDK as one of ours. What it yields is progress, and the last of it the output; where it has
 * `toModelOutput`, what that makes of it is. One that needs approval is destructive. Say which effect it has: unknown
 * means `once`.
 *
 * @example
 * ```ts
 * engine.tools.register(fromAiSdkTool("weather", weather, { effect: "read" }));
 * ```
 */
export function fromAiSdkTool(name: string, tool: AiSdkTool, options: FromAiSdkToolOptions = {}): Tool {
  if (typeof tool.execute !== "function") throw notRunnable(name, tool);
  const { context: given, ...info } = options;
  // Of any type: whoever gives it knows what the tool wants.
  const context = given as never;
  const description = info.description ?? describe(tool, context);
  return defineTool({
    category: "ai-sdk",
    ...titleOf(tool),
    // Whether it does may depend on more than its arguments.
    ...(tool.needsApproval !== undefined && tool.needsApproval !== false && { destructive: true }),
    ...info,
    name,
    description: description === "" ? `The tool ${name}.` : description,
    input: inputSchemaOf(name, tool.inputSchema),
    run: (args: unknown, run: ToolContext): HandlerReturn<unknown> => {
      const { callId, signal } = run;
      const done = tool.execute?.(args, { toolCallId: callId, messages: [], abortSignal: signal, context });
      return settle(done, run, (output) => shown(tool, { toolCallId: callId, input: args, output }));
    },
  });
}

function notRunnable(name: string, { type }: AiSdkTool): FailureError {
  const why = type === "provider" ? "its provider runs it" : "it has no `execute`";
  return new FailureError(`tool ${JSON.stringify(name)} cannot be called here: ${why}`, { code: "tool_invalid" });
}

function titleOf({ title = "" }: AiSdkTool): { displayName?: string } {
  const shown = stripUnsafe(title).trim();
  return shown === "" ? {} : { displayName: shown };
}

function describe({ description }: AiSdkTool, context: never): string {
  const said = typeof description === "function" ? description({ context }) : (description ?? "");
  return stripUnsafe(said).trim();
}

async function settle(
  given: unknown,
  { progress, signal }: ToolContext,
  finish: (output: unknown) => unknown,
): Promise<unknown> {
  if (!isAsyncIterable(given)) return finish(await given);
  let last: unknown;
  for await (const output of given) {
    signal.throwIfAborted();
    last = output;
    progress(output);
  }
  return finish(last);
}

async function shown(tool: AiSdkTool, given: AiSdkGiven): Promise<unknown> {
  if (tool.toModelOutput === undefined) return given.output;
  // Its type says so; what it says is read with care.
  return readModelOutput((await tool.toModelOutput(given)) as ModelOutput);
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}
