import { type Workspace, neverConnectedServers, workspaceFile } from "../../app/index.ts";
import { type Failure, fail, isFailureError, cliCommand } from "../../base/index.ts";
import type { PermissionSubject } from "../../engine/index.ts";
import { toOneLine } from "../terminal/format-table.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Context for connecting servers. */
export interface Preparing {
  readonly workspace: Workspace;
  readonly terminal: Terminal;
  readonly signal?: AbortSignal;
}

/**
 * Connects the MCP server of a tool if it was never connected, so that the tool is known. Throws if the server is
 * unavailable, or if the permission rules deny the tool: then the server is not started.
 */
export async function prepareForCall(tool: string, preparing: Preparing): Promise<void> {
  const { workspace } = preparing;
  const servers = serversOf([tool], { workspace, callerType: "direct" });
  if (servers.length === 0) return;
  const denial = denialOf(tool, "direct", workspace);
  if (denial !== undefined) throw fail(denial.message, { code: denial.code, reason: "rule", retry: "never" });
  const failures = await connect(servers, preparing);
  // A capability may be served by others.
  if (!tool.startsWith(capability) && failures[0] !== undefined) throw failures[0];
}

/** The same for all tools that a chain names; failures are reported, and loading the chain reports missing tools. */
export async function prepareForChain(names: ReadonlySet<string>, preparing: Preparing): Promise<void> {
  const { workspace, terminal } = preparing;
  const pendingRuns: ServerPreparation = { workspace, callerType: "workflow_node" };
  const unseen = [...names].filter((name) => serversOf([name], pendingRuns).length > 0);
  const refused = new Map(unseen.map((name) => [name, denialOf(name, "workflow_node", workspace)]));
  for (const denial of refused.values()) if (denial !== undefined) warn(denial.message, terminal);
  const requested = unseen.filter((name) => refused.get(name) === undefined);
  const failures = await connect(serversOf(requested, pendingRuns), preparing);
  for (const { message } of failures) warn(message, terminal);
}

/** Runners that call no tools of servers. */
const withoutServers: ReadonlySet<string> = new Set(["llm", "vault"]);

/**
 * The same for an agent, which may call any tool; failures are reported, and the agent runs without those tools.
 * Settings without effect are reported too, since they only show once all tools are known, and never in the behavior
 * of a model.
 */
export async function prepareForAgent({ runner }: { readonly runner: string }, preparing: Preparing): Promise<void> {
  if (!withoutServers.has(runner)) await connectAll(preparing);
  for (const { severity, file, line, column, message, hint = "" } of preparing.workspace.problems()) {
    if (severity === "warning" && file === workspaceFile) {
      warn(`${file}:${line}:${column}: ${message}${hint === "" ? "" : `; ${hint}`}`, preparing.terminal);
    }
  }
}

async function connectAll(preparing: Preparing): Promise<void> {
  const { workspace, terminal } = preparing;
  const servers = neverConnectedServers(workspace.sources.mcp).filter(
    (server) => denialOf(`${server}/any`, "conversation_agent", workspace) === undefined,
  );
  const failures = await connect(servers, preparing);
  for (const { message } of failures) warn(message, terminal);
}

function warn(message: string, terminal: Terminal): void {
  terminal.log(`${terminal.tint("yellow", "warning:")} ${toOneLine(message)}`);
}

const capability = "capability:";

/**
 * Servers that were never connected and that these names refer to: `server/tool`, or a capability declared for them.
 * For a capability, a server whose tools the rules deny is not started: others serve it.
 */
function serversOf(names: readonly string[], { workspace, callerType }: ServerPreparation): readonly string[] {
  const { hub, sources } = workspace;
  const requested = new Set(
    names.filter((name) => name.startsWith(capability)).map((name) => hub.canonical(name.slice(capability.length))),
  );
  return neverConnectedServers(sources.mcp).filter((server) => {
    if (names.some((name) => name.startsWith(`${server}/`))) return true;
    return declaredFor(server, workspace).some(
      ({ tool, capabilities }) =>
        capabilities.some((name) => requested.has(hub.canonical(name))) &&
        denialOf(`${server}/${tool ?? "*"}`, callerType, workspace) === undefined,
    );
  });
}

