import { type JsonSchema, fromJsonSchema } from "../../schema/index.ts";
import { cutText, stripUnsafe } from "../../text/index.ts";
import { type AnyTool, defineTool } from "../../tool/index.ts";
import { mapContents } from "./map-outcome.ts";
import type { McpConnection } from "./mcp-port.ts";

/** What the tools that read resources need. */
export interface ResourceWorld {
  /** Names of the servers that have some. */
  readonly servers: () => readonly string[];
  readonly use: <T>(server: string, signal: AbortSignal, work: (connection: McpConnection) => Promise<T>) => Promise<T>;
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

interface Listed {
  readonly server: string;
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  readonly mime_type?: string;
}

/** The tools `mcp_resources` and `mcp_read_resource`. */
export function resourceTools(world: ResourceWorld): AnyTool[] {
  return [listTool(world), readTool(world)];
}

function listTool(world: ResourceWorld): AnyTool {
  return defineTool({
    ...common,
    name: "mcp_resources",
    displayName: "List resources of MCP servers",
    description:
      "Lists the resources (files, records, pages) that MCP servers offer for reading, with their addresses. Read one " +
      "with mcp_read_resource.",
    input: fromJsonSchema<{ server?: string; offset: number }, { server?: string; offset?: number }>(listInput),
    run: async ({ server, offset }, { signal }) => {
      const failed: { server: string; why: string }[] = [];
      const lists = await Promise.all(
        (server === undefined ? world.servers() : [server]).map((name) =>
          listOf(world, name, signal).catch((error: unknown) => {
            // One server that fails must not hide what the others have.
            if (server !== undefined || signal.aborted) throw error;
            failed.push({ server: name, why: error instanceof Error ? error.message : String(error) });
            return [];
          }),
        ),
      );
      const all = lists.flat();
      const end = offset + pageLength;
      return {
        resources: all.slice(offset, end),
        ...(all.length > end && { next_offset: end }),
        ...(failed.length > 0 && { failed }),
      };
    },
  });
}

async function listOf({ use }: ResourceWorld, server: string, signal: AbortSignal): Promise<Listed[]> {
  const resources = await use(server, signal, (connection) => connection.listResources(signal));
  return resources.map(({ uri, name, description, mimeType }) => ({
    server,
    uri,
    name: short(name),
    ...(description !== undefined && { description: short(description) }),
    ...(mimeType !== undefined && { mime_type: short(mimeType) }),
  }));
}

function readTool({ use }: ResourceWorld): AnyTool {
  return defineTool({
    ...common,
    name: "mcp_read_resource",
    displayName: "Read a resource of an MCP server",
    description:
      "Reads a resource of an MCP server, by its address. Texts come as they are; what is no text comes as an attachment.",
    input: fromJsonSchema<{ server: string; uri: string }, { server: string; uri: string }>(readInput),
    run: async ({ server, uri }, { signal }) =>
      mapContents(await use(server, signal, (connection) => connection.readResource(uri, signal))),
  });
}

function short(text: string): string {
  return cutText(stripUnsafe(text), 300).text;
}

const common = { category: "mcp", tags: ["mcp"], effect: "read", capabilities: ["mcp_resources"] } as const;
