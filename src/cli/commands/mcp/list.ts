import type { McpServerStatus } from "../../hub/index.ts";
import { type Redactor, stripUnsafe, suggest } from "../../text/index.ts";
import { snakeKeys } from "../../tool/index.ts";
import type { RunCommand } from "../command-spec.ts";
import { exitCodes } from "../exit-codes.ts";
import { formatCount, formatDuration } from "../format-figures.ts";
import { formatTable, oneLine } from "../format-table.ts";
import { type Invocation, commandLine } from "../invocation.ts";
import { type McpHere, withMcp } from "../open-mcp.ts";
import { safeJson } from "../safe-json.ts";
import { tellProblems } from "../tell-problems.ts";
import type { Style, Terminal } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";
import { watchInterrupts } from "../watch-interrupts.ts";

/** `windlass mcp list`. */
export const listServers: RunCommand = async (invocation) => {
  refuseWords(invocation);
  const { terminal } = invocation;
  return withMcp({ terminal }, async (here) => {
    const connects = invocation.flag("connect");
    if (connects) await connectToAll(here, terminal);
    const servers = here.source.status();
    if (invocation.flag("json")) terminal.print(safeJson(servers.map((server) => toWire(server, here.redactor))));
    else show(servers, here.redactor, invocation);
    const problems = here.source.problems().filter(({ code }) => !told.has(code));
    if (problems.length > 0 && !invocation.flag("json")) await tellProblems(terminal, problems, here);
    return connects && servers.some(({ lastFailure }) => lastFailure !== undefined) ? exitCodes.failed : exitCodes.ok;
  });
};

/** Problems that the list itself tells. */
const told: ReadonlySet<string> = new Set([
  "server_failed",
  "pin_mismatch",
  "unpinned",
  "hidden_text",
  "server_changed",
]);

async function connectToAll({ source }: McpHere, terminal: Terminal): Promise<void> {
  const interrupts = watchInterrupts();
  interrupts.arm({ onStop: () => {} });
  // What is started otherwise than before is started by those who have seen how.
  const names = source.status().filter(({ state }) => !["disabled", "broken", "changed"].includes(state));
  let left = names.length;
  // Where no line can be replaced, one says what takes so long.
  const patience = setTimeout(() => {
    if (terminal.screen === undefined)
      terminal.tell(terminal.tint("dim", `connecting to ${formatCount(left, "server")}…`));
  }, patienceMs);
  const tell = (): void => terminal.status(left === 0 ? "" : `connecting to ${formatCount(left, "server")}…`);
  tell();
  await Promise.allSettled(
    names.map(async ({ name }) => {
      // What failed is told by the status.
      await source.refresh(name, { signal: interrupts.signal }).catch(() => undefined);
      left--;
      tell();
    }),
  );
  clearTimeout(patience);
  interrupts.dispose();
}

/** The first connection to a server that knows only the older protocol may take some seconds. */
const patienceMs = 2000;

function show(servers: readonly McpServerStatus[], redactor: Redactor, invocation: Invocation): void {
  const { terminal } = invocation;
  if (servers.length === 0) {
    const line = commandLine(invocation, "mcp add", "NAME", "--", "COMMAND", "ARGS…");
    terminal.tell(`There are no MCP servers here; ${line} adds one.`);
    return;
  }
  const rows = servers.map(({ name, state, tools, refused, shown }) => {
    const isCounted = state !== "unknown" && state !== "disabled" && state !== "broken";
    return [
      name,
      state,
      isCounted ? String(tools.length) : "",
      refused.length === 0 ? "" : String(refused.length),
      shown,
    ];
  });
  const columns = [
    { title: "NAME", paint: (cell: string) => terminal.paint("bold", cell) },
    { title: "STATE", paint: (cell: string) => terminal.paint(styles[cell.trim()] ?? "dim", cell) },
    { title: "TOOLS", align: "right" },
    { title: "REFUSED", align: "right" },
    { title: "HOW", long: "cut" },
  ] as const;
  const paintTitle = (title: string): string => terminal.paint("dim", title);
  const table = formatTable(
    rows.map((row) => row.map((cell) => redactor.text(cell))),
    { columns, width: terminal.columns, paintTitle },
  );
  for (const line of table) terminal.print(line);
  for (const server of servers) for (const line of notesOf(server)) terminal.tell(oneLine(redactor.text(line)));
  if (servers.some(({ state }) => state === "unknown") && !invocation.flag("connect")) {
    const line = `${commandLine(invocation, "mcp list", "--connect")} asks those that are unknown what they offer`;
    terminal.tell(terminal.tint("dim", line));
  }
}

const styles: Readonly<Record<string, Style>> = {
  connected: "green",
  known: "green",
  down: "red",
  broken: "red",
  changed: "yellow",
};

function notesOf({ name, state, lastFailure, refused, todo }: McpServerStatus): string[] {
  const again =
    lastFailure?.retryAt === undefined
      ? ""
      : ` (left alone for ${formatDuration(lastFailure.retryAt - lastFailure.at)})`;
  const failed = lastFailure === undefined ? [] : [`${name}: ${lastFailure.message}${again}`];
  // What is wrong with an entry is shown below, with its place.
  const toDo = todo === undefined || state === "broken" ? [] : [`${name}: ${stripUnsafe(todo)}`];
  return [...failed, ...refusalsOf(name, refused), ...toDo];
}

function refusalsOf(server: string, refused: McpServerStatus["refused"]): string[] {
  const [first] = refused;
  // One reason for all is said once.
  if (first !== undefined && refused.length > 1 && refused.every(({ message }) => message === first.message)) {
    return [`${server}: ${formatCount(refused.length, "tool")} are refused: ${first.message}`];
  }
  const shown = refused.slice(0, 5).map(({ name, message }) => `${name} is refused: ${message}`);
  const more = refused.length - shown.length;
  return more === 0 ? shown : [...shown, `${server}: ${formatCount(more, "more refused tool")}`];
}

function toWire({ lastFailure, ...server }: McpServerStatus, redactor: Redactor): unknown {
  const wire = {
    ...snakeKeys(server),
    ...(lastFailure !== undefined && { last_failure: snakeKeys({ ...lastFailure }) }),
  };
  return redactor.value(wire);
}

/** `windlass mcp ad x` comes here, because `list` is what runs without a command. */
function refuseWords({ words }: Invocation): void {
  const [word] = words;
  if (word === undefined) return;
  const near = suggest(word, ["list", "add", "remove", "approve", "login", "logout", "serve"]);
  throw new UsageError(
    `there is no command "mcp ${word}"`,
    near === undefined ? "windlass mcp --help lists them" : `did you mean windlass mcp ${near}?`,
  );
}
