import type { JsonSchema } from "../schema/index.ts";
import type { AnyTool } from "./tool.ts";
import type { WireFormatOptions } from "./wire-format-openai.ts";
import { createWireNames, wireDescription } from "./wire-names.ts";
import { toWireSchema } from "./wire-schema.ts";

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
export function toMcpHints(tool: AnyTool): Omit<McpAnnotations, "title"> {
  const { effect, destructive } = tool;
  return {
    readOnlyHint: effect === "pure" || effect === "read",
    destructiveHint: typeof destructive === "function" || destructive,
    idempotentHint: effect === "pure" || effect === "read" || effect === "idempotent",
    openWorldHint: effect !== "pure",
  };
}