interface ServerPreparation {
  readonly workspace: Workspace;
  readonly callerType: PermissionSubject["callerType"];
}

/** Capabilities declared for a server, or for one of its tools. */
function declaredFor(server: string, { sources: { mcp }, config }: Workspace): readonly Declared[] {
  const own = mcp?.server(server)?.capabilities;
  const inSettings = Object.entries(config.capabilities.declared).flatMap(([of, capabilities]): Declared[] => {
    if (of === `mcp:${server}`) return [{ capabilities }];
    return of.startsWith(`mcp:${server}/`) ? [{ tool: of.slice(`mcp:${server}/`.length), capabilities }] : [];
  });
  const byTool = Object.entries(own?.byTool ?? {}).map(([tool, capabilities]) => ({ tool, capabilities }));
  return [{ capabilities: own?.all ?? [] }, ...byTool, ...inSettings];
}

interface Declared {
  /** Default: all tools of the server. */
  readonly tool?: string;
  readonly capabilities: readonly string[];
}

const effects = ["pure", "read", "idempotent", "once"] as const;

/** Denial of an unknown tool, if the rules deny it regardless of its effect. */
function denialOf(
  tool: string,
  callerType: PermissionSubject["callerType"],
  { engine: { denies } }: Workspace,
): Failure | undefined {
  if (denies === undefined || tool.startsWith(capability)) return undefined;
  const common = { tool, aliases: [tool.slice(tool.indexOf("/") + 1)], source: "mcps", callerType };
  const found = effects.flatMap((effect) =>
    [true, false].map((destructive) => denies({ ...common, effect, destructive })),
  );
  return found.includes(undefined) ? undefined : found[0];
}

/** Connects servers concurrently, with the timeout of a call; returns the failures. */
async function connect(servers: readonly string[], preparing: Preparing): Promise<readonly Error[]> {
  const { workspace, terminal, signal } = preparing;
  if (servers.length === 0) return [];
  const limitMs = workspace.config.engine.timeoutMs;
  const late = AbortSignal.timeout(limitMs);
  const either = signal === undefined ? late : AbortSignal.any([signal, late]);
  const stopReporting = reportConnecting(servers, terminal);
  const connecting = servers.map(async (server): Promise<Error[]> => {
    try {
      await workspace.sources.mcp?.prepare(server, { signal: either });
      return [];
    } catch (error) {
      if (!isFailureError(error) || signal?.aborted === true) throw error;
      return [late.aborted && error.code === "cancelled" ? tooLate(server, limitMs) : error];
    }
  });
  try {
    return (await Promise.all(connecting)).flat();
  } finally {
    stopReporting();
  }
}

function tooLate(server: string, limitMs: number): Error {
  const message = `the MCP server "${server}" was not ready within ${limitMs / 1000} s`;
  return fail(`${message}; to wait longer: \`${cliCommand("mcp list --connect")}\``, {
    code: "not_available",
    reason: "no_handshake",
  });
}

/** Shows which servers are being connected, if it takes a while. */
function reportConnecting(servers: readonly string[], terminal: Terminal): () => void {
  const startedAt = performance.now();
  const status = `connecting to ${servers.map(toOneLine).join(", ")}`;
  let report = false;
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    terminal.status(terminal.tint("dim", `${status}, ${seconds} s`));
    // If the line cannot be redrawn, it is printed once.
    if (terminal.screen === undefined && !report) terminal.log(terminal.tint("dim", `${status} …`));
    report = true;
  }, 1000);
  return () => {
    clearInterval(timer);
    terminal.status();
  };
}
