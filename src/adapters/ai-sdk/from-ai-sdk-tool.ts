import { FailureError, errorMessage } from "../../base/index.ts";
import { stripUnsafe } from "../../text/index.ts";
import {
  type HandlerReturn,
  type Tool,
  type ToolContext,
  type ToolInfo,
  defineTool,
  type Attachment,
  ok,
  attachmentKind,
} from "../../tool/index.ts";
import type { LanguageModelV4ToolResultOutput } from "@ai-sdk/provider";
import {
  type Schema,
  type Validation,
  fromJsonSchema,
  fromStandard,
  isRecord,
  isStandardSchema,
  objectSchema,
} from "../../schema/index.ts";

/** Options of {@link fromAiSdkTool}: properties of a tool that the AI SDK does not describe. */
export interface FromAiSdkToolOptions
  extends
    Partial<Omit<ToolInfo, "name" | "composite" | "revision">>,
    Partial<Pick<Tool<unknown, unknown>, "effect" | "destructive" | "timeoutMs" | "cache">> {
  /** Passed to the tool as its `context`. */
  readonly context?: unknown;
}

/** The members of an AI SDK tool that are read here, for any input and output type. */
export interface AiSdkTool {
  readonly type?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | ((options: { readonly context: never }) => string) | undefined;
  readonly inputSchema: unknown;
  readonly needsApproval?: unknown;
  execute?(args: unknown, options: AiSdkExecution): unknown;
  toModelOutput?(toolOutput: AiSdkToolCallOutput): unknown;
}

/** Options that an AI SDK tool receives besides its arguments. */
export interface AiSdkExecution {
  readonly toolCallId: string;
  readonly messages: never[];
  readonly abortSignal: AbortSignal;
  /** A value of the type that the tool expects, from the option `context`. */
  readonly context: never;
}

/** The output of an AI SDK tool, with the arguments of the call. */
export interface AiSdkToolCallOutput {
  readonly toolCallId: string;
  readonly input: unknown;
  readonly output: unknown;
}

/**
 * Wraps an AI SDK tool as a Windlass tool. Yielded values are progress, and the last one is the output, converted by
 * `toModelOutput` if the tool has it. A tool that needs approval is destructive. Set its effect: the default is
 * `once`.
 *
 * @example
 * ```ts
 * engine.tools.register(fromAiSdkTool("weather", weather, { effect: "read" }));
 * ```
 *
 * @see docs/guide/interop.md
 */
export function fromAiSdkTool(name: string, tool: AiSdkTool, options: FromAiSdkToolOptions = {}): Tool {
  if (typeof tool.execute !== "function") throw notRunnable(name, tool);
  const { context: toolOutput, ...info } = options;
  // Untyped: the caller passes the context type that the tool expects.
  const context = toolOutput as never;
  const description = info.description ?? describe(tool, context);
  return defineTool({
    category: "ai-sdk",
    ...titleOf(tool),
    // The condition may depend on more than the arguments, so any condition makes the tool destructive.
    ...(tool.needsApproval !== undefined && tool.needsApproval !== false && { destructive: true }),
    ...info,
    name,
    description: description === "" ? `The tool ${name}.` : description,
    input: inputSchemaOf(name, tool.inputSchema),
    run: (args: unknown, run: ToolContext): HandlerReturn<unknown> => {
      const { callId, signal } = run;
      const done = tool.execute?.(args, { toolCallId: callId, messages: [], abortSignal: signal, context });
      return settle(done, run, (output) => toModelOutputText(tool, { toolCallId: callId, input: args, output }));
    },
  });
}

function notRunnable(name: string, { type }: AiSdkTool): FailureError {
  const why = type === "provider" ? "its provider runs it" : "it has no `execute`";
  return new FailureError(`tool ${JSON.stringify(name)} cannot be called here: ${why}`, { code: "tool_invalid" });
}

function titleOf({ title = "" }: AiSdkTool): { displayName?: string } {
  const displayName = stripUnsafe(title).trim();
  return displayName === "" ? {} : { displayName };
}

function describe({ description }: AiSdkTool, context: never): string {
  const text = typeof description === "function" ? description({ context }) : (description ?? "");
  return stripUnsafe(text).trim();
}

async function settle(
  toolOutput: unknown,
  { progress, signal }: ToolContext,
  finish: (output: unknown) => unknown,
): Promise<unknown> {
  if (!isAsyncIterable(toolOutput)) return finish(await toolOutput);
  let last: unknown;
  for await (const output of toolOutput) {
    signal.throwIfAborted();
    last = output;
    progress(output);
  }
  return finish(last);
}

