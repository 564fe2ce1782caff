import type { ResponseBody } from "../../../api/index.ts";
import { suggest, displayWidth } from "../../../text/index.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { type Invocation, commandLine, shellWord } from "../../program/invocation.ts";
import { reportBrokenFiles, withTools } from "../../open/open-tools.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import { rejectSubcommandWord } from "../../program/reject-subcommand-word.ts";
import { UsageError } from "../../program/usage-error.ts";
import { type Workspace, toWireTool } from "../../../app/index.ts";
import { ToolFinder, type CapabilityInfo } from "../../../hub/index.ts";
import { type Registration, builtinOwner, isWorkspaceTool } from "../../../tool/index.ts";
import { tableFor, toOneLine } from "../../terminal/format-table.ts";
import type { ServerApi } from "../../remote/server-api.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** `windlass tools`. */
export const listTools: RunCommand = async (invocation) => {
  rejectSubcommandWord(invocation, {
    of: "tools",
    names: ["list", "show", "search", "capabilities", "schema"],
    hints: (word) => [
      `show the tool of that name with: ${commandLine(invocation, "tools", "show", shellWord(word))}`,
      `search for the word with: ${commandLine(invocation, "tools", "search", shellWord(word))}`,
    ],
  });
  await withListedTools(invocation, undefined, (all) => {
    const { terminal } = invocation;
    const [category, tag] = [invocation.text("category"), invocation.text("tag")];
    const isListed = sourceFilter(invocation, all);
    // The list is in the order of names, and stays so within each part.
    const tools = all
      .filter((tool) => category === undefined || tool.category === category)
      .filter((tool) => tag === undefined || tool.tags.includes(tag))
      .filter(isListed)
      .toSorted((a, b) => rankOf(a) - rankOf(b));
    if (invocation.flag("json")) {
      terminal.print(safeJson(tools.map(toJson)));
    } else if (tools.length === 0) {
      terminal.log("No matching tools.");
    } else {
      for (const line of toolTable(tools, terminal)) terminal.print(line);
      const hint = `show a tool with: ${commandLine(invocation, "tools", "show", "NAME")}`;
      if (terminal.columns !== undefined) terminal.log(terminal.tint("dim", hint));
    }
  });
};

/** A tool of a list in its JSON form, and where it comes from. */
interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly category: string;
  readonly tags: readonly string[];
  readonly effect: string;
  readonly status: string;
  readonly gated: boolean;
  readonly broken?: string;
  readonly source: string;
  readonly owner: string;
}

/** A search for tools. */
interface ToolSearch {
  readonly query: string;
  readonly limit: number;
}

/** Lists or searches the tools here, or those of the server. */
async function withListedTools(
  invocation: Invocation,
  search: ToolSearch | undefined,
  work: (tools: readonly ListedTool[], names: readonly string[]) => void,
): Promise<void> {
  if (invocation.server !== undefined) {
    const { api } = (await import("../../remote/open-remote.ts")).openRemote(invocation);
    return work(await remoteTools(api, search), []);
  }
  await withTools(invocation.terminal, (workspace) => {
    const { tools } = workspace.engine;
    const found =
      search === undefined
        ? tools.list()
        : new ToolFinder(tools).search(search.query, search).map(({ registration }) => registration);
    work(
      found.map((one) => toListedTool(one, workspace)),
      tools.names(),
    );
    reportBrokenFiles(workspace, invocation);
  });
}

/** A tool of a workspace for {@link toolTable}. */
export function toListedTool(registration: Registration, workspace: Workspace): ListedTool {
  // In its JSON form.
  return { ...toWireTool(registration, workspace), owner: registration.owner } as unknown as ListedTool;
}

async function remoteTools(api: ServerApi, search: ToolSearch | undefined): Promise<readonly ListedTool[]> {
  const found: unknown[] = [];
  let cursor: string | null | undefined;
  do {
    const query = search ?? { limit: 200, ...(cursor && { cursor }) };
    const page: ResponseBody<"list_tools"> = await api.send("list_tools", { params: {}, query });
    found.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor);
  // The server sends more than the table of the API promises.
  return found as readonly ListedTool[];
}

/** Without what only the HTTP API has. */
function toJson(tool: ListedTool): object {
  const { owner: _owner, wire_name: _name, ...wire } = tool as ListedTool & { readonly wire_name?: string };
  return wire;
}

/** The workspace's own tools come first, then those of servers, then the built-in ones. */
function rankOf(tool: ListedTool): number {
  if (isWorkspaceTool(tool)) return 0;
  return tool.owner === builtinOwner ? 2 : 1;
}

/** The filter of `--source` and `--mine`. */
function sourceFilter(invocation: Invocation, all: readonly ListedTool[]): (tool: ListedTool) => boolean {
  const source = invocation.text("source");
  const mine = invocation.flag("mine");
  const servers = all.flatMap((one) => (one.source === "mcps" ? [one.owner] : []));
  const known = [...new Set(["tools", "chains", "skills", "mcps", builtinOwner, ...servers])];
  if (source !== undefined && !known.includes(source)) {
    const near = suggest(source, known);
    throw new UsageError(
      `there is no source "${source}"`,
      near === undefined ? `sources: ${known.join(", ")}` : `did you mean --source ${near}?`,
    );
  }
  return (one) =>
    (!mine || isWorkspaceTool(one)) && (source === undefined || one.source === source || one.owner === source);
}

