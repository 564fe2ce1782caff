import { definedOnly } from "../../../base/index.ts";
import { suggest, displayWidth } from "../../../text/index.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { type Invocation, commandLine, shellWord } from "../../program/invocation.ts";
import { reportBrokenFiles, withTools } from "../../open/open-tools.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import { rejectSubcommandWord } from "../../program/reject-subcommand-word.ts";
import { UsageError } from "../../program/usage-error.ts";
import { toWireTool } from "../../../app/index.ts";
import { ToolFinder, type CapabilityInfo } from "../../../hub/index.ts";
import { type Registration, builtinOwner, isWorkspaceTool, type AnyTool, effectLabel } from "../../../tool/index.ts";
import { tableFor, toOneLine } from "../../terminal/format-table.ts";
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
  await withTools(invocation.terminal, (workspace) => {
    const { terminal } = invocation;
    const category = invocation.text("category");
    const tag = invocation.text("tag");
    const listed = workspace.engine.tools.list(definedOnly({ category, tag }));
    const isListed = sourceFilter(invocation, listed);
    // The list is in the order of names, and stays so within each part.
    const tools = listed.filter(isListed).toSorted((a, b) => rankOf(a) - rankOf(b));
    if (invocation.flag("json")) {
      terminal.print(safeJson(tools.map((registration) => toWireTool(registration, workspace))));
    } else if (tools.length === 0) {
      terminal.log("No matching tools.");
    } else {
      for (const line of toolTable(tools, terminal)) terminal.print(line);
      const hint = `show a tool with: ${commandLine(invocation, "tools", "show", "NAME")}`;
      if (terminal.columns !== undefined) terminal.log(terminal.tint("dim", hint));
    }
    reportBrokenFiles(workspace, invocation);
  });
};

/** The workspace's own tools come first, then those of servers, then the built-in ones. */
function rankOf(registration: Registration): number {
  if (isWorkspaceTool(registration)) return 0;
  return registration.owner === builtinOwner ? 2 : 1;
}

/** The filter of `--source` and `--mine`. */
function sourceFilter(invocation: Invocation, all: readonly Registration[]): (registration: Registration) => boolean {
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
  await withTools(invocation.terminal, (workspace) => {
    const { terminal, words } = invocation;
    const { tools } = workspace.engine;
    const query = words.join(" ");
    const limit = invocation.number("limit") ?? defaultLimit;
    const found = new ToolFinder(tools).search(query, { limit }).map(({ registration }) => registration);
    if (invocation.flag("json")) {
      terminal.print(safeJson(found.map((registration) => toWireTool(registration, workspace))));
    } else if (found.length === 0) {
      const near = suggest(query, tools.names());
      terminal.log(`No matching tools${near === undefined ? "." : `; did you mean ${near}?`}`);
    } else {
      for (const line of toolTable(found, terminal)) terminal.print(line);
    }
    reportBrokenFiles(workspace, invocation);
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
export function toolTable(tools: readonly Registration[], side: Pick<Terminal, "columns" | "paint">): string[] {
  const rows = tools.map(({ tool }) => [tool.name, effectLabel(tool), tool.category, describe(tool)]);
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

function describe({ description, status, broken, gated }: AnyTool): string {
  if (broken !== undefined) return `[broken] ${broken.message}`;
  const marks = [...(status === "active" ? [] : [status]), ...(gated ? ["gated"] : [])];
  return [...(marks.length === 0 ? [] : [`[${marks.join(", ")}]`]), firstSentence(description)].join(" ");
}

/** First sentence of a description, for lists; `tools show` prints all of it. */
function firstSentence(text: string): string {
  return /^.*?(?:[.!?](?=\s)|[。！？]|$)/su.exec(toOneLine(text))?.[0] ?? text;
}
