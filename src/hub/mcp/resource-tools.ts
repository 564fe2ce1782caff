import { propagateFailure } from "../../engine/index.ts";
import { type AnyTool, type CallTool, type ToolResult, defineTool, ok } from "../../tool/index.ts";
import type { ListedResource, ServerResources } from "./server-resources.ts";

/** Dependencies of the tools that read resources. */
export interface ResourceToolsDeps {
  /** Names of the servers that have some. */
  readonly servers: () => readonly string[];
  /** The resources of a server; throws if there is no such server. */
  readonly of: (server: string) => ServerResources;
}

/** Maximum number of resources per page. */
const pageLength = 200;

const listInput = {
  type: "object",
  properties: {
    server: { type: "string", description: "The MCP server. Default: all servers." },
    offset: { type: "integer", minimum: 0, default: 0, description: "How many to leave out, from next_offset." },
  },
  additionalProperties: false,
} as const;

const readInput = {
  type: "object",
  properties: {
    server: { type: "string", description: "The MCP server that lists the resource." },
    uri: { type: "string", minLength: 1, maxLength: 8_192, description: "The address, as mcp_resources lists it." },
  },
  required: ["server", "uri"],
  additionalProperties: false,
} as const;

/**
 * The tools `mcp_resources` and `mcp_read_resource`. Each request to a server is a nested call, subject to permission
 * rules.
 */
export function resourceTools(world: ResourceToolsDeps): AnyTool[] {
  return [listTool(world), readTool(world)];
}

const common = { category: "mcp", tags: ["mcp"], capabilities: ["mcp_resources"], composite: true } as const;

function listTool(world: ResourceToolsDeps): AnyTool {
  return defineTool({
    ...common,
    name: "mcp_resources",
    displayName: "List resources of MCP servers",
    description:
      "Lists the resources (files, records, pages) that MCP servers offer for reading, with their addresses. Read one " +
      "with mcp_read_resource.",
    effect: "read",
    input: listInput,
    run: async ({ server, offset }, { callTool }) => {
      const servers = server === undefined ? world.servers() : [server];
      const results = await Promise.all(servers.map((name) => listOf(world.of(name), callTool)));
      const [only] = results;
      // A server that fails, or whose call is denied, must not hide the resources of the others.
      if (server !== undefined && only?.success === false) throw propagateFailure(only.error);
      const all = results.flatMap((result) => (result.success ? (result.output as readonly ListedResource[]) : []));
      const failed = results.flatMap((result, at) =>
        result.success ? [] : [{ server: servers[at] ?? "", why: result.error.message }],
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

function readTool(world: ResourceToolsDeps): AnyTool {
  return defineTool({
    ...common,
    name: "mcp_read_resource",
    displayName: "Read a resource of an MCP server",
    description:
      "Reads a resource of an MCP server, by its address. Texts are returned as they are; other content is an attachment.",
    effect: ({ server, uri }) => (world.servers().includes(server) ? world.of(server).effectOf(uri) : "once"),
    // Approval applies to the nested call of the server.
    destructive: false,
    input: readInput,
    run: async ({ server, uri }, { callTool }) => {
      const result: ToolResult = await callTool(world.of(server).read, { uri });
      if (!result.success) throw propagateFailure(result.error);
      const { output, attachments } = result;
      return ok(output, attachments === undefined ? {} : { attachments });
    },
  });
}
