import type { Failure } from "../../base/index.ts";
import type { Registration, RegistryChange, ToolContext, ToolOffer, ToolRegistry } from "../../tool/index.ts";
import { type Effect, toolNameProblem } from "../../tool/index.ts";
import type { JudgedTool } from "./judge-definitions.ts";
import { mayBeShort } from "./mcp-names.ts";
import { mcpTool, refusedTool } from "./mcp-tool.ts";
import { byName } from "./by-name.ts";
import type { McpServer } from "./server-config.ts";
import { refuseMcp } from "./source-reasons.ts";

/** What the tools of a server are registered with. */
export interface ServerToolsWorld {
  readonly registry: ToolRegistry;
  /** What the workspace says that servers, `mcp:server`, and tools, `mcp:server/tool`, can stand in for. */
  readonly declared: Readonly<Record<string, readonly string[]>>;
  readonly call: (tool: JudgedTool, args: unknown, call: ToolCall) => Promise<unknown>;
}

/** What goes with a call. */
export interface ToolCall {
  readonly context: ToolContext;
  readonly effect: Effect;
}

/** The tools of one server in the registry: made when somebody looks at them, replaced when they change. */
export class ServerTools {
  readonly #world: ServerToolsWorld;
  /** What is registered, by full name, each with a text that tells it from others. */
  #registered: ReadonlyMap<string, string> = new Map();

  constructor(world: ServerToolsWorld) {
    this.#world = world;
  }

  /** Makes the tools of the server exactly these; where something changes, `change` is given how. */
  show(server: McpServer, tools: readonly JudgedTool[], change: (apply: () => RegistryChange) => void): void {
    const before = this.#registered;
    const settings = JSON.stringify([server.timeoutMs, server.effects, server.capabilities]);
    const after = new Map(tools.map((tool) => [tool.name, `${settings} ${tool.hash} ${JSON.stringify(tool.refused)}`]));
    const changed = tools.filter(({ name }) => before.get(name) !== after.get(name));
    const removed = [...before.keys()].filter((name) => !after.has(name));
    this.#registered = after;
    if (changed.length + removed.length === 0) return;
    const { registry } = this.#world;
    const origin = originOf(server.name);
    change(() => {
      for (const name of removed) registry.remove(name, origin);
      const offers = changed.map((tool) => this.#offer(server, tool));
      if (offers.length > 0) registry.offer(offers, origin);
      return {
        added: changed.filter(({ name }) => !before.has(name)).map(({ name }) => name),
        updated: changed.filter(({ name }) => before.has(name)).map(({ name }) => name),
        removed,
      };
    });
  }

  #offer(server: McpServer, tool: JudgedTool): ToolOffer {
    const { name, short, definition, hash, refused } = tool;
    if (refused !== undefined) {
      const why = refusal(server.name, tool);
      return { name, aliases: [], make: () => refusedTool(name, why) };
    }
    // The short name leads here where no tool has it; it never stands in for one that does.
    const aliases = toolNameProblem(short) === undefined && mayBeShort(short) ? [short] : [];
    return {
      name,
      aliases,
      make: () =>
        mcpTool({
          server,
          definition,
          name,
          aliases,
          capabilities: this.#capabilities(server, tool),
          hash,
          call: (args, context, effect) => this.#world.call(tool, args, { context, effect }),
        }),
    };
  }

  #capabilities({ name: server, capabilities }: McpServer, { name, definition }: JudgedTool): string[] {
    const { declared } = this.#world;
    const lists = [
      capabilities.all,
      byName(capabilities.byTool, definition.name) ?? [],
      own(declared, `mcp:${server}`),
      own(declared, `mcp:${name}`),
    ];
    return [...new Set(lists.flat())];
  }
}

/** Where tools of a server come from. */
export function originOf(server: string): Omit<Registration, "tool"> {
  return { source: "mcps", owner: server, priority: 2 };
}

/** Why a tool cannot be called, and what to do. */
export function refusal(server: string, { name, refused }: JudgedTool): Failure {
  if (refused === undefined) throw new TypeError("the tool is not refused");
  const { reason, message } = refused;
  const target = reason === "server_changed" ? server : name;
  const fixable = reason === "unpinned" || reason === "pin_mismatch" || reason === "server_changed";
  const todo = fixable ? `; \`windlass mcp approve ${target}\` shows it and asks` : "";
  return refuseMcp(reason, `${name} is refused: ${message}${todo}`, {
    forModel: `${name} cannot be used until a person has looked at it; go on without it`,
  }).toFailure();
}

function own<T>(table: Readonly<Record<string, readonly T[]>>, key: string): readonly T[] {
  return Object.hasOwn(table, key) ? (table[key] ?? []) : [];
}
