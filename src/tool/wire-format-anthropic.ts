import type { JsonSchema } from "../schema/index.ts";
import type { AnyTool } from "./tool.ts";
import type { WireFormatOptions } from "./wire-format-openai.ts";
import { createWireNames, wireDescription } from "./wire-names.ts";
import { toWireSchema } from "./wire-schema.ts";

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