async function toModelOutputText(tool: AiSdkTool, toolOutput: AiSdkToolCallOutput): Promise<unknown> {
  if (tool.toModelOutput === undefined) return toolOutput.output;
  // The type is trusted here; the content is read defensively.
  return readModelOutput((await tool.toModelOutput(toolOutput)) as ModelOutput);
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

/** The return type of the AI SDK's `toModelOutput`. */
type ModelOutput = LanguageModelV4ToolResultOutput;

type ContentPart = Extract<ModelOutput, { type: "content" }>["value"][number];

/** Converts a model output to the return value of a handler: text, JSON, attachments, or a failure. */
function readModelOutput(output: ModelOutput): unknown {
  switch (output.type) {
    case "text":
    case "json":
      return output.value;
    case "error-text":
      return new FailureError(output.value);
    case "error-json":
      return new FailureError(JSON.stringify(output.value));
    case "execution-denied":
      return new FailureError(output.reason ?? "the tool was not allowed to run", { code: "permission_denied" });
    case "content": {
      const text = output.value.flatMap((part) => contentPartText(part)).join("\n\n");
      const attachments = output.value.flatMap(attachmentOf);
      return attachments.length === 0 ? text : ok(text, { attachments });
    }
    default:
      output satisfies never;
      return output;
  }
}

function contentPartText(part: ContentPart): string[] {
  if (part.type === "text") return [part.text];
  if (part.type !== "file") return [];
  const { data, filename, mediaType } = part;
  if (data.type === "text") return [data.text];
  return data.type === "url" ? [`[${filename ?? mediaType}: ${data.url.toString()}]`] : [];
}

function attachmentOf(part: ContentPart): Attachment[] {
  if (part.type !== "file" || part.data.type !== "data") return [];
  const { mediaType, filename, data } = part;
  const bytes = typeof data.data === "string" ? new Uint8Array(Buffer.from(data.data, "base64")) : data.data;
  const name = filename === undefined ? {} : { name: filename };
  return [{ kind: attachmentKind(mediaType), mimeType: mediaType, data: bytes, ...name }];
}

/** A schema as `jsonSchema()` of the AI SDK makes it. */
interface AiSdkSchema {
  readonly jsonSchema: unknown;
  readonly validate?: ((value: unknown) => Checked | PromiseLike<Checked>) | undefined;
}

type Checked =
  | { readonly success: true; readonly value: unknown }
  | { readonly success: false; readonly error: { readonly message: string } };

/** Converts the input schema of an AI SDK tool: Zod or another Standard Schema, `jsonSchema()`, or lazy. */
function inputSchemaOf(tool: string, toolOutput: unknown): Schema {
  if (toolOutput === undefined || toolOutput === null) return fromJsonSchema({ type: "object", properties: {} });
  if (isStandardSchema(toolOutput)) return fromStandard(toolOutput);
  const schema: unknown = typeof toolOutput === "function" ? (toolOutput as () => unknown)() : toolOutput;
  if (isStandardSchema(schema)) return fromStandard(schema);
  if (!isRecord(schema) || !("jsonSchema" in schema)) throw unusable(tool, "it is not an AI SDK schema");
  return ofAiSdk(tool, { jsonSchema: schema["jsonSchema"], validate: schema["validate"] as AiSdkSchema["validate"] });
}

function ofAiSdk(tool: string, { jsonSchema, validate }: AiSdkSchema): Schema {
  if (!isRecord(jsonSchema)) throw unusable(tool, "its JSON Schema is not an object");
  if ("then" in jsonSchema && typeof jsonSchema["then"] === "function") {
    throw unusable(tool, "it is created asynchronously; await it, and pass jsonSchema(await …)");
  }
  const described = fromJsonSchema(objectSchema(jsonSchema));
  if (typeof validate !== "function") return described;
  return {
    json: described.json,
    validate(value) {
      const result = described.validate(value);
      return result.issues === undefined ? alsoBy(validate, result.value) : result;
    },
  };
}

/** Runs the tool's own validator, which may also transform the value. */
async function alsoBy(validate: NonNullable<AiSdkSchema["validate"]>, value: unknown): Promise<Validation<unknown>> {
  try {
    const checked = await validate(value);
    if (checked.success) return { value: checked.value };
    return { issues: [{ path: [], code: "custom", message: checked.error.message }] };
  } catch (error) {
    const why = errorMessage(error);
    return { issues: [{ path: [], code: "custom", message: `the value could not be checked: ${why}` }] };
  }
}

function unusable(tool: string, why: string): FailureError {
  return new FailureError(`tool ${JSON.stringify(tool)}: its \`inputSchema\` cannot be used: ${why}`, {
    code: "tool_invalid",
  });
}
