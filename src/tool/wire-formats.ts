import type { JsonSchema } from "../schema/index.ts";
import type { AnyTool } from "./tool.ts";
import { toWireSchema } from "./wire-schema.ts";
import { type WireNames, createWireNames, wireDescription } from "./wire-names.ts";
import { toGeminiSchema } from "./wire-gemini-schema.ts";

/** A tool in the format of OpenAI's chat completions and of compatible services. */
export interface OpenAITool {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: JsonSchema;
  };
}

/** Common options of the wire formats: an existing translation of names, so that calls can be translated back. */
export interface WireFormatOptions {
  readonly names?: WireNames;
}

/** OpenAI rejects longer descriptions, and with them the whole request. */
const maxDescriptionLength = 1024;

/**
 * Tools in OpenAI's function format.
 *
 * @example
 * ```ts
 * const names = createWireNames(tools, "openai");
 * const response = await client.chat.completions.create({ model, messages, tools: toOpenAITools(tools, { names }) });
 * ```
 *
 * @see docs/guide/tools.md
 */
export function toOpenAITools(tools: readonly AnyTool[], options: WireFormatOptions = {}): OpenAITool[] {
  const names = options.names ?? createWireNames(tools, "openai");
  return tools.map((tool) => ({
    type: "function",
    function: {
      name: names.toWire(tool.name),
      description: shorten(wireDescription(tool, names)),
      parameters: toWireSchema(tool.input.json, "openai").schema,
    },
  }));
}

function shorten(text: string): string {
  if (text.length <= maxDescriptionLength) return text;
  const cut = text.slice(0, maxDescriptionLength - 1);
  const end = Math.max(cut.lastIndexOf(". "), cut.lastIndexOf(".\n"), cut.lastIndexOf("\u3002"));
  // A whole sentence if one ends in the second half, else as much as fits.
  return end > maxDescriptionLength / 2 ? cut.slice(0, end + 1) : `${cut.toWellFormed()}\u2026`;
}

/** A tool in the format of Anthropic's messages API. */
export interface AnthropicTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonSchema;
}

/**
 * Tools in Anthropic's format.
 *
 * @example
 * ```ts
 * const response = await client.messages.create({ model, max_tokens, messages, tools: toAnthropicTools(tools) });
 * ```
 *
 * @see docs/guide/tools.md
 */
export function toAnthropicTools(tools: readonly AnyTool[], options: WireFormatOptions = {}): AnthropicTool[] {
  const names = options.names ?? createWireNames(tools, "anthropic");
  return tools.map((tool) => ({
    name: names.toWire(tool.name),
    description: wireDescription(tool, names),
    input_schema: toWireSchema(tool.input.json, "anthropic").schema,
  }));
}

/** A function in Gemini's format; `parameters` are in its subset of OpenAPI 3.0. */
export interface GeminiFunction {
  readonly name: string;
  readonly description: string;
  readonly parameters?: JsonSchema;
}

/** An entry of Gemini's `tools`. */
export interface GeminiTool {
  readonly functionDeclarations: readonly GeminiFunction[];
}

/** Conversions are cached by schema, like the portable ones. */
const converted = new WeakMap<JsonSchema, { readonly schema: JsonSchema | undefined }>();

/**
 * Tools in Gemini's format: one entry with all functions, or no entry if there are no tools.
 *
 * @example
 * ```ts
 * const response = await client.models.generateContent({ model, contents, config: { tools: toGeminiTools(tools) } });
 * ```
 *
 * @see docs/guide/tools.md
 */
export function toGeminiTools(tools: readonly AnyTool[], options: WireFormatOptions = {}): GeminiTool[] {
  if (tools.length === 0) return [];
  const names = options.names ?? createWireNames(tools, "gemini");
  const functionDeclarations = tools.map((tool) => {
    const parameters = parametersOf(tool.input.json);
    return {
      name: names.toWire(tool.name),
      description: wireDescription(tool, names),
      ...(parameters !== undefined && { parameters }),
    };
  });
  return [{ functionDeclarations }];
}

function parametersOf(json: JsonSchema): JsonSchema | undefined {
  const portable = toWireSchema(json, "gemini").schema;
  let done = converted.get(portable);
  if (done === undefined) {
    done = { schema: toGeminiSchema(portable) };
    converted.set(portable, done);
  }
  return done.schema;
}

/** A tool as the Model Context Protocol lists it. */
export interface McpTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Only if the output is an object: MCP supports no other structured content. */
  readonly outputSchema?: JsonSchema;
  readonly annotations: McpAnnotations;
}

/** Hints about a tool that a client may read before it calls it. */
export interface McpAnnotations {
  readonly title?: string;
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/**
 * Tools as an MCP server lists them.
 *
 * @example
 * ```ts
 * server.setRequestHandler("tools/list", () => ({ tools: toMcpTools(tools) }));
 * ```
 *
 * @see docs/guide/tools.md
 */
export function toMcpTools(tools: readonly AnyTool[], options: WireFormatOptions = {}): McpTool[] {
  const names = options.names ?? createWireNames(tools, "mcp");
  return tools.map((tool) => {
    const title = tool.displayName === tool.name ? {} : { title: tool.displayName };
    const output = tool.output?.json;
    return {
      name: names.toWire(tool.name),
      ...title,
      description: wireDescription(tool, names),
      inputSchema: toWireSchema(tool.input.json, "mcp").schema,
      ...(output?.["type"] === "object" && { outputSchema: output }),
      annotations: { ...title, ...toMcpHints(tool) },
    };
  });
}

/** The effect of a tool as MCP hints. If it depends on the arguments, the hint is the careful one. */
export function toMcpHints({ effect, destructive }: AnyTool): Omit<McpAnnotations, "title"> {
  return {
    readOnlyHint: effect === "pure" || effect === "read",
    destructiveHint: typeof destructive === "function" || destructive,
    idempotentHint: effect === "pure" || effect === "read" || effect === "idempotent",
    openWorldHint: effect !== "pure",
  };
}
