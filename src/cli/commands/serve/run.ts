import type { McpToolServer } from "../../../adapters/index.ts";
import { type Workspace, hasActiveToken, localToken, serveTools } from "../../../app/index.ts";
import { isLoopbackHost } from "../../../net/index.ts";
import { type Server, type ServerOptions, createServer } from "../../../server/index.ts";
import { type OpenedHere, openHere, requireTrust } from "../../open/open-here.ts";
import { reportBrokenFiles } from "../../open/open-tools.ts";
import { warnUnmatchedRules } from "../../open/warn-unmatched-rules.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { type ExitCode, exitCodes } from "../../program/exit-codes.ts";
import { type Invocation, commandLine } from "../../program/invocation.ts";
import { UsageError, orUsageError } from "../../program/usage-error.ts";
import { watchInterrupts } from "../../program/watch-interrupts.ts";
import { userName } from "../../terminal/user-name.ts";
import { watchEvents } from "./event-lines.ts";
import { type ServerLog, createServerLog } from "./server-log.ts";

/** Not an option, because every user of the machine can read command lines. */
const tokenVariable = "WINDLASS_TOKEN";

const defaultHost = "127.0.0.1";
const defaultPort = 4780;

/** `windlass serve`. */
export const serveWorkspace: RunCommand = (invocation) => serve(invocation, "serve");

/** `windlass dev`. */
export const developWorkspace: RunCommand = (invocation) => serve(invocation, "dev");

type Mode = "serve" | "dev";

/** Serves until the first signal, then drains. The second signal ends the process at once. */
async function serve(invocation: Invocation, mode: Mode): Promise<ExitCode> {
  const interrupts = watchInterrupts();
  const stopped = Promise.withResolvers<void>();
  const log = createServerLog(invocation.terminal, invocation.text("log"));
  const { workspace, mcp, close } = await openToServe(invocation, { mode, log });
  let server: Server | undefined;
  try {
    const watched = mode === "dev" ? watchEvents(workspace, { terminal: invocation.terminal, log }) : undefined;
    server = await createWith(workspace, invocation, {
      mcp,
      onAccess: log.access,
      onError: log.error,
      ...(watched !== undefined && { onRunEvent: watched }),
    });
    interrupts.arm({ onStop: () => stopped.resolve() });
    const { url } = await server.listen(invocation.number("port") ?? defaultPort);
    log.message(`serving ${workspace.dir} at ${url}`);
    invocation.terminal.print(linkOf(server, { url, workspace, invocation }));
    await stopped.promise;
    log.message("stopping: no more work is started; running requests are answered, and runs are released");
  } finally {
    await server?.close();
    await mcp.close();
    await close();
    interrupts.dispose();
  }
  log.message("stopped");
  return exitCodes.ok;
}

async function openToServe(
  invocation: Invocation,
  { mode, log }: { readonly mode: Mode; readonly log: ServerLog },
): Promise<OpenedHere & { readonly mcp: McpToolServer }> {
  const later: { mcp?: McpToolServer } = {};
  const opened = await openHere(invocation.terminal, {
    store: "sqlite",
    reload: mode === "dev" ? "watch" : true,
    executes: "the last call",
    onLog: (entry) => {
      later.mcp?.onLog(entry);
      log.tool(entry);
    },
  });
  try {
    // A client would not notice that tools are missing.
    requireTrust(opened.workspace);
  } catch (error) {
    await opened.workspace.close();
    throw error;
  }
  reportBrokenFiles(opened.workspace, invocation);
  warnUnmatchedRules(opened.workspace, invocation);
  const mcp = await serveTools(opened.workspace, { log: log.message });
  later.mcp = mcp;
  return { ...opened, mcp };
}

/** Creates the server with the tokens of this user and of the environment. Throws if an address needs a token. */
async function createWith(
  workspace: Workspace,
  invocation: Invocation,
  parts: Pick<ServerOptions, "mcp" | "onAccess" | "onError" | "onRunEvent">,
): Promise<Server> {
  const host = invocation.text("host") ?? defaultHost;
  const { publicUrl, allowHosts, allowOrigins } = workspace.config.server;
  const token = process.env[tokenVariable];
  if (!isLoopbackHost(host) && token === undefined) await requireToken(workspace, invocation, host);
  const tokens = { [ownerName()]: localToken(workspace.dir), ...(token !== undefined && { [tokenVariable]: token }) };
  const proxy = publicUrl === undefined ? [] : [new URL(publicUrl).hostname];
  return orUsageError("validation_error", () =>
    createServer(workspace, {
      tokens,
      host,
      allowedHosts: [...proxy, ...allowHosts, ...invocation.texts("allowHost")],
      allowedOrigins: [...allowOrigins, ...invocation.texts("allowOrigin")],
      ...parts,
    }),
  );
}

/** Throws unless the workspace has a token that is valid: the one of this user is not meant for other machines. */
async function requireToken(workspace: Workspace, invocation: Invocation, host: string): Promise<void> {
  if (await hasActiveToken(workspace)) return;
  throw new UsageError(
    `to listen on ${host}, which other machines can reach, a token is required`,
    `create one with: ${commandLine(invocation, "token", "create", "NAME", "--scope", "read,call,run")}`,
    `or set ${tokenVariable}, such as to the output of: openssl rand -hex 32`,
  );
}

/** The principal of the user at this machine. */
function ownerName(): string {
  return userName() ?? "local";
}

/** The address to open. On this machine, or at a terminal, it contains a one-time code: logs of others do not get one. */
function linkOf(
  server: Server,
  {
    url,
    workspace,
    invocation,
  }: { readonly url: string; readonly workspace: Workspace; readonly invocation: Invocation },
): string {
  const base = (workspace.config.server.publicUrl ?? url).replace(/\/$/, "");
  const isLocal = isLoopbackHost(invocation.text("host") ?? defaultHost);
  if (!isLocal && !invocation.terminal.interactive) return base;
  return `${base}/#code=${server.createSessionCode({ name: ownerName(), scopes: ["admin"] })}`;
}
