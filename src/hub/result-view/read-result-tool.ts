import { principalOf } from "../../engine/index.ts";
import { type JsonSchema, fromJsonSchema } from "../../schema/index.ts";
import { type Tool, type ToolContext, defineTool } from "../../tool/index.ts";
import { type ResultPart, readPart } from "./read-part.ts";
import type { ResultStore } from "./result-store.ts";

/** Input of `read_result`. */
export interface ReadResultInput {
  readonly handle: string;
  readonly path?: string;
  readonly lines?: string;
  readonly search?: string;
  readonly offset?: number;
  readonly limit?: number;
}

/** Output of `read_result`. */
export interface ReadResultOutput extends ResultPart {
  readonly handle: string;
  /** The tool whose result it is. */
  readonly tool: string;
}

export const readResultName = "read_result";

/** Default and maximum number of characters read at once. */
const defaultChars = 4000;
const maxChars = 20_000;

const inputJson: JsonSchema = {
  type: "object",
  properties: {
    handle: { type: "string", minLength: 1, maxLength: 300, description: "The handle in the view: result:…" },
    path: {
      type: "string",
      minLength: 1,
      maxLength: 1000,
      description: "A JSONPath into a JSON result: $.results[0:10]",
    },
    lines: { type: "string", maxLength: 40, description: "Lines of a text, counted from 1: 10-20" },
    search: {
      type: "string",
      minLength: 1,
      maxLength: 300,
      description: "Words to find; returns lines, offsets or paths.",
    },
    offset: {
      type: "integer",
      minimum: 0,
      description: "The first character of a text, item of a list, or match; next_offset of the part before.",
    },
    limit: {
      type: "integer",
      minimum: 100,
      maximum: maxChars,
      default: defaultChars,
      description: "Maximum number of characters.",
    },
  },
  required: ["handle"],
  additionalProperties: false,
  examples: [
    { handle: "result:c-17", path: "$.results[10:20]" },
    { handle: "result:c-17", search: "price" },
  ],
};

const outputJson: JsonSchema = {
  type: "object",
  properties: {
    handle: { type: "string" },
    tool: { type: "string" },
    kind: { enum: ["text", "json"] },
    content: { type: "string" },
    total: { type: "integer" },
    next_offset: { type: "integer" },
    note: { type: "string" },
  },
  required: ["handle", "tool", "kind", "content"],
};

type Args = ReadResultInput & { readonly limit: number };

/**
 * `read_result`: parts of a result that was too large to be shown whole.
 *
 * @example
 * ```ts
 * const resultStore = new ResultStore();
 * engine.tools.register(readResultTool(resultStore));
 * ```
 */
export function readResultTool(resultStore: ResultStore): Tool<ReadResultInput, Args, ReadResultOutput> {
  return defineTool({
    name: readResultName,
    displayName: "Read result",
    description:
      "Reads parts of a result that was too large to be shown whole, by the handle in its view: a path (JSONPath) into " +
      "JSON, lines or an offset of a text, or search to find where something is. next_offset is the offset to continue from.",
    category: "general",
    tags: ["result", "read"],
    capabilities: ["read_result", "读取结果"],
    alwaysEnabled: true,
    effect: "read",
    timeoutMs: 30_000,
    input: fromJsonSchema<Args, ReadResultInput>(inputJson),
    output: fromJsonSchema<ReadResultOutput, ReadResultOutput>(outputJson),
    run: async ({ handle, ...part }, context) => {
      const { tool, output } = await resultStore.get(handle, ownerOf(context));
      return { handle, tool, ...(await readPart(output, part)) };
    },
  });
}

function ownerOf(context: ToolContext): { principal: string | undefined; conversationId: string | undefined } {
  return { principal: principalOf(context), conversationId: context.conversationId };
}
