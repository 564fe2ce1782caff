import { cutText, stripUnsafe } from "../../text/index.ts";
import { type AnyTool, type Effect, defineTool } from "../../tool/index.ts";
import { mapContents } from "./map-outcome.ts";
import type { McpConnection, McpResource } from "./mcp-port.ts";

/** Dependencies of {@link ServerResources}. */
export interface ServerResourcesDeps {
  readonly server: string;
  readonly use: <T>(signal: AbortSignal, work: (connection: McpConnection) => Promise<T>) => Promise<T>;
  /** Called with the resources that the server lists. */
  readonly listed: (resources: readonly McpResource[]) => void;
  /** True if the server has listed this address. */
  readonly isListed: (uri: string) => boolean;
  /** Marks a tool as one of the server's. */
  readonly adopt: (tool: AnyTool) => AnyTool;
}

/** A resource as callers see it. */
export interface ListedResource {
  readonly server: string;
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  readonly mime_type?: string;
}

/**
 * The resources of one server as internal tools, called only by `mcp_resources` and `mcp_read_resource`: a rule for the
 * tools of the server, `server/*`, then applies to its resources too.
 */
export class ServerResources {
  readonly list: AnyTool;
  readonly read: AnyTool;
  readonly #world: ServerResourcesDeps;

  constructor(world: ServerResourcesDeps) {
    this.#world = world;
    this.list = world.adopt(listTool(world));
    this.read = world.adopt(readTool(world, (uri) => this.effectOf(uri)));
  }

  /** A listed resource may be read. Any other address is a message to the server with an unknown effect. */
  effectOf(uri: string): Effect {
    return this.#world.isListed(uri) ? "read" : "once";
  }
}

const common = { category: "mcp", tags: ["mcp"] } as const;

function listTool({ server, use, listed }: ServerResourcesDeps): AnyTool {
  return defineTool({
    ...common,
    name: `${server}/mcp_resources`,
    description: `Lists the resources of the MCP server ${server}.`,
    effect: "read",
    input: { type: "object" },
    run: async (_args, { signal }) => {
      const resources = await use(signal, (connection) => connection.listResources(signal));
      listed(resources);
      return resources
        .filter(({ uri }) => stripUnsafe(uri) === uri)
        .map((resource) => ({
          server,
          uri: resource.uri,
          name: short(resource.name),
          ...(resource.description !== undefined && { description: short(resource.description) }),
          ...(resource.mimeType !== undefined && { mime_type: short(resource.mimeType) }),
        }));
    },
  });
}

function readTool({ server, use }: ServerResourcesDeps, effectOf: (uri: string) => Effect): AnyTool {
  return defineTool({
    ...common,
    name: `${server}/mcp_read_resource`,
    description: `Reads a resource of the MCP server ${server}.`,
    effect: ({ uri }) => effectOf(uri),
    input: { type: "object", properties: { uri: { type: "string" } }, required: ["uri"] },
    run: async ({ uri }, { signal }) =>
      mapContents(await use(signal, (connection) => connection.readResource(uri, signal))),
  });
}

function short(text: string): string {
  return cutText(stripUnsafe(text), 300).text;
}

const maxUris = 2_000;
const maxUriChars = 262_144;

/** The addresses to store, limited in number and total length. */
export function rememberedUris(listed: readonly McpResource[]): readonly string[] {
  let left = maxUriChars;
  return listed.slice(0, maxUris).flatMap(({ uri }) => ((left -= uri.length) < 0 ? [] : [uri]));
}
