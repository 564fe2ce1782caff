import { FailureError, plainJsonSize } from "../../base/index.ts";
import { type Schema, fromJsonSchema, fromStandard, isRecord, isStandardSchema } from "../../schema/index.ts";
import { stripUnsafe } from "../../text/index.ts";
import {
  type Attachment,
  type Ok,
  type Tool,
  type ToolContext,
  type ToolInfo,
  defineTool,
  ok,
} from "../../tool/index.ts";
import { objectSchema } from "../frameworks/object-schema.ts";
import { readBlocks } from "./content-blocks.ts";
import { jsonSchemaOf } from "./langchain-schema.ts";

/** What {@link fromLangChainTool} is told about a tool; LangChain knows none of it. */
export interface FromLangChainToolOptions
  extends
    Partial<Omit<ToolInfo, "composite" | "revision">>,
    Partial<Pick<Tool<unknown, Record<string, unknown>>, "effect" | "destructive" | "timeoutMs" | "cache">> {}

/** What is read of a LangChain tool: a `StructuredTool`, or a runnable made one with `asTool()`. */
export interface LangChainTool {
  readonly name: string;
  readonly description?: string | undefined;
  /** Zod of any version, another Standard Schema, or JSON Schema. */
  readonly schema: unknown;
  invoke(call: LangChainCall, config?: object): Promise<unknown>;
}

/** A tool call, as LangChain's tools take it. */
export interface LangChainCall {
  readonly type: "tool_call";
  readonly id: string;
  readonly name: string;
  readonly args: Record<string, unknown>;
}

/**
 * A LangChain tool as one of ours. Its schema is kept, Zod or JSON Schema; what it gives is read back into JSON, with
 * images, sounds and files as attachments and its artifact in `meta`. Say which effect it has: unknown means `once`.
 *
 * @example
 * ```ts
 * engine.tools.register(fromLangChainTool(new WikipediaQueryRun(), { effect: "read" }));
 * ```
 */
export function fromLangChainTool(
  tool: LangChainTool,
  options: FromLangChainToolOptions = {},
): Tool<unknown, Record<string, unknown>> {
  const { name = tool.name, description = stripUnsafe(tool.description ?? "").trim() } = options;
  return defineTool({
    category: "langchain",
    ...options,
    name,
    description: description === "" ? `The tool ${name}.` : description,
    input: inputOf(tool),
    run: (args, context) => invoke(tool, args, context),
  });
}

/** Checks by the tool's schema, and hands on what was given: LangChain parses it again, and must not do so twice. */
function inputOf({ schema }: LangChainTool): Schema<Record<string, unknown>> {
  if (!isStandardSchema(schema)) return fromJsonSchema(objectSchema(jsonSchemaOf(schema)));
  const checked = fromStandard(schema, { json: objectSchema(jsonSchemaOf(schema)) });
  // Only objects fit a schema that describes one.
  const asGiven = (value: unknown) => ({ value: value as Record<string, unknown> });
  return {
    json: checked.json,
    validate(value) {
      const result = checked.validate(value);
      if (!(result instanceof Promise)) return result.issues === undefined ? asGiven(value) : result;
      return result.then((settled) => (settled.issues === undefined ? asGiven(value) : settled));
    },
  };
}

async function invoke(tool: LangChainTool, args: Record<string, unknown>, context: ToolContext): Promise<unknown> {
  const { callId, signal, conversationId, progress } = context;
  const call: LangChainCall = { type: "tool_call", id: callId, name: tool.name, args };
  const config = {
    signal,
    callbacks: [{ handleToolEvent: (chunk: unknown) => progress(chunk) }],
    ...(conversationId !== undefined && { configurable: { thread_id: conversationId } }),
  };
  try {
    return outputOf(tool.name, await tool.invoke(call, config));
  } catch (error) {
    throw signal.aborted ? signal.reason : refusal(error);
  }
}

/** LangChain found the arguments wanting, although they fit: its own words say why. */
function refusal(error: unknown): unknown {
  if (!(error instanceof Error) || !("output" in error) || !/did not match expected schema/.test(error.message)) {
    return error;
  }
  return new FailureError(error.message, { code: "validation_error", cause: error });
}

/** A tool's message, as far as it is read here. */
interface ToolAnswer {
  readonly content: unknown;
  readonly status?: unknown;
  readonly artifact?: unknown;
}

function outputOf(name: string, given: unknown): unknown {
  if (isCommand(given)) {
    throw new FailureError(`${name} gave a LangGraph command, which means something only inside a graph`, {
      retry: "never",
    });
  }
  return isToolAnswer(given) ? read(given) : given;
}

function read({ content, status, artifact }: ToolAnswer): unknown {
  const { text, attachments } = readBlocks(content);
  if (status === "error") return new FailureError(text.trim() === "" ? "the tool failed and did not say why" : text);
  const output = fromJsonText(text);
  const meta = artifact === undefined ? undefined : { artifact: shortArtifact(artifact) };
  return attachments.length === 0 && meta === undefined ? output : beside(output, attachments, meta);
}

function beside(
  output: unknown,
  attachments: readonly Attachment[],
  meta: Record<string, unknown> | undefined,
): Ok<unknown> {
  return ok(output, { ...(attachments.length > 0 && { attachments }), ...(meta !== undefined && { meta }) });
}

/** LangChain writes whatever a tool gives as JSON text; a list or an object is read back. */
function fromJsonText(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Facts about a result are kept with its record, and are no place for megabytes. */
const longestArtifact = 64 * 1024;

function shortArtifact(artifact: unknown): unknown {
  return plainJsonSize(artifact, longestArtifact) === Infinity
    ? `[left out: more than ${longestArtifact} characters]`
    : artifact;
}

function isToolAnswer(value: unknown): value is ToolAnswer {
  return isRecord(value) && value["type"] === "tool" && "content" in value && "tool_call_id" in value;
}

function isCommand(value: unknown): boolean {
  return isRecord(value) && value["lg_name"] === "Command";
}
