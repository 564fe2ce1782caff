import { cliCommand, type Failure } from "../../base/index.ts";
import {
  type Registration,
  type RegistryChange,
  type ToolContext,
  type ToolOffer,
  type ToolRegistry,
  type Effect,
  toolNameProblem,
} from "../../tool/index.ts";
import type { JudgedTool } from "./judge-definitions.ts";
import { canBeShortName, matchByName } from "./mcp-names.ts";
import { mcpTool, createRefusedTool } from "./mcp-tool.ts";
import type { McpServer } from "./server-config.ts";
import { mcpSourceFailure } from "../hub-reasons.ts";

/** Dependencies of the tools of a server. */
export interface ServerToolsDeps {
  readonly registry: ToolRegistry;
  /** Capabilities that the workspace declares for servers, `mcp:server`, and tools, `mcp:server/tool`. */
  readonly declared: Readonly<Record<string, readonly string[]>>;
  readonly call: (tool: JudgedTool, args: unknown, call: ToolCall) => Promise<unknown>;
}

/** Options of a call. */
export interface ToolCall {
  readonly context: ToolContext;
  readonly effect: Effect;
}

/** The tools of one server in the registry: created on first access, replaced when they change. */
export class ServerTools {
  readonly #world: ServerToolsDeps;
  /** Registered tools by full name, each with a fingerprint. */
  #registered: ReadonlyMap<string, string> = new Map();

  constructor(world: ServerToolsDeps) {
    this.#world = world;
  }

  /** Registers exactly these tools of the server; if something changes, calls `change`. */
  show(server: McpServer, tools: readonly JudgedTool[], change: (apply: () => RegistryChange) => void): void {
    const before = this.#registered;
    const settings = JSON.stringify([server.timeoutMs, server.effects, server.targets, server.capabilities]);
    const after = new Map(
      tools.map((tool) => [tool.name, `${settings} ${tool.hash} ${tool.isApproved} ${JSON.stringify(tool.refused)}`]),
    );
    const changed = tools.filter(({ name }) => before.get(name) !== after.get(name));
    const removed = [...before.keys()].filter((name) => !after.has(name));
    this.#registered = after;
    if (changed.length + removed.length === 0) return;
    const { registry } = this.#world;
    const origin = serverOrigin(server.name);
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
    const { name, short, definition, hash, isApproved, refused } = tool;
    if (refused !== undefined) {
      const why = refusalFailure(server.name, tool);
      return { name, aliases: [], make: () => createRefusedTool(name, why) };
    }
    // The short name resolves here if no other tool has it; it never replaces one that does.
    const aliases = toolNameProblem(short) === undefined && canBeShortName(short) ? [short] : [];
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
          isApproved,
          call: (args, context, effect) => this.#world.call(tool, args, { context, effect }),
        }),
    };
  }

  #capabilities({ name: server, capabilities }: McpServer, { name, definition }: JudgedTool): string[] {
    const { declared } = this.#world;
    const lists = [
      capabilities.all,
      matchByName(capabilities.byTool, definition.name) ?? [],
      ownList(declared, `mcp:${server}`),
      ownList(declared, `mcp:${name}`),
    ];
    return [...new Set(lists.flat())];
  }
}

/** Origin of the tools of a server. */
export function serverOrigin(server: string): Omit<Registration, "tool"> {
  return { source: "mcps", owner: server, priority: 2 };
}

/** The reason why a tool cannot be called, and what to do. */
export function refusalFailure(server: string, { name, refused }: JudgedTool): Failure {
  if (refused === undefined) throw new TypeError("the tool is not refused");
  const { reason, message } = refused;
  const target = reason === "server_changed" ? server : name;
  const fixable = reason === "unpinned" || reason === "pin_mismatch" || reason === "server_changed";
  const todo = fixable ? `; \`${cliCommand(`mcp approve ${target}`)}\` shows it and prompts for a decision` : "";
  return mcpSourceFailure(reason, `${name} is refused: ${message}${todo}`, {
    forModel: `${name} cannot be used until a person has reviewed it; continue without it`,
  }).toFailure();
}

function ownList<T>(table: Readonly<Record<string, readonly T[]>>, key: string): readonly T[] {
  return Object.hasOwn(table, key) ? (table[key] ?? []) : [];
}
