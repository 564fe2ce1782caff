import { type Failure, isFailureError } from "../../base/index.ts";
import { type JsonSchema, fromJsonSchema } from "../../schema/index.ts";
import { showUnsafe, stripUnsafe } from "../../text/index.ts";
import { type AnyTool, type Effect, type ToolContext, defineTool } from "../../tool/index.ts";
import type { McpDefinition } from "./mcp-port.ts";
import { byName } from "./by-name.ts";
import type { McpServer } from "./server-config.ts";
import { refuseMcp } from "./source-reasons.ts";

/** What a tool is made of. */
export interface McpToolParts {
  readonly server: McpServer;
  readonly definition: McpDefinition;
  /** The full name, `server/tool`. */
  readonly name: string;
  /** The short name, where it is one. */
  readonly aliases: readonly string[];
  readonly capabilities: readonly string[];
  /** Of the definition; a run that goes on later knows by it that the tool is another. */
  readonly hash: string;
  readonly call: (args: unknown, context: ToolContext, effect: Effect) => Promise<unknown>;
}

/** A tool of a server, as one of ours. Where its schemas cannot be used, one that says so. */
export function mcpTool(parts: McpToolParts): AnyTool {
  try {
    return Object.freeze({ ...made(parts), revision: parts.hash });
  } catch (error) {
    if (!isFailureError(error)) throw error;
    const why = refuseMcp("bad_schema", `${parts.name} cannot be used: ${error.message}`, { cause: error });
    return refusedTool(parts.name, why.toFailure());
  }
}

/** Why the schemas of a definition cannot be used, if they cannot. */
export function schemaProblem({ inputSchema, outputSchema }: McpDefinition): string | undefined {
  try {
    fromJsonSchema(asObject(inputSchema));
    if (outputSchema !== undefined) fromJsonSchema(outputSchema);
    return undefined;
  } catch (error) {
    if (!isFailureError(error)) throw error;
    return error.message;
  }
}

function made({ server, definition, name, aliases, capabilities, call }: McpToolParts): AnyTool {
  const { description = "", title, inputSchema, outputSchema } = definition;
  const { effect, destructive } = effectOf(definition, server);
  const said = stripUnsafe(description).trim();
  const shownTitle = stripUnsafe(title ?? "").trim();
  return defineTool({
    name,
    description: said === "" ? `The tool ${stripUnsafe(definition.name)} of the MCP server ${server.name}.` : said,
    ...(shownTitle !== "" && { displayName: shownTitle }),
    aliases,
    category: "mcp",
    tags: [...new Set(["mcp", server.name])],
    capabilities,
    effect,
    destructive,
    ...(server.timeoutMs !== undefined && { timeoutMs: server.timeoutMs }),
    input: fromJsonSchema(asObject(inputSchema)),
    ...(outputSchema !== undefined && { output: fromJsonSchema(outputSchema) }),
    run: (args: unknown, context: ToolContext) => call(args, context, effect),
  });
}

/** A tool that is listed and cannot be called. Nothing of what its server says about it gets to a model. */
export function refusedTool(name: string, why: Failure): AnyTool {
  const tool = defineTool({
    name,
    description: `Cannot be used: ${showUnsafe(why.message).slice(0, 1_000)}`,
    category: "mcp",
    tags: ["mcp"],
    input: fromJsonSchema({ type: "object" }),
    run: () => {
      throw new TypeError("a refused tool is never run");
    },
  });
  return Object.freeze({ ...tool, broken: why });
}

/** What the workspace says goes first, then what the server says; what nobody says is the worst. */
function effectOf({ name, annotations = {} }: McpDefinition, { effects }: McpServer): EffectOf {
  const stated = byName(effects, name);
  const effect =
    stated ??
    (annotations["readOnlyHint"] === true ? "read" : annotations["idempotentHint"] === true ? "idempotent" : "once");
  const harmless = effect === "pure" || effect === "read";
  return { effect, destructive: !harmless && annotations["destructiveHint"] !== false };
}

interface EffectOf {
  readonly effect: Effect;
  readonly destructive: boolean;
}

/** Servers leave out that arguments are an object. */
function asObject(schema: JsonSchema): JsonSchema {
  const says = ["type", "$ref", "allOf", "anyOf", "oneOf"].some((key) => Object.hasOwn(schema, key));
  return says ? schema : { ...schema, type: "object" };
}
