import { Writable } from "node:stream";
import { type McpToolServer, serveMcp } from "../../../adapters/index.ts";
import type { Workspace } from "../../../app/index.ts";
import { nameGlob, definedOnly } from "../../../base/index.ts";
import { readResultName, viewResult } from "../../../hub/index.ts";
import { suggest } from "../../../text/index.ts";
import { type Registration, builtinOwner, isWorkspaceTool } from "../../../tool/index.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { exitCodes } from "../../program/exit-codes.ts";
import { toOneLine } from "../../terminal/format-table.ts";
import { type Invocation, commandLine } from "../../program/invocation.ts";
import { logWrapped } from "../../terminal/log-wrapped.ts";
import { type OpenedHere, openHere, requireTrust, trustCommand, reportLogEntry } from "../../open/open-here.ts";
import { reportBrokenFiles, reportUnusableFiles } from "../../open/open-tools.ts";
import { warnUnmatchedRules } from "../../open/warn-unmatched-rules.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { UsageError } from "../../program/usage-error.ts";
import { windlassVersion } from "../../program/version.ts";
import { watchInterrupts } from "../../program/watch-interrupts.ts";

/** Not an option, because every user of the machine can read command lines. */
const tokenVariable = "WINDLASS_MCP_TOKEN";
const defaultPort = 8808;

/** `windlass mcp serve`. */
export const serveToClients: RunCommand = async (invocation) => {
  const interrupts = watchInterrupts();
  const stopped = Promise.withResolvers<void>();
  const { workspace, serving, close } = await openForClients(invocation);
  try {
    interrupts.arm({ onStop: () => stopped.resolve() });
    reportHiddenSources(workspace, invocation);
    warnUnmatchedChoices(workspace, invocation);
    const served = invocation.flag("http") ? serveHttp : serveStreams;
    await Promise.race([served(serving, invocation), stopped.promise]);
    return interrupts.code ?? exitCodes.ok;
  } finally {
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

/** Maximum characters of a result in one response; the rest is read with `read_result`. */
const maxViewChars = 100_000;

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
  const globs = invocation.texts("tools").length > 0 ? invocation.texts("tools") : workspace.config.mcp.serve;
  const serving = await serveMcp({
    engine: workspace.engine,
    tools: () => servedTools(workspace, globs),
    ...(workspace.config.mcp.approvals === "client" && { approvals: workspace.approvals }),
    ready: async () => workspace.sources.mcp?.prepare(),
    name: "windlass",
    version: windlassVersion(),
    redact: (result) => workspace.resultStore.redact(result),
    view: (result, owner) => viewResult(result, { maxChars: maxViewChars, resultStore: workspace.resultStore, owner }),
    log: (message) => terminal.log(terminal.tint("dim", toOneLine(message))),
  });
  later.serving = serving;
  return { ...opened, serving };
}

/** Reads the rest of a result that one response does not hold; offered together with any other tool. */
const always: ReadonlySet<string> = new Set([readResultName]);

/**
 * The tools and chains that clients are offered: those that were chosen, or the workspace's own; without any, the
 * built-in ones.
 */
function servedTools({ engine }: Workspace, globs: readonly string[] | undefined): readonly Registration[] {
  const all = engine.tools.list();
  const isBasic = ({ tool, owner }: Registration): boolean => owner === builtinOwner && always.has(tool.name);
  if (globs !== undefined) return all.filter((one) => isBasic(one) || isChosen(one, globs));
  const own = all.filter(isWorkspaceTool);
  if (own.length === 0) return all.filter(({ owner }) => owner === builtinOwner);
  return all.filter((one) => isWorkspaceTool(one) || isBasic(one));
}

/** Warns about `--tools` that choose nothing. Tools of servers may become known later. */
function warnUnmatchedChoices({ engine }: Workspace, invocation: Invocation): void {
  const all = engine.tools.list();
  for (const glob of invocation.texts("tools")) {
    if (glob.includes("/") || all.some((one) => isChosen(one, [glob]))) continue;
    const near = suggest(glob, engine.tools.names());
    invocation.terminal.log(
      `warning: --tools ${glob} matches no tool${near === undefined ? "" : `; did you mean ${near}?`}`,
    );
  }
}

/** A tool is chosen by its name, or by an alias that is not a server's choice. */
function isChosen({ tool, source }: Registration, globs: readonly string[]): boolean {
  const names = source === "mcps" ? [tool.name] : [tool.name, ...tool.aliases];
  return globs.some((glob) => names.some(nameGlob(glob)));
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

/** Serves all clients that have the token, until the process is terminated. */
async function serveHttp(serving: McpToolServer, invocation: Invocation): Promise<void> {
  const { terminal } = invocation;
  const host = invocation.text("host");
  const token = process.env[tokenVariable];
  const { url, token: needed } = await serving
    .http({
      port: invocation.number("port") ?? defaultPort,
      allowedHosts: invocation.texts("allowHost"),
      allowedOrigins: invocation.texts("allowOrigin"),
      ...definedOnly({ host, token }),
    })
    .catch((error: unknown) => {
      throw refusedToken(error, invocation);
    });
  reportServing(serving, terminal, `at ${url}`);
  terminal.print(token === undefined ? `${url}\nAuthorization: Bearer ${needed}` : url);
  await new Promise<never>(() => {});
}

function reportServing({ toolCount }: McpToolServer, terminal: Terminal, where: string): void {
  terminal.log(terminal.tint("dim", `serving ${toolCount} tools ${where}`));
}

/** A rejected token is a usage error. */
function refusedToken(error: unknown, invocation: Invocation): unknown {
  const isToken = error instanceof Error && "reason" in error && error.reason === "mcp_token";
  if (!isToken) return error;
  const line = commandLine(invocation, "mcp serve", "--http");
  return new UsageError(error.message, `${tokenVariable}=$(openssl rand -hex 32) ${line}`);
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
