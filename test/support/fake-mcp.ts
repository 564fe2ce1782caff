import { join } from "node:path";
import { type Clock, fail } from "../../src/base/index.ts";
import { type Engine, createEngine } from "../../src/engine/index.ts";
import type {
  McpAddress,
  McpCallOptions,
  McpCallOutcome,
  McpConnectOptions,
  McpConnection,
  McpConnector,
  McpToolDefinition,
  McpListener,
  McpResource,
} from "../../src/hub/mcp/mcp-port.ts";
import { type McpSource, type McpSourceOptions, createMcpSource } from "../../src/hub/mcp/mcp-source.ts";
import { ToolRegistry } from "../../src/tool/index.ts";
import { folderWith } from "./workspace.ts";

/** A definition of a tool with one text. */
export function definition(name: string, more: Partial<McpToolDefinition> = {}): McpToolDefinition {
  return {
    name,
    description: `Does ${name}.`,
    inputSchema: { type: "object", properties: { text: { type: "string" } } },
    ...more,
  };
}

type Handler = (args: unknown, options: McpCallOptions) => McpCallOutcome | Promise<McpCallOutcome>;

/** A server in this process, controlled by a test. */
export class FakeServer {
  definitions: McpToolDefinition[];
  resources: McpResource[] = [];
  /** Thrown instead of connecting. */
  refuses: Error | undefined;
  /** Awaited before a connection is open. */
  gate: Promise<void> | undefined;
  connects = 0;
  lists = 0;
  addresses: McpAddress[] = [];
  calls: { readonly name: string; readonly args: unknown }[] = [];
  handler: Handler = (args) => ({ isError: false, content: [{ type: "text", text: JSON.stringify(args) }] });
  readonly open: Set<FakeConnection> = new Set();

  constructor(...definitions: McpToolDefinition[]) {
    this.definitions = definitions;
  }

  /** Dies, as a program that is killed. */
  kill(why = "the server was killed"): void {
    for (const connection of this.open) connection.die(why);
  }

  change(...definitions: McpToolDefinition[]): void {
    this.definitions = definitions;
    for (const connection of this.open) connection.listener.toolsChanged();
  }
}

class FakeConnection implements McpConnection {
  readonly server = { name: "fake", version: "1" };
  readonly protocol = "2025-11-25";
  readonly listener: McpListener;
  readonly #own: FakeServer;
  readonly #lost = Promise.withResolvers<never>();

  constructor(own: FakeServer, listener: McpListener) {
    this.#own = own;
    this.listener = listener;
    this.#lost.promise.catch(() => undefined);
    own.open.add(this);
  }

  die(why: string): void {
    this.#own.open.delete(this);
    const lost = fail(why, { code: "not_available", reason: "connection_lost", retry: "unsafe" });
    this.#lost.reject(lost);
    setImmediate(() => this.listener.closed(lost));
  }

  async listTools(): Promise<readonly McpToolDefinition[]> {
    this.#own.lists++;
    return this.#own.definitions;
  }

  callTool(name: string, args: unknown, options: McpCallOptions): Promise<McpCallOutcome> {
    this.#own.calls.push({ name, args });
    const work = Promise.resolve().then(() => this.#own.handler(args, options));
    return Promise.race([work, this.#lost.promise]);
  }

  async listResources(): Promise<readonly McpResource[]> {
    return this.#own.resources;
  }

  async readResource(uri: string): Promise<readonly { uri: string; text: string }[]> {
    return [{ uri, text: `content of ${uri}` }];
  }

  async close(): Promise<void> {
    if (this.#own.open.delete(this)) this.listener.closed(undefined);
  }
}

/** A workspace whose servers are fakes. */
export interface FakeWorkspace {
  readonly dir: string;
  readonly registry: ToolRegistry;
  readonly engine: Engine;
  readonly source: McpSource;
  readonly events: { readonly type: string }[];
  readonly log: string[];
  /** The same folder, as another process sees it. */
  again(more?: Partial<McpSourceOptions>): FakeWorkspace;
}

/** The files of a workspace that names these servers. */
export function mcpJson(servers: Readonly<Record<string, unknown>>): Record<string, string> {
  const entries = Object.entries(servers).map(([name, more]) => [
    name,
    { command: "serve", args: [name], ...Object(more) },
  ]);
  return { "mcp.json": JSON.stringify({ mcpServers: Object.fromEntries(entries) }) };
}

/** Creates a workspace with these servers; they are listed in `mcp.json`, with `more` per server. */
export async function fakeWorkspace(
  servers: Readonly<Record<string, FakeServer>>,
  { files, ...more }: Partial<McpSourceOptions> & { files?: Record<string, string>; clock?: Clock } = {},
): Promise<FakeWorkspace> {
  const dir = await folderWith(files ?? mcpJson(Object.fromEntries(Object.keys(servers).map((name) => [name, {}]))));
  return openFake(dir, servers, more);
}

function openFake(
  dir: string,
  servers: Readonly<Record<string, FakeServer>>,
  more: Partial<McpSourceOptions>,
): FakeWorkspace {
  const registry = new ToolRegistry();
  const events: { readonly type: string }[] = [];
  const log: string[] = [];
  const connector: McpConnector = {
    reap: async () => {},
    connect: async (name: string, address: McpAddress, { listener }: McpConnectOptions) => {
      const server = servers[name];
      if (server === undefined) throw new Error(`no fake ${name}`);
      server.connects++;
      server.addresses.push(address);
      await server.gate;
      if (server.refuses !== undefined) throw server.refuses;
      return new FakeConnection(server, listener);
    },
  };
  const source = createMcpSource({
    dir,
    stateDir: join(dir, ".windlass"),
    registry,
    connector: () => Promise.resolve(connector),
    env: {},
    allowedEnv: [],
    secrets: { get: () => undefined },
    secretNames: [],
    onEvent: (event) => events.push(event),
    onLog: (message) => log.push(message),
    random: () => 0.5,
    ...more,
  });
  const { clock } = more;
  const engine = createEngine({ registry, ...(clock !== undefined && { clock }) });
  return {
    dir,
    registry,
    engine,
    source,
    events,
    log,
    again: (other = {}) => openFake(dir, servers, { ...more, ...other }),
  };
}
