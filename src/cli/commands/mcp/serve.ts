import { randomBytes } from "node:crypto";
import { Writable } from "node:stream";
import type { McpToolServer } from "../../../adapters/index.ts";
import { type Workspace, hasActiveToken, isServed, serveTools } from "../../../app/index.ts";
import { isLoopbackHost } from "../../../net/index.ts";
import { type Server, createServer } from "../../../server/index.ts";
import { suggest } from "../../../text/index.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { exitCodes } from "../../program/exit-codes.ts";
import { toOneLine } from "../../terminal/format-table.ts";
import { type Invocation, commandLine } from "../../program/invocation.ts";
import { logWrapped } from "../../terminal/log-wrapped.ts";
import { type OpenedHere, openHere, requireTrust, trustCommand, reportLogEntry } from "../../open/open-here.ts";
import { reportBrokenFiles, reportUnusableFiles } from "../../open/open-tools.ts";
import { warnUnmatchedRules } from "../../open/warn-unmatched-rules.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { UsageError, orUsageError } from "../../program/usage-error.ts";
import { watchInterrupts } from "../../program/watch-interrupts.ts";

/** Not an option, because every user of the machine can read command lines. */
const tokenVariable = "WINDLASS_MCP_TOKEN";
const defaultPort = 8808;

/** `windlass mcp serve`. */
export const serveToClients: RunCommand = async (invocation) => {
  const interrupts = watchInterrupts();
  const stopped = Promise.withResolvers<void>();
  const { workspace, serving, close } = await openForClients(invocation);
  let server: Server | undefined;
  try {
    interrupts.arm({ onStop: () => stopped.resolve() });
    reportHiddenSources(workspace, invocation);
    warnUnmatchedChoices(workspace, invocation);
    if (invocation.flag("http")) server = await serveHttp(workspace, serving, invocation);
    else void serveStreams(serving, invocation).then(stopped.resolve, stopped.reject);
    await stopped.promise;
    return interrupts.code ?? exitCodes.ok;
  } finally {
    await server?.close();
    await serving.close();
    await close();
    interrupts.dispose();
  }
};

/** Reports to the operator what clients will not see, and permission rules that match no tool. */
function reportHiddenSources(workspace: Workspace, invocation: Invocation): void {
  reportBrokenFiles(workspace, invocation);
  warnUnmatchedRules(workspace, invocation);
  const reported = new Set<string>();
  workspace.engine.subscribe(
    (event) => {
      if (event.type === "load_error") reportUnusableFiles([event.file], invocation);
      if (event.type === "reload_completed") reportNewUntrusted(workspace, invocation, reported);
    },
    ["load_error", "reload_completed"],
  );
}

/** Reports parts that appeared while clients are served and that are not trusted, each once. */
function reportNewUntrusted(workspace: Workspace, { terminal }: Invocation, reported: Set<string>): void {
  const files = workspace.problems().flatMap(({ code, file, line, column, message }) =>
    // The problem of a file that needs something untrusted.
    code === "not_checked" ? [`${file}:${line}:${column}: ${message}`] : [],
  );
  const servers = workspace.sources.mcp?.status() ?? [];
  const untrusted = servers.flatMap(({ name, state }) =>
    state === "untrusted"
      ? [`not trusted: the MCP server ${name}; review it with: ${trustCommand(workspace.dir)}`]
      : [],
  );
  for (const message of [...files, ...untrusted]) {
    if (reported.has(message)) continue;
    reported.add(message);
    logWrapped(toOneLine(message), terminal, { lead: `${terminal.tint("yellow", "warning:")} ` });
  }
}

async function openForClients(invocation: Invocation): Promise<OpenedHere & { readonly serving: McpToolServer }> {
  const { terminal } = invocation;
  const later: { serving?: McpToolServer } = {};
  const opened = await openHere(terminal, {
    store: "sqlite",
    reload: true,
    executes: "the last call",
    onLog: (entry) => {
      later.serving?.onLog(entry);
      reportLogEntry(terminal, entry);
    },
  });
  const { workspace } = opened;
  try {
    // A client would not notice that tools are missing.
    requireTrust(workspace);
  } catch (error) {
    await workspace.close();
    throw error;
  }
  const tools = invocation.texts("tools");
  const serving = await serveTools(workspace, {
    ...(tools.length > 0 && { tools }),
    log: (message) => terminal.log(terminal.tint("dim", toOneLine(message))),
  });
  later.serving = serving;
  return { ...opened, serving };
}

/** Warns about `--tools` that choose nothing. Tools of servers may become known later. */
function warnUnmatchedChoices({ engine }: Workspace, invocation: Invocation): void {
  const all = engine.tools.list();
  for (const glob of invocation.texts("tools")) {
    if (glob.includes("/") || all.some((one) => isServed(one, [glob]))) continue;
    const near = suggest(glob, engine.tools.names());
    invocation.terminal.log(
      `warning: --tools ${glob} matches no tool${near === undefined ? "" : `; did you mean ${near}?`}`,
    );
  }
}

/** Serves one client over stdio, until it disconnects. */
async function serveStreams(serving: McpToolServer, { terminal }: Invocation): Promise<void> {
  const { closed } = await serving.stdio(process.stdin, protocolOutput(terminal));
  reportServing(serving, terminal, "on stdin and stdout");
  if (terminal.interactive) {
    terminal.log(terminal.tint("cyan", "This command is usually started by an MCP client; press Ctrl-C to exit."));
  }
  await closed;
}

/** Limits of a server that has few clients, and whose address is known to programs of this machine. */
const connectionLimits = { connections: 512, unauthenticated: 64, headersMs: 2_000, requestMs: 30_000 };

/** Serves all clients that have the token, or one of the workspace. */
async function serveHttp(workspace: Workspace, serving: McpToolServer, invocation: Invocation): Promise<Server> {
  const { terminal } = invocation;
  const host = invocation.text("host") ?? "127.0.0.1";
  const token = process.env[tokenVariable];
  if (token === undefined && !isLoopbackHost(host) && !(await hasActiveToken(workspace)))
    throw new UsageError(
      `to listen on ${host}, which other machines can reach, a token is required`,
      `${tokenVariable}=$(openssl rand -hex 32) ${commandLine(invocation, "mcp serve", "--http")}`,
      `or create one with: ${commandLine(invocation, "token", "create", "NAME", "--scope", "call")}`,
    );
  const generated = randomBytes(32).toString("base64url");
  const server = orUsageError("validation_error", () =>
    createServer(workspace, {
      only: "mcp",
      mcp: serving,
      tokens: { [tokenVariable]: token ?? generated },
      host,
      allowedHosts: invocation.texts("allowHost"),
      allowedOrigins: invocation.texts("allowOrigin"),
      connectionLimits,
      drainMs: 500,
    }),
  );
  const { url } = await server.listen(invocation.number("port") ?? defaultPort);
  reportServing(serving, terminal, `at ${url}/mcp`);
  terminal.print(token === undefined ? `${url}/mcp\nAuthorization: Bearer ${generated}` : `${url}/mcp`);
  return server;
}

function reportServing({ toolCount }: McpToolServer, terminal: Terminal, where: string): void {
  terminal.log(terminal.tint("dim", `serving ${toolCount} tools ${where}`));
}

/** Output stream to the client: one line per message, and no other output of this process. */
function protocolOutput(terminal: Terminal): Writable {
  return new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      terminal.print(String(chunk).replace(/\n$/, ""));
      done();
    },
  });
}
