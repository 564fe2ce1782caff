import { type Failure, isFailureError } from "../../base/index.ts";
import { type JsonSchema, type Schema, fromJsonSchema, isRecord, objectSchema } from "../../schema/index.ts";
import { showUnsafe, stripUnsafe } from "../../text/index.ts";
import { type AnyTool, type Effect, type TargetKind, type ToolContext, defineTool } from "../../tool/index.ts";
import type { McpToolDefinition } from "./mcp-port.ts";
import { matchByName } from "./mcp-names.ts";
import type { McpServer } from "./server-config.ts";
import { mcpSourceFailure } from "../hub-reasons.ts";
import type { JudgedTool } from "./judge-definitions.ts";

/** Parts of a tool. */
export interface McpToolDeps extends Pick<JudgedTool, "definition" | "name" | "hash" | "isApproved"> {
  readonly server: McpServer;
  /** The short name, if it is valid. */
  readonly aliases: readonly string[];
  readonly capabilities: readonly string[];
  readonly call: (args: unknown, context: ToolContext, effect: Effect) => Promise<unknown>;
}

/** Wraps a tool of a server. If its schemas cannot be used, the tool is broken and reports that. */
export function mcpTool(parts: McpToolDeps): AnyTool {
  try {
    // Otherwise a person approved the definitions of the server, or trusts all of them.
    const untrusted = parts.server.trust === "first";
    return Object.freeze({
      ...createTool(parts),
      revision: parts.hash,
      ...(untrusted && { untrustedDefinition: true }),
    });
  } catch (error) {
    if (!isFailureError(error)) throw error;
    const why = mcpSourceFailure("bad_schema", `${parts.name} cannot be used: ${error.message}`, { cause: error });
    return createRefusedTool(parts.name, why.toFailure());
  }
}

/** Why the schemas of a definition cannot be used, if they cannot. */
export function schemaProblem({ inputSchema, outputSchema }: McpToolDefinition): string | undefined {
  try {
    fromJsonSchema(objectSchema(inputSchema));
    if (outputSchema !== undefined) fromJsonSchema(outputSchema);
    return undefined;
  } catch (error) {
    if (!isFailureError(error)) throw error;
    return error.message;
  }
}

function createTool({ server, definition, name, aliases, capabilities, isApproved, call }: McpToolDeps): AnyTool {
  const { description = "", title, inputSchema, outputSchema } = definition;
  const { effect, destructive } = effectOf(definition, server, isApproved);
  const text = stripUnsafe(description).trim();
  const shownTitle = stripUnsafe(title ?? "").trim();
  return defineTool({
    name,
    description: text === "" ? `The tool ${stripUnsafe(definition.name)} of the MCP server ${server.name}.` : text,
    ...(shownTitle !== "" && { displayName: shownTitle }),
    aliases,
    category: "mcp",
    tags: [...new Set(["mcp", server.name])],
    capabilities,
    effect,
    destructive,
    targets: targetsOf(definition, server),
    // By the protocol, a tool reaches others unless it states that it does not.
    sends: !(isApproved && definition.annotations?.["openWorldHint"] === false),
    ...(server.timeoutMs !== undefined && { timeoutMs: server.timeoutMs }),
    input: inputOf(inputSchema),
    ...(outputSchema !== undefined && { output: fromJsonSchema(outputSchema) }),
    run: (args: unknown, context: ToolContext) => call(args, context, effect),
  });
}

/** A server reads its own schema as JSON Schema does: keys that it does not mention are allowed. */
function inputOf(inputSchema: JsonSchema): Schema {
  const schema = fromJsonSchema(objectSchema(inputSchema));
  return { json: schema.json, keepsUndeclared: true, validate: (value) => schema.validate(value) };
}

/** A tool that is listed but cannot be called. No text of its server reaches a model. */
export function createRefusedTool(name: string, why: Failure): AnyTool {
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

/** True if hints of the server would change how its tool is called; then its approval matters. */
export function hasHints({ name, annotations = {} }: McpToolDefinition, { effects }: McpServer): boolean {
  const { readOnlyHint, idempotentHint, destructiveHint } = annotations;
  const isStated = matchByName(effects, name) !== undefined;
  return (!isStated && (readOnlyHint === true || idempotentHint === true)) || destructiveHint === false;
}

/**
 * The workspace's setting takes precedence, then the server's annotation, if a person has approved it: a server must not
 * decide that no approval of its calls is needed. The default is the worst effect.
 */
function effectOf(
  { name, annotations: claimed = {} }: McpToolDefinition,
  { effects }: McpServer,
  isApproved: boolean,
): { readonly effect: Effect; readonly destructive: boolean } {
  const annotations = isApproved ? claimed : {};
  const stated = matchByName(effects, name);
  const effect =
    stated ??
    (annotations["readOnlyHint"] === true ? "read" : annotations["idempotentHint"] === true ? "idempotent" : "once");
  const harmless = effect === "pure" || effect === "read";
  return { effect, destructive: !harmless && annotations["destructiveHint"] !== false };
}

/** Parameters that are URLs by their format, and the targets that the workspace declares. */
function targetsOf({ name, inputSchema }: McpToolDefinition, { targets }: McpServer): Record<string, TargetKind> {
  const { properties } = inputSchema;
  const urls = Object.entries(isRecord(properties) ? properties : {}).filter(([, schema]) => isUrl(schema));
  return {
    ...Object.fromEntries(urls.map(([parameter]) => [parameter, "url" as const])),
    ...matchByName(targets, name),
  };
}

/** True for a URL, a list of URLs, and a choice that includes one. */
function isUrl(schema: unknown): boolean {
  if (!isRecord(schema)) return false;
  const { format, items, anyOf, oneOf } = schema;
  if (typeof format === "string" && /^(?:ur[il]|iri)(?:-reference)?$/.test(format)) return true;
  return [items, anyOf, oneOf].flat().some((part) => isRecord(part) && isUrl(part));
}