/** Default number of search results. */
const defaultLimit = 20;

/** `windlass tools search`. */
export const searchTools: RunCommand = async (invocation) => {
  const { terminal, words } = invocation;
  const query = words.join(" ");
  const limit = invocation.number("limit") ?? defaultLimit;
  await withListedTools(invocation, { query, limit }, (found, names) => {
    if (invocation.flag("json")) {
      terminal.print(safeJson(found.map(toJson)));
    } else if (found.length === 0) {
      const near = suggest(query, names);
      terminal.log(`No matching tools${near === undefined ? "." : `; did you mean ${near}?`}`);
    } else {
      for (const line of toolTable(found, terminal)) terminal.print(line);
    }
  });
};

/** `windlass tools capabilities`. */
export const listCapabilities: RunCommand = async (invocation) => {
  await withTools(invocation.terminal, (workspace) => {
    const { terminal } = invocation;
    const all = workspace.hub.capabilities();
    if (invocation.flag("json")) {
      terminal.print(safeJson(all.map(toWireCapability)));
    } else {
      for (const line of capabilityTable(all, terminal)) terminal.print(line);
      const hint = `show the tools of a capability with: ${commandLine(invocation, "tools", "show", "capability:NAME")}`;
      if (terminal.columns !== undefined) terminal.log(terminal.tint("dim", hint));
    }
    reportBrokenFiles(workspace, invocation);
  });
};

function capabilityTable(all: readonly CapabilityInfo[], terminal: Terminal): string[] {
  const rows = all.map((info) => [`capability:${info.name}`, servedBy(info), howUsed(info), contractOf(info) ?? ""]);
  const columns = [
    { title: "NAME", style: "bold" },
    { title: "SERVED BY", long: "wrap" },
    { title: "HOW", long: "wrap" },
    "CONTRACT",
  ] as const;
  return tableFor(terminal, columns, rows);
}

function servedBy({ tools, unfit, contract }: CapabilityInfo): string {
  if (contract?.broken !== undefined) return "[broken]";
  const others = unfit.map((text) => text.slice(0, text.indexOf(": ")));
  const left = others.length === 0 ? "" : ` (not by ${others.join(", ")})`;
  return `${tools.length === 0 ? "no tool" : tools.join(", ")}${left}`;
}

/** Describes how the tools of a capability are used; empty if there is only one. */
export function howUsed({ tools, strategy }: CapabilityInfo): string {
  return tools.length < 2 ? "" : strategyTexts[strategy];
}

const strategyTexts: Readonly<Record<CapabilityInfo["strategy"], string>> = {
  pick_best: "several in parallel, first success wins",
  synthesise: "several in parallel, results merged",
  in_turn: "one after another",
};

/** Location of a capability's contract: its file, or `built in`; undefined if it has none. */
export function contractOf({ contract }: CapabilityInfo): string | undefined {
  return contract === undefined ? undefined : (contract.file ?? "built in");
}

/** A capability in JSON output. */
function toWireCapability(info: CapabilityInfo): Record<string, unknown> {
  const { name, tools, unfit, strategy, contract } = info;
  return {
    name: `capability:${name}`,
    ...(contract !== undefined && { description: contract.description, aliases: contract.aliases }),
    tools,
    strategy,
    contract: contractOf(info) ?? null,
    ...(contract?.broken !== undefined && { broken: contract.broken.message }),
    unfit,
  };
}

/**
 * Formats tools as lines with name, effect, category and description; a narrow terminal omits columns, but each tool
 * stays on one line.
 */
export function toolTable(tools: readonly ListedTool[], side: Pick<Terminal, "columns" | "paint">): string[] {
  const rows = tools.map((tool) => [tool.name, tool.effect, tool.category, describe(tool)]);
  const columns = [
    { title: "NAME", style: "bold" },
    "EFFECT",
    "CATEGORY",
    { title: "DESCRIPTION", long: "cut" },
  ] as const;
  const shown = fitting(rows, side.columns);
  return tableFor(
    side,
    columns.filter((_column, at) => shown.includes(at)),
    rows.map((row) => shown.map((at) => row[at] ?? "")),
  );
}

/** Minimum width of the description. */
const minWords = 12;

/** Columns that fit: name and description have priority, then effect and category. */
function fitting(rows: readonly (readonly string[])[], width = Number.POSITIVE_INFINITY): readonly number[] {
  const widest = (at: number): number => Math.max(0, ...rows.map((row) => displayWidth(row[at] ?? "")));
  const needs = (columns: readonly number[]): number =>
    columns.reduce((sum, at) => sum + 2 + (at === 3 ? minWords : widest(at)), -2);
  return (
    [
      [0, 1, 2, 3],
      [0, 1, 3],
      [0, 3],
    ].find((columns) => needs(columns) <= width) ?? [0]
  );
}

function describe({ description, status, broken, gated }: ListedTool): string {
  if (broken !== undefined) return `[broken] ${broken}`;
  const marks = [...(status === "active" ? [] : [status]), ...(gated ? ["gated"] : [])];
  return [...(marks.length === 0 ? [] : [`[${marks.join(", ")}]`]), firstSentence(description)].join(" ");
}

/** First sentence of a description, for lists; `tools show` prints all of it. */
function firstSentence(text: string): string {
  return /^.*?(?:[.!?](?=\s)|[。！？]|$)/su.exec(toOneLine(text))?.[0] ?? text;
}
