import { Writable } from "node:stream";
import { type McpServing, serveMcp } from "../../adapters/index.ts";
import { type Workspace, openWorkspace } from "../../app/index.ts";
import type { FailureError } from "../../base/index.ts";
import { viewOf } from "../../hub/index.ts";
import { closeWorkspace } from "../close-workspace.ts";
import type { RunCommand } from "../command-spec.ts";
import { exitCodes } from "../exit-codes.ts";
import { oneLine } from "../format-table.ts";
import { type Invocation, commandLine } from "../invocation.ts";
import { tellBroken, tellUnused } from "../open-tools.ts";
import { shortText } from "../short-text.ts";
import { tellSlowLoad } from "../tell-slow-load.ts";
import { tellStep } from "../tell-step.ts";
import { tellUnguarded } from "../tell-unguarded.ts";
import type { Terminal } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";
import { windlassVersion } from "../version.ts";
import { watchInterrupts } from "../watch-interrupts.ts";

/** Not on the command line, where every user of the machine could read it. */
const tokenVariable = "WINDLASS_MCP_TOKEN";
const usualPort = 8808;

/** `windlass mcp serve`. */
export const serveToClients: RunCommand = async (invocation) => {
  const { terminal } = invocation;
  const interrupts = watchInterrupts();
  const storeFailures: FailureError[] = [];
  const stopped = Promise.withResolvers<void>();
  const { workspace, serving } = await openForClients(terminal, (failure) => storeFailures.push(failure));
  try {
    interrupts.arm({ onStop: () => stopped.resolve() });
    tellOfSources(workspace, invocation);
    const served = invocation.flag("http") ? serveHttp : serveStreams;
    await Promise.race([served(serving, invocation), stopped.promise]);
    return interrupts.code ?? exitCodes.ok;
  } finally {
    await serving.close();
    await closeWorkspace(workspace, { terminal, storeFailures, what: "what was called last" });
    interrupts.dispose();
  }
};

/** Tells the operator what clients will not see, for nobody would know why, and what is taken for guarded and is not. */
function tellOfSources(workspace: Workspace, invocation: Invocation): void {
  tellBroken(workspace, invocation);
  tellUnguarded(workspace, invocation);
  workspace.engine.subscribe(
    (event) => {
      if (event.type === "load_error") tellUnused([event.file], invocation);
    },
    ["load_error"],
  );
}

/** Characters of a result that a client gets at once; the rest is read with `read_result`. */
const longestView = 100_000;

interface Opened {
  readonly workspace: Workspace;
  readonly serving: McpServing;
}

async function openForClients(terminal: Terminal, onStoreError: (failure: FailureError) => void): Promise<Opened> {
  const later: { serving?: McpServing } = {};
  const workspace = await openWorkspace(".", {
    onStoreError,
    onSlowLoad: tellSlowLoad(terminal),
    onLog: (entry) => {
      later.serving?.onLog(entry);
      const { message, data } = entry;
      tellStep(terminal, data === undefined ? message : `${message} ${shortText(data)}`);
    },
  });
  const serving = await serveMcp({
    engine: workspace.engine,
    ...(workspace.config.mcp.approvals === "client" && { approvals: workspace.approvals }),
    ready: async () => workspace.sources.mcp?.prepare(),
    name: "windlass",
    version: windlassVersion(),
    redact: (result) => workspace.shelf.redacted(result),
    view: (result, owner) => viewOf(result, { maxChars: longestView, shelf: workspace.shelf, owner }),
    log: (message) => terminal.tell(terminal.tint("dim", oneLine(message))),
  });
  later.serving = serving;
  return { workspace, serving };
}

/** One client, on stdin and stdout, until it is gone. */
async function serveStreams(serving: McpServing, { terminal }: Invocation): Promise<void> {
  const { closed } = await serving.stdio(process.stdin, protocolOutput(terminal));
  tellServing(serving, terminal, "on stdin and stdout");
  if (terminal.interactive) {
    terminal.tell(terminal.tint("cyan", "An MCP client usually starts this command; Ctrl-C ends it."));
  }
  await closed;
}

/** Everybody who knows the token, until the program is told to end. */
async function serveHttp(serving: McpServing, invocation: Invocation): Promise<void> {
  const { terminal } = invocation;
  const host = invocation.text("host");
  const token = process.env[tokenVariable];
  const { url, token: needed } = await serving
    .http({
      port: invocation.number("port") ?? usualPort,
      allowedHosts: invocation.texts("allowHost"),
      allowedOrigins: invocation.texts("allowOrigin"),
      ...(host !== undefined && { host }),
      ...(token !== undefined && { token }),
    })
    .catch((error: unknown) => {
      throw refusedToken(error, invocation);
    });
  tellServing(serving, terminal, `at ${url}`);
  terminal.print(token === undefined ? `${url}\nAuthorization: Bearer ${needed}` : url);
  await new Promise<never>(() => {});
}

function tellServing({ toolCount }: McpServing, terminal: Terminal, where: string): void {
  terminal.tell(terminal.tint("dim", `serving ${toolCount} tools ${where}`));
}

/** What is wrong with the token is wrong with the command line. */
function refusedToken(error: unknown, invocation: Invocation): unknown {
  const isToken = error instanceof Error && "reason" in error && error.reason === "mcp_token";
  if (!isToken) return error;
  const line = commandLine(invocation, "mcp serve", "--http");
  return new UsageError(error.message, `${tokenVariable}=$(openssl rand -hex 32) ${line}`);
}

/** The way to the client: a line for each message, and nothing else of this process gets there. */
function protocolOutput(terminal: Terminal): Writable {
  return new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      terminal.print(String(chunk).replace(/\n$/, ""));
      done();
    },
  });
}
