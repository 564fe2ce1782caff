import { passOn } from "../../engine/index.ts";
import { type JsonSchema, fromJsonSchema } from "../../schema/index.ts";
import { type AnyTool, type CallTool, type ToolResult, defineTool, ok } from "../../tool/index.ts";
import type { ListedResource, ServerResources } from "./server-resources.ts";

/** What the tools that read resources need. */
export interface ResourceWorld {
  /** Names of the servers that have some. */
  readonly servers: () => readonly string[];
  /** The resources of a server; throws where there is no such server. */
  readonly of: (server: string) => ServerResources;
}

/** At most so many resources are listed at once. */
const pageLength = 200;

const listInput: JsonSchema = {
  type: "object",
  properties: {
    server: { type: "string", description: "The MCP server; all of them where absent." },
    offset: { type: "integer", minimum: 0, default: 0, description: "How many to leave out, from next_offset." },
  },
  additionalProperties: false,
};

const readInput: JsonSchema = {
  type: "object",
  properties: {
    server: { type: "string", description: "The MCP server that lists the resource." },
    uri: { type: "string", minLength: 1, maxLength: 8_192, description: "The address, as mcp_resources lists it." },
  },
  required: ["server", "uri"],
  additionalProperties: false,
};

/** The tools `mcp_resources` and `mcp_read_resource`. Each server is asked by a call of its own, which rules are about. */
export function resourceTools(world: ResourceWorld): AnyTool[] {
  return [listTool(world), readTool(world)];
}

const common = { category: "mcp", tags: ["mcp"], capabilities: ["mcp_resources"], composite: true } as const;

function listTool(world: ResourceWorld): AnyTool {
  return defineTool({
    ...common,
    name: "mcp_resources",
    displayName: "List resources of MCP servers",
    description:
      "Lists the resources (files, records, pages) that MCP servers offer for reading, with their addresses. Read one " +
      "with mcp_read_resource.",
    effect: "read",
    input: fromJsonSchema<{ server?: string; offset: number }, { server?: string; offset?: number }>(listInput),
    run: async ({ server, offset }, { callTool }) => {
      const asked = server === undefined ? world.servers() : [server];
      const results = await Promise.all(asked.map((name) => listOf(world.of(name), callTool)));
      const [only] = results;
      // One server that fails, or that may not be asked, must not hide what the others have.
      if (server !== undefined && only?.success === false) throw passOn(only.error);
      const all = results.flatMap((result) => (result.success ? (result.output as readonly ListedResource[]) : []));
      const failed = results.flatMap((result, at) =>
        result.success ? [] : [{ server: asked[at] ?? "", why: result.error.message }],
      );
      const end = offset + pageLength;
      return {
        resources: all.slice(offset, end),
        ...(all.length > end && { next_offset: end }),
        ...(failed.length > 0 && { failed }),
      };
    },
  });
}

function listOf({ list }: ServerResources, callTool: CallTool): Promise<ToolResult> {
  return callTool(list, {});
}

function readTool(world: ResourceWorld): AnyTool {
  return defineTool({
    ...common,
    name: "mcp_read_resource",
    displayName: "Read a resource of an MCP server",
    description:
      "Reads a resource of an MCP server, by its address. Texts come as they are; what is no text comes as an attachment.",
    effect: ({ server, uri }) => (world.servers().includes(server) ? world.of(server).effectOf(uri) : "once"),
    // What is asked about is the call of the server.
    destructive: false,
    input: fromJsonSchema<{ server: string; uri: string }, { server: string; uri: string }>(readInput),
    run: async ({ server, uri }, { callTool }) => {
      const result: ToolResult = await callTool(world.of(server).read, { uri });
      if (!result.success) throw passOn(result.error);
      const { output, attachments } = result;
      return ok(output, attachments === undefined ? {} : { attachments });
    },
  });
}
