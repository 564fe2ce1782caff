import { internals } from "../../engine/index.ts";
import type { JsonOutput } from "../../schema/index.ts";
import { type InputFor, type ToolContext, type ToolFor, defineTool } from "../../tool/index.ts";
import { readPart } from "./read-part.ts";
import type { ResultStore } from "./result-store.ts";

export const readResultName = "read_result";

const input = {
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
      maximum: 20_000,
      default: 4000,
      description: "Maximum number of characters.",
    },
  },
  required: ["handle"],
  additionalProperties: false,
  examples: [
    { handle: "result:c-17", path: "$.results[10:20]" },
    { handle: "result:c-17", search: "price" },
  ],
} as const;

/** Input of `read_result`. */
export type ReadResultInput = InputFor<typeof input>;

const output = {
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
} as const;

/** Output of `read_result`. */
export type ReadResultOutput = JsonOutput<typeof output>;

/**
 * `read_result`: parts of a result that was too large to be shown whole.
 *
 * @example
 * ```ts
 * const resultStore = new ResultStore();
 * engine.tools.register(readResultTool(resultStore));
 * ```
 *
 * @see docs/guide/hub.md
 */
export function readResultTool(resultStore: ResultStore): ToolFor<typeof input, ReadResultOutput> {
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
    core: 0,
    effect: "read",
    timeoutMs: 30_000,
    input,
    output,
    run: async ({ handle, ...part }, context) => {
      const { tool, output } = await resultStore.get(handle, ownerOf(context));
      return { handle, tool, ...(await readPart(output, part)) };
    },
  });
}

function ownerOf(context: ToolContext): { principal: string | undefined; conversationId: string | undefined } {
  return { principal: internals(context).principal, conversationId: context.conversationId };
}
