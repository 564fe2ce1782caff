import type { JsonSchema } from "../schema/index.ts";
import type { AnyTool } from "./tool.ts";
import type { WireFormatOptions } from "./wire-format-openai.ts";
import { toGeminiSchema } from "./wire-gemini-schema.ts";
import { createWireNames, wireDescription } from "./wire-names.ts";
import { toWireSchema } from "./wire-schema.ts";

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
