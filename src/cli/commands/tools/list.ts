import { cliCommand } from "../../../base/index.ts";
import { suggest } from "../../../text/index.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { type Invocation, commandLine, shellWord } from "../../program/invocation.ts";
import { reportBrokenFiles, withTools } from "../../open/open-tools.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import { toolTable } from "./tool-table.ts";
import { UsageError } from "../../program/usage-error.ts";
import { toWireTool } from "../../wire/wire-tool.ts";
import { ToolFinder } from "../../../hub/index.ts";
import { type Registration, builtinOwner, isWorkspaceTool } from "../../../tool/index.ts";

/** `windlass tools`. */
export const listTools: RunCommand = async (invocation) => {
  rejectUnknownToolsCommand(invocation);
  await withTools(invocation.terminal, (workspace) => {
    const { terminal } = invocation;
    const category = invocation.text("category");
    const tag = invocation.text("tag");
    const listed = workspace.engine.tools.list({
      ...(category !== undefined && { category }),
      ...(tag !== undefined && { tag }),
    });
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

/** `windlass tools shwo x` is parsed as `list`, the default subcommand. */
function rejectUnknownToolsCommand(invocation: Invocation): void {
  const [word] = invocation.words;
  if (word === undefined) return;
  const near = suggest(word, ["list", "show", "search", "capabilities", "schema"]);
  const hints =
    near === undefined
      ? [
          `show the tool of that name with: ${commandLine(invocation, "tools", "show", shellWord(word))}`,
          `search for the word with: ${commandLine(invocation, "tools", "search", shellWord(word))}`,
        ]
      : [`did you mean ${cliCommand(`tools ${near}`)}?`];
  throw new UsageError(`unknown command "tools ${word}"`, ...hints);
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
