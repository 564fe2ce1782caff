import type { JsonSchema } from "../schema/index.ts";
import type { AnyTool } from "./tool.ts";
import { toWireSchema } from "./wire-schema.ts";
import { type WireNames, createWireNames, wireDescription } from "./wire-names.ts";

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
