import { type Workspace, unseenServers, workspaceFile } from "../app/index.ts";
import { type Failure, fail, isFailureError } from "../base/index.ts";
import type { PermissionSubject } from "../engine/index.ts";
import { oneLine } from "./format-table.ts";
import type { Terminal } from "./terminal.ts";

/** What servers are made ready in. */
export interface Preparing {
  readonly workspace: Workspace;
  readonly terminal: Terminal;
  readonly signal?: AbortSignal;
}

/**
 * Makes a tool known of an MCP server that was never connected to, where its name says which server that is. Throws where
 * the server cannot be used, and where the rules refuse the tool: then nobody is started for it.
 */
export async function prepareForCall(tool: string, preparing: Preparing): Promise<void> {
  const { workspace } = preparing;
  const servers = serversOf([tool], { workspace, callerType: "direct" });
  if (servers.length === 0) return;
  const denial = denialOf(tool, "direct", workspace);
  if (denial !== undefined) throw fail(denial.message, { code: denial.code, reason: "rule", retry: "never" });
  const failures = await connect(servers, preparing);
  // What serves a capability is not one server alone.
  if (!tool.startsWith(capability) && failures[0] !== undefined) throw failures[0];
}

/** The same for everything that a chain names; what fails is told, and loading the chain says what it lacks. */
export async function prepareForChain(names: ReadonlySet<string>, preparing: Preparing): Promise<void> {
  const { workspace, terminal } = preparing;
  const asking: Asking = { workspace, callerType: "workflow_node" };
  const unseen = [...names].filter((name) => serversOf([name], asking).length > 0);
  const refused = new Map(unseen.map((name) => [name, denialOf(name, "workflow_node", workspace)]));
  for (const denial of refused.values()) if (denial !== undefined) warn(denial.message, terminal);
  const wanted = unseen.filter((name) => refused.get(name) === undefined);
  const failures = await connect(serversOf(wanted, asking), preparing);
  for (const { message } of failures) warn(message, terminal);
}

/** Runners that call no tools of servers. */
const withoutServers: ReadonlySet<string> = new Set(["llm", "vault"]);

/**
 * The same for an agent, which may call whatever there is; what fails is told, and the agent goes without it. So is what
 * the settings say to no effect, which only shows once all tools are known: nobody sees it in what a model does.
 */
export async function prepareForAgent({ runner }: { readonly runner: string }, preparing: Preparing): Promise<void> {
  const { workspace, terminal } = preparing;
  if (!withoutServers.has(runner)) await connectAll(preparing);
  for (const { severity, file, line, column, message, hint = "" } of workspace.problems()) {
    if (severity === "warning" && file === workspaceFile) {
      warn(`${file}:${line}:${column}: ${message}${hint === "" ? "" : `; ${hint}`}`, terminal);
    }
  }
}

async function connectAll(preparing: Preparing): Promise<void> {
  const { workspace, terminal } = preparing;
  const servers = unseenServers(workspace.sources.mcp).filter(
    (server) => denialOf(`${server}/any`, "conversation_agent", workspace) === undefined,
  );
  const failures = await connect(servers, preparing);
  for (const { message } of failures) warn(message, terminal);
}

function warn(message: string, terminal: Terminal): void {
  terminal.tell(`${terminal.tint("yellow", "warning:")} ${oneLine(message)}`);
}

const capability = "capability:";

/**
 * The servers that were never connected to and that these names say: `server/tool`, or what a capability was declared
 * for. For a capability nobody is started whose tools the rules refuse: others serve it.
 */
function serversOf(names: readonly string[], { workspace, callerType }: Asking): readonly string[] {
  const { hub, sources } = workspace;
  const wanted = new Set(
    names.filter((name) => name.startsWith(capability)).map((name) => hub.canonical(name.slice(capability.length))),
  );
  return unseenServers(sources.mcp).filter((server) => {
    if (names.some((name) => name.startsWith(`${server}/`))) return true;
    return declaredFor(server, workspace).some(
      ({ tool, capabilities }) =>
        capabilities.some((name) => wanted.has(hub.canonical(name))) &&
        denialOf(`${server}/${tool ?? "*"}`, callerType, workspace) === undefined,
    );
  });
}

interface Asking {
  readonly workspace: Workspace;
  readonly callerType: PermissionSubject["callerType"];
}

/** What was declared for a server, or for a tool of it. */
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
  /** All of the server's where absent. */
  readonly tool?: string;
  readonly capabilities: readonly string[];
}

const effects = ["pure", "read", "idempotent", "once"] as const;

/** Why the rules refuse a tool that nobody has seen, if they do so whatever it turns out to be. */
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

/** Connects to servers, all at once, for as long as a call may take; gives what failed. */
async function connect(servers: readonly string[], preparing: Preparing): Promise<readonly Error[]> {
  const { workspace, terminal, signal } = preparing;
  if (servers.length === 0) return [];
  const limitMs = workspace.config.engine.timeoutMs;
  const late = AbortSignal.timeout(limitMs);
  const either = signal === undefined ? late : AbortSignal.any([signal, late]);
  const stopTelling = tellConnecting(servers, terminal);
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
    stopTelling();
  }
}

function tooLate(server: string, limitMs: number): Error {
  const message = `the MCP server "${server}" was not ready within ${limitMs / 1000} s`;
  return fail(`${message}; \`windlass mcp list --connect\` waits longer`, {
    code: "not_available",
    reason: "no_handshake",
  });
}

/** Tells who is being waited for, once it takes its time. */
function tellConnecting(servers: readonly string[], terminal: Terminal): () => void {
  const startedAt = performance.now();
  const what = `connecting to ${servers.map(oneLine).join(", ")}`;
  let told = false;
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    terminal.status(terminal.tint("dim", `${what}, ${seconds} s`));
    // Where nothing can be drawn over, one line has to do.
    if (terminal.screen === undefined && !told) terminal.tell(terminal.tint("dim", `${what} …`));
    told = true;
  }, 1000);
  return () => {
    clearInterval(timer);
    terminal.status();
  };
}
