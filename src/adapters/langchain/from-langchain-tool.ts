import { FailureError, plainJsonSize, parseJson } from "../../base/index.ts";
import {
  type Schema,
  fromJsonSchema,
  fromStandard,
  isRecord,
  isStandardSchema,
  type JsonSchema,
  objectSchema,
} from "../../schema/index.ts";
import { stripUnsafe } from "../../text/index.ts";
import {
  type Attachment,
  type Tool,
  type ToolContext,
  type ToolInfo,
  defineTool,
  ok,
  attachmentKind,
  bytesOfBase64,
} from "../../tool/index.ts";
import { toJsonSchema } from "@langchain/core/utils/json_schema";

/** Options of {@link fromLangChainTool}: properties of a tool that LangChain does not describe. */
export interface FromLangChainToolOptions
  extends
    Partial<Omit<ToolInfo, "composite" | "revision">>,
    Partial<Pick<Tool<unknown, Record<string, unknown>>, "effect" | "destructive" | "timeoutMs" | "cache">> {}

/** The members of a LangChain tool that are read here: a `StructuredTool`, or a runnable converted with `asTool()`. */
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
 * Wraps a LangChain tool as a Windlass tool. Its schema is preserved, Zod or JSON Schema; its output is parsed into
 * JSON, with images, audio and files as attachments and the artifact in `meta`. Set its effect: the default is `once`.
 *
 * @example
 * ```ts
 * engine.tools.register(fromLangChainTool(new WikipediaQueryRun(), { effect: "read" }));
 * ```
 *
 * @see docs/guide/interop.md
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

/**
 * Validates by the tool's schema, but passes on the original input: LangChain parses it again, and transforms must not
 * run twice.
 */
function inputOf({ schema }: LangChainTool): Schema<Record<string, unknown>> {
  if (!isStandardSchema(schema)) return fromJsonSchema(objectSchema(jsonSchemaOf(schema)));
  const checked = fromStandard(schema, { json: objectSchema(jsonSchemaOf(schema)) });
  // Only objects fit a schema that describes one.
  const asInput = (value: unknown) => ({ value: value as Record<string, unknown> });
  return {
    json: checked.json,
    validate(value) {
      const result = checked.validate(value);
      if (!(result instanceof Promise)) return result.issues === undefined ? asInput(value) : result;
      return result.then((settled) => (settled.issues === undefined ? asInput(value) : settled));
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

/** LangChain rejected arguments that passed our validation: its message says why. */
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

function outputOf(name: string, provided: unknown): unknown {
  if (isRecord(provided) && provided["lg_name"] === "Command") {
    throw new FailureError(`${name} returned a LangGraph command, which only works inside a graph`, {
      retry: "never",
    });
  }
  return isToolAnswer(provided) ? read(provided) : provided;
}

function read({ content, status, artifact }: ToolAnswer): unknown {
  const { text, attachments } = readBlocks(content);
  if (status === "error") return new FailureError(text.trim() === "" ? "the tool failed without a message" : text);
  // LangChain serializes any tool output as JSON text; arrays and objects are parsed back.
  const output = /^\s*[[{]/.test(text) ? parseJson(text, text) : text;
  const meta = artifact === undefined ? undefined : { artifact: shortArtifact(artifact) };
  return attachments.length === 0 && meta === undefined
    ? output
    : ok(output, { ...(attachments.length > 0 && { attachments }), ...(meta !== undefined && { meta }) });
}

/** Metadata of a result is stored with its record, so it must stay small. */
const maxArtifactLength = 64 * 1024;

function shortArtifact(artifact: unknown): unknown {
  return plainJsonSize(artifact, maxArtifactLength) === Infinity
    ? `[left out: more than ${maxArtifactLength} characters]`
    : artifact;
}

function isToolAnswer(value: unknown): value is ToolAnswer {
  return isRecord(value) && value["type"] === "tool" && "content" in value && "tool_call_id" in value;
}

type Block = Readonly<Record<string, unknown>>;

/** Reads the content of a tool's message: text, or blocks in any of the forms that LangChain and its models use. */
function readBlocks(content: unknown): { readonly text: string; readonly attachments: readonly Attachment[] } {
  if (typeof content === "string") return { text: stripUnsafe(content), attachments: [] };
  const blocks = Array.isArray(content) ? content.filter(isRecord) : [];
  const texts = blocks.flatMap((block) => blockText(block));
  return { text: stripUnsafe(texts.join("\n\n")), attachments: blocks.flatMap(attachmentOf) };
}

function blockText(block: Block): string[] {
  const { type, text } = block;
  if (typeof text === "string" && (type === "text" || type === "text-plain" || type === "file")) return [text];
  const url = urlOf(block);
  if (url !== undefined && !url.startsWith("data:")) return [`[${String(type)}: ${url}]`];
  return dataOf(block) === undefined ? [JSON.stringify(block)] : [];
}

function attachmentOf(block: Block): Attachment[] {
  const found = dataOf(block);
  if (found === undefined) return [];
  const { mimeType, data } = found;
  const { name, filename } = isRecord(block["metadata"]) ? { ...block, ...block["metadata"] } : block;
  const called = [filename, name].find((each) => typeof each === "string");
  return [
    { kind: attachmentKind(mimeType), mimeType, data, ...(called !== undefined && { name: stripUnsafe(called) }) },
  ];
}

/** `{ type: "image", mimeType, data }`, its predecessor `{ source_type: "base64", mime_type, data }`, or a data URL. */
function dataOf(block: Block): { readonly mimeType: string; readonly data: Uint8Array } | undefined {
  const { data, mimeType = block["mime_type"] } = block;
  const type = typeof mimeType === "string" ? stripUnsafe(mimeType) : "application/octet-stream";
  if (data instanceof Uint8Array) return { mimeType: type, data };
  if (typeof data === "string") return { mimeType: type, data: bytesOfBase64(data) };
  const inline = /^data:([^;,]*);base64,(.*)$/s.exec(urlOf(block) ?? "");
  if (inline === null) return undefined;
  return { mimeType: inline[1] || type, data: bytesOfBase64(inline[2] ?? "") };
}

function urlOf(block: Block): string | undefined {
  const image = block["image_url"];
  const url = isRecord(image) ? image["url"] : (image ?? block["url"]);
  return typeof url === "string" ? url : undefined;
}

/**
 * Converts a schema of a LangChain tool to JSON Schema: Zod of any version, another Standard Schema, or JSON Schema.
 */
export function jsonSchemaOf(schema: unknown): JsonSchema {
  // Zod 3 cannot describe itself; LangChain can describe it.
  if (isStandardSchema(schema) && !("_def" in schema && !("_zod" in schema))) return fromStandard(schema).json;
  // The types of a tool's schema are exactly what this function accepts.
  const json: unknown = toJsonSchema(schema as Parameters<typeof toJsonSchema>[0]);
  if (isRecord(json)) return json;
  throw new FailureError("the tool's schema is neither Zod nor JSON Schema", { code: "tool_invalid" });
}
