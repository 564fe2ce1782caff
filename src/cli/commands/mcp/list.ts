import { toWireMcpServer } from "../../../app/index.ts";
import { cliCommand } from "../../../base/index.ts";
import type { McpServerStatus } from "../../../hub/index.ts";
import { type Redactor } from "../../../secrets/index.ts";
import { stripUnsafe, formatDuration } from "../../../text/index.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { exitCodes } from "../../program/exit-codes.ts";
import { formatCount } from "../../terminal/format-figures.ts";
import { type StyledColumn, tableFor, toOneLine } from "../../terminal/format-table.ts";
import { type Invocation, commandLine } from "../../program/invocation.ts";
import { type OpenedMcpServers, withMcp } from "../../open/open-mcp-servers.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import { reportProblems } from "../../terminal/report-problems.ts";
import type { Style, Terminal } from "../../terminal/terminal.ts";
import { rejectSubcommandWord } from "../../program/reject-subcommand-word.ts";
import { withStopSignal } from "../../program/watch-interrupts.ts";

/** `windlass mcp list`. */
export const listServers: RunCommand = async (invocation) => {
  rejectSubcommandWord(invocation, {
    of: "mcp",
    names: ["list", "add", "remove", "approve", "login", "logout", "serve"],
    hints: () => [`run "${cliCommand("mcp --help")}" for a list`],
  });
  const { terminal } = invocation;
  return withMcp({ terminal }, async (here) => {
    const connects = invocation.flag("connect");
    if (connects) await connectToAll(here, terminal);
    const servers = here.source.status();
    if (invocation.flag("json"))
      terminal.print(safeJson(servers.map((server) => toWireMcpServer(server, here.redactor))));
    else show(servers, here.redactor, invocation);
    const problems = here.source.problems().filter(({ code }) => !listedProblemCodes.has(code));
    if (problems.length > 0 && !invocation.flag("json")) await reportProblems(terminal, problems, here);
    if (!connects) return exitCodes.ok;
    if (servers.some(hasFailed)) return exitCodes.failed;
    // As every command that needs a part of the workspace that is not trusted.
    return servers.some(({ state }) => state === "untrusted") ? exitCodes.usage : exitCodes.ok;
  });
};

/** True if the server could not be connected, or its entry is invalid. */
function hasFailed({ state, lastFailure }: McpServerStatus): boolean {
  return state === "broken" || lastFailure !== undefined;
}

/** Codes of problems that the list itself shows. */
const listedProblemCodes: ReadonlySet<string> = new Set(
  "server_failed pin_mismatch unpinned hidden_text server_changed".split(" "),
);

async function connectToAll({ source }: OpenedMcpServers, terminal: Terminal): Promise<void> {
  // A server whose command changed is only started after its approval.
  const names = source.status().filter(({ state }) => !["disabled", "broken", "changed"].includes(state));
  let left = names.length;
  // If the output is not a terminal, one line says what takes so long.
  const patience = setTimeout(() => {
    if (terminal.screen === undefined)
      terminal.log(terminal.tint("dim", `connecting to ${formatCount(left, "server")}…`));
  }, connectTimeoutMs);
  const report = (): void => terminal.status(left === 0 ? "" : `connecting to ${formatCount(left, "server")}…`);
  report();
  await withStopSignal((signal) =>
    Promise.all(
      names.map(async ({ name }) => {
        // The status contains the failure.
        await source.refresh(name, { signal }).catch(() => undefined);
        left--;
        report();
      }),
    ),
  );
  clearTimeout(patience);
}

/** Delay before the notice: the first connection to a server with the older protocol version may take some seconds. */
const connectTimeoutMs = 2000;

function show(servers: readonly McpServerStatus[], redactor: Redactor, invocation: Invocation): void {
  const { terminal } = invocation;
  if (servers.length === 0) {
    const line = commandLine(invocation, "mcp add", "NAME", "--", "COMMAND", "ARGS…");
    terminal.log(`No MCP servers. Add one with: ${line}`);
    return;
  }
  const rows = servers.map(({ name, state, tools, refused, display }) => {
    const isCounted = state !== "unknown" && state !== "disabled" && state !== "broken";
    return [
      name,
      state,
      isCounted ? String(tools.length) : "",
      refused.length === 0 ? "" : String(refused.length),
      display,
    ];
  });
  const columns: StyledColumn[] = [
    { title: "NAME", style: "bold" },
    { title: "STATE", style: (cell) => styles[cell.trim()] ?? "dim" },
    { title: "TOOLS", align: "right" },
    { title: "REFUSED", align: "right" },
    { title: "HOW", long: "cut" },
  ];
  const redacted = rows.map((row) => row.map((cell) => redactor.text(cell)));
  for (const line of tableFor(terminal, columns, redacted)) terminal.print(line);
  for (const server of servers) for (const line of notesOf(server)) terminal.log(toOneLine(redactor.text(line)));
  if (servers.some(({ state }) => state === "unknown") && !invocation.flag("connect")) {
    const line = `connect to the unknown ones with: ${commandLine(invocation, "mcp list", "--connect")}`;
    terminal.log(terminal.tint("dim", line));
  }
}

const styles: Readonly<Record<string, Style>> = {
  connected: "green",
  known: "green",
  down: "red",
  broken: "red",
  changed: "yellow",
};

function notesOf({ name, state, lastFailure, refused, hint }: McpServerStatus): string[] {
  const again =
    lastFailure?.retryAt === undefined
      ? ""
      : ` (next attempt in ${formatDuration(lastFailure.retryAt - lastFailure.at)})`;
  const failed = lastFailure === undefined ? [] : [`${name}: ${lastFailure.message}${again}`];
  // Problems of an entry are shown below, with their position.
  const toDo = hint === undefined || state === "broken" ? [] : [`${name}: ${stripUnsafe(hint)}`];
  return [...failed, ...refusalsOf(name, refused), ...toDo];
}

function refusalsOf(server: string, refused: McpServerStatus["refused"]): string[] {
  const [first] = refused;
  // A common reason is shown once.
  if (first !== undefined && refused.length > 1 && refused.every(({ message }) => message === first.message)) {
    return [`${server}: ${formatCount(refused.length, "tool")} rejected: ${first.message}`];
  }
  const shown = refused.slice(0, 5).map(({ name, message }) => `${name} is rejected: ${message}`);
  const more = refused.length - shown.length;
  return more === 0 ? shown : [...shown, `${server}: ${formatCount(more, "more rejected tool")}`];
}
